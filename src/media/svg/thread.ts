// Sanitizes SVGs without blocking the event loop: large files are sanitized in a worker thread.
import { AppError } from '../../lib/errors.ts';
import { createThreadPool, TaskTooCostlyError } from '../../lib/threads/pool.ts';
import { type SanitizedSvg, sanitizeSvg } from './svg.ts';

// Sanitizing a file of this size takes about 4 ms, which is less than the round trip to a thread.
const INLINE_BYTES = 100 * 1024;

const pool = createThreadPool<Uint8Array, SanitizedSvg>({
  module: new URL('./worker', import.meta.url),
  threads: 1,
  timeoutMs: 10_000,
  // For a 1 MB file, the largest tree of attributes, namespaces, entities or references needs less than 48 MB.
  maxHeapMb: 256,
  maxWaiting: 200,
});

/** Sanitizes an SVG like `sanitizeSvg`, in a worker thread if it has over 100 KB. */
export async function sanitizeSvgInPool(bytes: Uint8Array, signal: AbortSignal): Promise<SanitizedSvg> {
  if (bytes.length <= INLINE_BYTES) return sanitizeSvg(bytes);
  try {
    const { bytes: clean, warnings } = await pool.run(bytes, { signal });
    // A message turns a Buffer into a Uint8Array.
    return { bytes: Buffer.from(clean.buffer, clean.byteOffset, clean.byteLength), warnings };
  } catch (err) {
    if (!(err instanceof TaskTooCostlyError)) throw err;
    throw new AppError('svg_too_complex', 'Reading the SVG takes too much time or memory.', {
      cause: err,
    });
  }
}
