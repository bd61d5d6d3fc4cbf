// Draws in a worker thread: answers each message with a PNG or with the frames of a scene graph.
import { parentPort } from 'node:worker_threads';
import { restoreBackend } from '../../codecs/backend.ts';
import type { BackendRef } from '../../codecs/command.ts';
import { encodeFrame, encodeTransparentPng, type Surface } from '../paint/canvas.ts';
import { createPainter } from '../paint/frame.ts';
import { loadResources } from '../paint/resources.ts';
import { ClipFrames } from '../video/clip-frames.ts';
import { drawCard } from './card.ts';
import { drawSandboxImage, drawSandboxWash } from './sandbox-image.ts';
import type { DrawnStills, ImageDrawing, SceneStills } from './still.ts';

export type StillRequest = ImageDrawing | SceneRequest | { readonly kind: 'stop' };

export interface SceneRequest extends Omit<SceneStills, 'codecs'> {
  readonly kind: 'scene';
  /** The back end that decodes clips. */
  readonly backend?: BackendRef;
}

export type StillResponse =
  | { readonly png: Uint8Array<ArrayBuffer> }
  | { readonly drawn: DrawnStills }
  | { readonly error: string };

const stopController = new AbortController();

parentPort?.on('message', async (request: StillRequest) => {
  // Terminating the thread would leave its decoders running.
  if (request.kind === 'stop') return stopController.abort();
  const response = await handleRequest(request);
  parentPort?.postMessage(response, 'png' in response ? [response.png.buffer] : []);
});

async function handleRequest(request: Exclude<StillRequest, { kind: 'stop' }>): Promise<StillResponse> {
  try {
    if (request.kind === 'scene') return { drawn: await drawScene(request) };
    return { png: new Uint8Array(await encodeTransparentPng(await drawImage(request))) };
  } catch (err) {
    return { error: String(err) };
  }
}

async function drawImage(request: ImageDrawing): Promise<Surface> {
  if (request.kind === 'card') return drawCard(request.card);
  if (request.kind === 'sandbox-image') return drawSandboxImage(request.image);
  return drawSandboxWash(request.prompt, request.seed, request.width, request.height);
}

async function drawScene({ lists, files, scale, format, backend }: SceneRequest): Promise<DrawnStills> {
  const [firstList] = lists;
  if (firstList === undefined) return { frames: [], warnings: [] };
  const resources = await loadResources(files);
  const painter = createPainter(firstList.width, firstList.height, scale, resources);
  const { signal } = stopController;
  const clips = backend && new ClipFrames(resources, { backend: restoreBackend(backend), scale, signal });
  const { width, height } = painter.surface.canvas;
  const frames: DrawnStills['frames'][number][] = [];
  const warnings = new Set<string>();
  try {
    for (const list of lists) {
      await clips?.prepare(list);
      for (const warning of painter.paint(list).warnings) warnings.add(warning);
      const bytes = new Uint8Array(await encodeFrame(painter.surface, format));
      frames.push({ frame: list.frame, bytes, width, height });
    }
  } finally {
    await clips?.end();
  }
  return { frames, warnings: [...warnings] };
}
