// Sanitizes SVGs without blocking the event loop: small ones directly, large ones in a worker thread, one at a time.
import { once } from 'node:events';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { AppError, type ErrorCode } from '../../lib/errors.ts';
import { createGate } from '../../lib/gate.ts';
import { sanitizeSvg } from './svg.ts';

/** The worker's response. */
export type SvgAnswer =
  | { readonly bytes: Uint8Array }
  | { readonly code: ErrorCode; readonly message: string };

// About 4 ms of work, less than the latency of a thread.
const INLINE_BYTES = 100 * 1024;
const TIMEOUT_MS = 10_000;
const IDLE_MS = 10_000;

const gate = createGate({ concurrency: 1, maxWaiting: 200 });
let worker: Worker | undefined;
let idle: NodeJS.Timeout | undefined;

/** Runs `sanitizeSvg`, off the main thread above 100 KB. */
export async function sanitizeSvgAside(bytes: Uint8Array, signal: AbortSignal): Promise<Buffer> {
  if (bytes.length <= INLINE_BYTES) return sanitizeSvg(bytes);
  const answer = await gate(() => ask(bytes, signal), signal);
  if ('code' in answer) throw new AppError(answer.code, answer.message);
  return Buffer.from(answer.bytes.buffer, answer.bytes.byteOffset, answer.bytes.byteLength);
}

async function ask(bytes: Uint8Array, signal: AbortSignal): Promise<SvgAnswer> {
  clearTimeout(idle);
  worker ??= startWorker();
  const asked = worker;
  const deadline = AbortSignal.timeout(TIMEOUT_MS);
  asked.ref();
  try {
    asked.postMessage(bytes);
    const [answer] = (await once(asked, 'message', { signal: AbortSignal.any([signal, deadline]) })) as [
      SvgAnswer,
    ];
    return answer;
  } catch (err) {
    // Aborted, too slow or out of memory: discard whatever the worker still does.
    await stopWorker(asked);
    if (signal.aborted) throw err;
    throw new AppError('svg_too_complex', 'The SVG takes too long or too much memory to read.', {
      cause: err,
    });
  } finally {
    asked.unref();
    idle = setTimeout(() => void stopWorker(asked), IDLE_MS).unref();
  }
}

function startWorker(): Worker {
  // Sources run as .ts; the published package has .js.
  const file = new URL(`./worker${extname(import.meta.filename)}`, import.meta.url);
  // Past a thread's heap limit V8 ends the whole process, which is why files of unbounded structure are probed in child
  // processes. Nothing here reaches the limit: the worst attributes, namespaces, entities and references of a megabyte
  // need 48 MB.
  const started = new Worker(file, { resourceLimits: { maxOldGenerationSizeMb: 256 } });
  // The caller gets the error too; without a listener an idle worker that dies would end the process.
  started.on('error', () => void stopWorker(started));
  return started;
}

async function stopWorker(stopped: Worker): Promise<void> {
  if (worker === stopped) worker = undefined;
  await stopped.terminate();
}
