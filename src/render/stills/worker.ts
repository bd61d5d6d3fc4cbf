// The thread that draws stills: one message in; one PNG, or the frames of a scene graph, out.
import { parentPort } from 'node:worker_threads';
import { restoreBackend } from '../../codecs/backend.ts';
import type { BackendRef } from '../../codecs/job.ts';
import { encodeFrame, encodeTransparentPng, type Surface } from '../paint/canvas.ts';
import { createPainter } from '../paint/frame.ts';
import { loadResources } from '../paint/resources.ts';
import { ClipFrames } from '../video/clip-frames.ts';
import { drawCard } from './card.ts';
import { drawSandboxImage, drawSandboxWash } from './sandbox.ts';
import type { DrawnStills, SceneStills, Still } from './still.ts';

export type StillRequest = Still | SceneRequest | { readonly kind: 'stop' };

export interface SceneRequest extends Omit<SceneStills, 'codecs'> {
  readonly kind: 'scene';
  /** The back end for clips, if there are any. */
  readonly backend?: BackendRef;
}

export type StillAnswer =
  | { readonly png: Uint8Array<ArrayBuffer> }
  | { readonly drawn: DrawnStills }
  | { readonly error: string };

const stopping = new AbortController();

parentPort?.on('message', async (request: StillRequest) => {
  // Terminating the thread would leave its decoders running.
  if (request.kind === 'stop') return stopping.abort();
  const answer = await answerTo(request);
  parentPort?.postMessage(answer, 'png' in answer ? [answer.png.buffer] : []);
});

async function answerTo(request: Exclude<StillRequest, { kind: 'stop' }>): Promise<StillAnswer> {
  try {
    if (request.kind === 'scene') return { drawn: await drawScene(request) };
    return { png: new Uint8Array(await encodeTransparentPng(await draw(request))) };
  } catch (err) {
    return { error: String(err) };
  }
}

async function draw(still: Still): Promise<Surface> {
  if (still.kind === 'card') return drawCard(still.card);
  if (still.kind === 'sandbox-image') return drawSandboxImage(still.image);
  return drawSandboxWash(still.prompt, still.seed, still.width, still.height);
}

async function drawScene({ lists, files, scale, format, backend }: SceneRequest): Promise<DrawnStills> {
  const [first] = lists;
  if (first === undefined) return { frames: [], warnings: [] };
  const resources = await loadResources(files);
  const painter = createPainter(first.width, first.height, scale, resources);
  const { signal } = stopping;
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
