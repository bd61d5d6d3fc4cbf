// Draws images and scene stills off the main thread, in a few worker threads that start at first use and end when idle.
import { once } from 'node:events';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { type CodecSettings, getBackend, toBackendRef } from '../../codecs/backend.ts';
import { AppError } from '../../lib/errors.ts';
import { IdlePool } from '../../lib/idle-pool.ts';
import { createLimiter } from '../../lib/limiter.ts';
import { limitProcessorTime, readThreadTime } from '../../lib/threads/processor-time.ts';
import type { DrawnStills, ImageDrawing, SceneStills } from './still.ts';
import type { SceneRequest, StillRequest, StillResponse } from './worker.ts';

const limit = createLimiter({ concurrency: 2, maxWaiting: 500 });
/** Maximum processor time of a request. */
const TIMEOUT_MS = 30_000;
const STOP_TIMEOUT_MS = 500;
// Previews follow each other with pauses, so threads are kept for a while. Each takes about 60 MB with its images, so idle
// threads end eventually.
const IDLE_MS = 30_000;

const idleWorkers = new IdlePool<Worker>(IDLE_MS, worker => void worker.terminate());

/** Draws an image as a PNG. Equal requests give equal bytes. */
export async function drawImage(request: ImageDrawing, signal: AbortSignal): Promise<Buffer> {
  const response = await requestFromThread(request, signal);
  if (!('png' in response)) throw new Error('The thread returned no image.');
  return Buffer.from(response.png.buffer, response.png.byteOffset, response.png.byteLength);
}

/** Draws frames of a scene graph one after another on one thread. */
export async function drawSceneStills(scene: SceneStills, signal: AbortSignal): Promise<DrawnStills> {
  const { codecs = {}, ...sceneRequest } = scene;
  const decoder = await chooseDecoder(scene.files, codecs, signal);
  const response = await requestFromThread({ kind: 'scene', ...sceneRequest, ...decoder }, signal).catch(
    (err: unknown) => {
      if (!(err instanceof StillTooCostlyError)) throw err;
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
    return { files, backend: toBackendRef(await getBackend(codecs, signal)) };
  } catch (err) {
    if (!(err instanceof AppError)) throw err;
    const absent = { kind: 'absent', reason: `cannot be shown: ${err.message.replace(/\.$/, '')}` } as const;
    return { files: new Map([...files].map(([key, file]) => [key, file.kind === 'clip' ? absent : file])) };
  }
}

class StillTooCostlyError extends AppError {
  constructor(cause: unknown) {
    super('unavailable', 'Drawing the image took too long. Try again in a moment.', { cause });
  }
}

function requestFromThread(request: StillRequest, signal: AbortSignal): Promise<StillResponse> {
  return limit(async () => {
    const worker = idleWorkers.take() ?? startWorker();
    worker.ref();
    using timeLimit = limitProcessorTime(() => readThreadTime(worker), TIMEOUT_MS);
    try {
      const response = await sendRequest(worker, request, AbortSignal.any([signal, timeLimit.signal]));
      worker.unref();
      idleWorkers.add(worker);
      return response;
    } catch (err) {
      // Stopping the thread also stops a drawing in progress.
      void stopWorker(worker);
      throw timeLimit.signal.aborted && !signal.aborted ? new StillTooCostlyError(err) : err;
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
  if ('error' in response) throw new Error(`The image could not be drawn: ${response.error}`);
  return response;
}

/** Terminates the thread after it has ended its decoders, which would otherwise keep running. */
async function stopWorker(worker: Worker): Promise<void> {
  worker.postMessage({ kind: 'stop' } satisfies StillRequest);
  await once(worker, 'message', { signal: AbortSignal.timeout(STOP_TIMEOUT_MS) }).catch(() => undefined);
  await worker.terminate();
}

function startWorker(): Worker {
  // Sources run as .ts; the published package has .js.
  const file = new URL(`./worker${extname(import.meta.filename)}`, import.meta.url);
  const worker = new Worker(file, { env: { DISABLE_SYSTEM_FONTS_LOAD: '1' } });
  // Both events can also occur while no request waits for the thread.
  const removeIdle = (): void => idleWorkers.remove(worker);
  worker.on('error', removeIdle).on('exit', removeIdle);
  return worker;
}
