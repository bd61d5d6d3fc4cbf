// Draws stills off the main thread: a few worker threads, started at first use and ended when nobody needs them.
import { once } from 'node:events';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { type CodecSettings, findBackend, refOf } from '../../codecs/backend.ts';
import { AppError } from '../../lib/errors.ts';
import { createGate } from '../../lib/gate.ts';
import type { DrawnStills, SceneStills, Still } from './still.ts';
import type { SceneRequest, StillAnswer, StillRequest } from './worker.ts';

const gate = createGate({ concurrency: 2, maxWaiting: 500 });
const TIMEOUT_MS = 30_000;
const STOP_MS = 500;
// Whoever tries out a scene looks at a still, thinks, and asks for the next. A thread takes about 60 MB and its pictures,
// which a service at rest has better uses for.
const IDLE_MS = 30_000;

const idle = new Map<Worker, NodeJS.Timeout>();

/** The still as PNG. The same still gives the same bytes. */
export async function drawStill(still: Still, signal: AbortSignal): Promise<Buffer> {
  const answer = await askThread(still, signal);
  if (!('png' in answer)) throw new Error('The thread answered with something else than a still.');
  return Buffer.from(answer.png.buffer, answer.png.byteOffset, answer.png.byteLength);
}

/** Frames of a scene graph, drawn one after another by one thread. */
export async function drawSceneStills(scene: SceneStills, signal: AbortSignal): Promise<DrawnStills> {
  const { codecs = {}, ...rest } = scene;
  const decoding = await chooseDecoder(scene.files, codecs, signal);
  const answer = await askThread({ kind: 'scene', ...rest, ...decoding }, signal).catch((err: unknown) => {
    if (signal.aborted || !(err instanceof Error && isTimeout(err.cause))) throw err;
    throw new AppError(
      'invalid_scene_graph',
      `These frames take over ${TIMEOUT_MS / 1000} s to draw: ask for fewer at once or a smaller scale.`,
      { cause: err },
    );
  });
  if (!('drawn' in answer)) throw new Error('The thread answered with something else than frames.');
  return answer.drawn;
}

/** The back end for the clips among the files, where there are any. Without one, they are files that cannot be shown. */
async function chooseDecoder(
  files: SceneStills['files'],
  codecs: CodecSettings,
  signal: AbortSignal,
): Promise<Pick<SceneRequest, 'files' | 'backend'>> {
  if ([...files.values()].every(({ kind }) => kind !== 'clip')) return { files };
  try {
    return { files, backend: refOf(await findBackend(codecs, signal)) };
  } catch (err) {
    if (!(err instanceof AppError)) throw err;
    const absent = { kind: 'absent', reason: `cannot be shown: ${err.message.replace(/\.$/, '')}` } as const;
    return { files: new Map([...files].map(([key, file]) => [key, file.kind === 'clip' ? absent : file])) };
  }
}

// `once` wraps the reason of the signal.
const isTimeout = (cause: unknown): boolean => cause instanceof DOMException && cause.name === 'TimeoutError';

function askThread(request: StillRequest, signal: AbortSignal): Promise<StillAnswer> {
  return gate(async () => {
    const worker = takeWorker();
    try {
      const answer = await ask(worker, request, AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]));
      release(worker);
      return answer;
    } catch (err) {
      // Whatever it was doing, the thread is not asked again; ending it also stops a drawing that goes on.
      void stop(worker);
      throw err;
    }
  }, signal);
}

async function ask(worker: Worker, request: StillRequest, signal: AbortSignal): Promise<StillAnswer> {
  worker.postMessage(request);
  const [answer] = (await once(worker, 'message', { signal })) as [StillAnswer];
  if ('error' in answer) throw new Error(`The still could not be drawn: ${answer.error}`);
  return answer;
}

/** Lets the thread end its decoders, which would outlive it, before it is ended. */
async function stop(worker: Worker): Promise<void> {
  worker.postMessage({ kind: 'stop' } satisfies StillRequest);
  await once(worker, 'message', { signal: AbortSignal.timeout(STOP_MS) }).catch(() => undefined);
  await worker.terminate();
}

function takeWorker(): Worker {
  // The one that drew last still has the pictures that are likely to be asked for again.
  const waiting = [...idle].at(-1);
  if (waiting === undefined) return startWorker();
  const [worker, timer] = waiting;
  clearTimeout(timer);
  idle.delete(worker);
  worker.ref();
  return worker;
}

function startWorker(): Worker {
  // Sources run as .ts; the published package has .js.
  const file = new URL(`./worker${extname(import.meta.filename)}`, import.meta.url);
  const worker = new Worker(file, { env: { DISABLE_SYSTEM_FONTS_LOAD: '1' } });
  // Both events may also befall a thread that nobody waits for.
  const forget = (): void => {
    clearTimeout(idle.get(worker));
    idle.delete(worker);
  };
  worker.on('error', forget).on('exit', forget);
  return worker;
}

function release(worker: Worker): void {
  worker.unref();
  idle.set(worker, setTimeout(() => void worker.terminate(), IDLE_MS).unref());
}
