// Draws stills off the main thread, in a few worker threads that start at first use and end when idle.
import { once } from 'node:events';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { type CodecSettings, findBackend, toBackendRef } from '../../codecs/backend.ts';
import { AppError } from '../../lib/errors.ts';
import { createLimiter } from '../../lib/limiter.ts';
import { limitProcessorTime, readThreadTime } from '../../lib/threads/processor-time.ts';
import type { DrawnStills, SceneStills, StillDrawing } from './still.ts';
import type { SceneRequest, StillRequest, StillResponse } from './worker.ts';

const limit = createLimiter({ concurrency: 2, maxWaiting: 500 });
/** Of processor time. */
const TIMEOUT_MS = 30_000;
const STOP_MS = 500;
// Threads are kept for a while, because previews follow each other with pauses. An idle thread takes about 60 MB with
// its images, so it ends after some time.
const IDLE_MS = 30_000;

const idle = new Map<Worker, NodeJS.Timeout>();

/** Draws a still as a PNG. Equal stills give equal bytes. */
export async function drawStill(request: StillDrawing, signal: AbortSignal): Promise<Buffer> {
  const response = await requestFromThread(request, signal);
  if (!('png' in response)) throw new Error('The thread returned no still.');
  return Buffer.from(response.png.buffer, response.png.byteOffset, response.png.byteLength);
}

/** Draws frames of a scene graph one after another on one thread. */
export async function drawSceneStills(scene: SceneStills, signal: AbortSignal): Promise<DrawnStills> {
  const { codecs = {}, ...sceneRequest } = scene;
  const decoder = await chooseDecoder(scene.files, codecs, signal);
  const response = await requestFromThread({ kind: 'scene', ...sceneRequest, ...decoder }, signal).catch(
    (err: unknown) => {
      if (!(err instanceof StillTooCostly)) throw err;
      throw new AppError(
        'invalid_scene_graph',
        `Drawing these frames took longer than ${TIMEOUT_MS / 1000} s. Request fewer frames or a smaller scale.`,
        { cause: err },
      );
    },
  );
  if (!('drawn' in response)) throw new Error('The thread returned no frames.');
  return response.drawn;
}

/** Finds the codec back end if there are clips among the files. Without a back end, clips cannot be shown. */
async function chooseDecoder(
  files: SceneStills['files'],
  codecs: CodecSettings,
  signal: AbortSignal,
): Promise<Pick<SceneRequest, 'files' | 'backend'>> {
  if ([...files.values()].every(({ kind }) => kind !== 'clip')) return { files };
  try {
    return { files, backend: toBackendRef(await findBackend(codecs, signal)) };
  } catch (err) {
    if (!(err instanceof AppError)) throw err;
    const absent = { kind: 'absent', reason: `cannot be shown: ${err.message.replace(/\.$/, '')}` } as const;
    return { files: new Map([...files].map(([key, file]) => [key, file.kind === 'clip' ? absent : file])) };
  }
}

class StillTooCostly extends AppError {
  constructor(cause: unknown) {
    super('unavailable', 'Drawing the image took too long. Try again in a moment.', { cause });
  }
}

function requestFromThread(request: StillRequest, signal: AbortSignal): Promise<StillResponse> {
  return limit(async () => {
    const worker = acquireWorker();
    using timeLimit = limitProcessorTime(() => readThreadTime(worker), TIMEOUT_MS);
    try {
      const response = await sendRequest(worker, request, AbortSignal.any([signal, timeLimit.signal]));
      release(worker);
      return response;
    } catch (err) {
      // The thread is discarded whatever it was doing, which also stops a drawing in progress.
      void stop(worker);
      throw timeLimit.signal.aborted && !signal.aborted ? new StillTooCostly(err) : err;
    }
  }, signal);
}

async function sendRequest(
  worker: Worker,
  request: StillRequest,
  signal: AbortSignal,
): Promise<StillResponse> {
  worker.postMessage(request);
  const [response] = (await once(worker, 'message', { signal })) as [StillResponse];
  if ('error' in response) throw new Error(`The still could not be drawn: ${response.error}`);
  return response;
}

/** Asks the thread to end its decoders before it is terminated, because they would outlive it. */
async function stop(worker: Worker): Promise<void> {
  worker.postMessage({ kind: 'stop' } satisfies StillRequest);
  await once(worker, 'message', { signal: AbortSignal.timeout(STOP_MS) }).catch(() => undefined);
  await worker.terminate();
}

function acquireWorker(): Worker {
  // Prefer the thread that drew last: it likely still has the images that are needed.
  const idleThread = [...idle].at(-1);
  if (idleThread === undefined) return startWorker();
  const [worker, timer] = idleThread;
  clearTimeout(timer);
  idle.delete(worker);
  worker.ref();
  return worker;
}

function startWorker(): Worker {
  // Sources run as .ts; the published package has .js.
  const file = new URL(`./worker${extname(import.meta.filename)}`, import.meta.url);
  const worker = new Worker(file, { env: { DISABLE_SYSTEM_FONTS_LOAD: '1' } });
  // Both events can also occur while no request waits for the thread.
  const removeIdle = (): void => {
    clearTimeout(idle.get(worker));
    idle.delete(worker);
  };
  worker.on('error', removeIdle).on('exit', removeIdle);
  return worker;
}

function release(worker: Worker): void {
  worker.unref();
  idle.set(worker, setTimeout(() => void worker.terminate(), IDLE_MS).unref());
}
