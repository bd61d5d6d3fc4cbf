// Rasterizes a sanitized SVG to PNG, for models that do not accept vector graphics. Uses a separate process, because sharp
// allows loaders per process, and this process must not open unsanitized SVGs.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { extname } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { getCompileCacheEnv } from '../../lib/compile-cache.ts';
import { AppError } from '../../lib/errors.ts';
import { createLimiter } from '../../lib/limiter.ts';
import { limitProcessorTime, readProcessTime } from '../../lib/threads/processor-time.ts';

const limit = createLimiter({ concurrency: 1, maxWaiting: 100 });
/** Maximum processor time. */
const TIMEOUT_MS = 20_000;
// Sources run as .ts; the published package has .js.
const PROCESS = `${import.meta.dirname}/rasterize-process${extname(import.meta.filename)}`;

/** Returns a PNG with a longer side of 1,024 to 4,096 pixels. Throws `unreadable_image` if it cannot be drawn. */
export function rasterizeSvg(svg: Uint8Array, signal: AbortSignal): Promise<Buffer> {
  return limit(() => draw(svg, signal), signal);
}

async function draw(svg: Uint8Array, signal: AbortSignal): Promise<Buffer> {
  const child = spawn(process.execPath, [PROCESS], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: getCompileCacheEnv(),
    killSignal: 'SIGKILL',
    signal,
  });
  using timeLimit = limitProcessorTime(() => readProcessTime(child.pid), TIMEOUT_MS);
  timeLimit.signal.addEventListener('abort', () => child.kill('SIGKILL'));
  const closed = once(child, 'close') as Promise<[code: number | null]>;
  // If the child exits before it has read everything, its exit code reports the failure.
  child.stdin.on('error', () => undefined);
  child.stdin.end(svg);
  const [png, [code]] = await Promise.all([buffer(child.stdout), closed]);
  if (code === 0 && png.length > 0) return png;
  throw new AppError('unreadable_image', 'The SVG cannot be drawn: it is empty or takes too long.');
}
