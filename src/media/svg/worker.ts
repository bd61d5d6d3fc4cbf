// The thread that sanitizes large SVGs: bytes in, SvgAnswer out.
import { parentPort } from 'node:worker_threads';
import { AppError } from '../../lib/errors.ts';
import { sanitizeSvg } from './svg.ts';
import type { SvgAnswer } from './thread.ts';

parentPort?.on('message', (bytes: Uint8Array) => {
  parentPort?.postMessage(answer(bytes));
});

function answer(bytes: Uint8Array): SvgAnswer {
  try {
    return { bytes: sanitizeSvg(bytes) };
  } catch (err) {
    if (err instanceof AppError) return { code: err.code, message: err.message };
    throw err;
  }
}
