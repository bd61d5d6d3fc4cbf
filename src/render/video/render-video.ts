// Renders a scene graph to an MP4 in a separate process. The process is killed after its last message, or when its parent
// exits.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rename, rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { extname, join } from 'node:path';
import { getBackend, toBackendRef } from '../../codecs/backend.ts';
import { getCompileCacheEnv } from '../../lib/compile-cache.ts';
import { AppError } from '../../lib/errors.ts';
import type { ProcessMessage, ProcessRequest, VideoRequest, VideoResult } from './video-request.ts';

export interface VideoEvents {
  readonly onFrame?: (done: number, total: number) => void;
  /** Called when a finished segment exists in the folder. */
  readonly onSegment?: (path: string) => void;
}

/** Twenty minutes at 30 frames per second. */
const MAX_FRAMES = 36_000;
/** A render without progress for this long is killed. */
const STALL_MS = 120_000;

/**
 * Throws `invalid_scene_graph`, `invalid_request` (range), `codec_failed`, `unreadable_media` (a sound) or
 * `unavailable` (no back end); the signal's reason if aborted.
 */
export async function renderVideo(
  { codecs = {}, ...request }: VideoRequest,
  events: VideoEvents,
  signal: AbortSignal,
): Promise<VideoResult> {
  signal.throwIfAborted();
  requireValidRange(request.range);
  const backend = toBackendRef(await getBackend(codecs, signal));
  // The work folder is next to the result, so that a rename moves the file into place.
  const workFolder = `${request.path}.parts`;
  const path = join(workFolder, 'video.mp4');
  await mkdir(workFolder, { recursive: true });
  const child = startProcess();
  try {
    const result = await watchProcess(
      child,
      { ...request, path, workFolder, backend, threadCount: countThreads() },
      events,
      signal,
    );
    await rename(path, request.path);
    return result;
  } finally {
    await killProcessGroup(child);
    await rm(workFolder, { recursive: true, force: true, maxRetries: 3 });
  }
}

function requireValidRange([from, to]: VideoRequest['range']): void {
  const isRange = Number.isInteger(from) && Number.isInteger(to) && from >= 0 && from < to;
  if (!isRange)
    throw new AppError(
      'invalid_request',
      'The range must be two frame numbers, [from, to), with from smaller than to.',
    );
  if (to - from <= MAX_FRAMES) return;
  const message = `The video would have ${to - from} frames. The maximum is ${MAX_FRAMES}. Render it in several ranges.`;
  const issues = [{ path: '/durationInFrames', code: 'too_long', message }];
  throw new AppError('invalid_scene_graph', message, { issues });
}

/**
 * Returns the number of drawing threads. With fewer than four processors, encoding keeps them busy and threads would only
 * cost memory. With more, a single drawing thread cannot keep up.
 */
function countThreads(): number {
  const processors = availableParallelism();
  return processors < 4 ? 0 : Math.min(4, Math.floor(processors / 2));
}

function startProcess(): ChildProcess {
  // Sources run as .ts; the published package has .js.
  const file = new URL(`./process${extname(import.meta.filename)}`, import.meta.url);
  return fork(file, [], {
    execArgv: ['--max-old-space-size=1024', '--disable-warning=ExperimentalWarning'],
    env: {
      DISABLE_SYSTEM_FONTS_LOAD: '1',
      // Without this the addon prefers system ffmpeg libraries, which may be GPL.
      NODE_WEBCODECS_FORCE: 'static',
      ...getCompileCacheEnv(),
    },
    // Its own process group, so that its codecs can be killed with it.
    detached: process.platform !== 'win32',
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
}

async function watchProcess(
  child: ChildProcess,
  request: ProcessRequest,
  events: VideoEvents,
  signal: AbortSignal,
): Promise<VideoResult> {
  const { promise, resolve, reject } = Promise.withResolvers<VideoResult>();
  const onAbort = (): void => reject(signal.reason);
  const onStall = (): void =>
    reject(new AppError('codec_failed', 'The render made no progress and was stopped.'));
  let timer = setTimeout(onStall, STALL_MS);
  child.on('message', (message: ProcessMessage) => {
    clearTimeout(timer);
    timer = setTimeout(onStall, STALL_MS);
    if (message.kind === 'frame') events.onFrame?.(message.done, message.total);
    if (message.kind === 'segment') events.onSegment?.(message.path);
    if (message.kind === 'result') resolve(message.result);
    if (message.kind === 'failure') reject(toRenderError(message));
  });
  child.once('error', reject);
  // All messages arrive before this event.
  child.once('disconnect', () =>
    reject(new AppError('codec_failed', 'The render process exited unexpectedly.')),
  );
  try {
    signal.addEventListener('abort', onAbort, { once: true });
    // An abort before that fires no event.
    if (signal.aborted) onAbort();
    else child.send(request, err => err && reject(err));
    return await promise;
  } finally {
    // A message that arrives before the kill would restart the timer.
    child.removeAllListeners('message');
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}

function toRenderError({ code, message, issues }: Extract<ProcessMessage, { kind: 'failure' }>): Error {
  return code === undefined ? new Error(message) : new AppError(code, message, issues && { issues });
}

/** Kills the process and its codecs. Resolves when the process has exited. */
async function killProcessGroup(child: ChildProcess): Promise<void> {
  const { pid } = child;
  if (pid === undefined) return;
  const hasExited = child.exitCode !== null || child.signalCode !== null;
  const exit = hasExited ? undefined : once(child, 'exit');
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL');
  } catch {
    // The process no longer exists.
  }
  await exit;
}
