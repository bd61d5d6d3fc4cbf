// Sanitizes SVGs without blocking the event loop: small ones at once, large ones in a worker thread.
import { AppError } from '../../lib/errors.ts';
import { createThreadPool, TaskTooCostly } from '../../lib/threads/pool.ts';
import { sanitizeSvg } from './svg.ts';

// About 4 ms of work, less than a thread's answer takes to come back.
const INLINE_BYTES = 100 * 1024;

const pool = createThreadPool<Uint8Array, Uint8Array>({
  module: new URL('./worker', import.meta.url),
  threads: 1,
  timeoutMs: 10_000,
  // Of a megabyte, the most that attributes, namespaces, entities or references make of it fits into 48 MB.
  maxHeapMb: 256,
  maxWaiting: 200,
});

/** `sanitizeSvg`, off the main thread above 100 KB. */
export async function sanitizeSvgAside(bytes: Uint8Array, signal: AbortSignal): Promise<Buffer> {
  if (bytes.length <= INLINE_BYTES) return sanitizeSvg(bytes);
  try {
    const clean = await pool.run(bytes, { account: '', signal });
    return Buffer.from(clean.buffer, clean.byteOffset, clean.byteLength);
  } catch (err) {
    if (!(err instanceof TaskTooCostly)) throw err;
    throw new AppError('svg_too_complex', 'The SVG takes too long or too much memory to read.', {
      cause: err,
    });
  }
}
