// The thread that draws stills: one message in, one PNG out, or the frames of a scene graph.
import { parentPort } from 'node:worker_threads';
import { drawCard } from './card.ts';
import { encodePng, encodeStill, type Surface } from './paint.ts';
import { createPainter } from './paint-frame.ts';
import { loadResources } from './resources.ts';
import { drawSandboxPicture, drawSandboxWash } from './sandbox.ts';
import type { DrawnStills, SceneStills, Still } from './still.ts';

export type StillRequest = Still | { readonly kind: 'scene'; readonly scene: SceneStills };
export type StillAnswer =
  | { readonly png: Uint8Array<ArrayBuffer> }
  | { readonly drawn: DrawnStills }
  | { readonly error: string };

parentPort?.on('message', async (request: StillRequest) => {
  const answer = await answerTo(request);
  parentPort?.postMessage(answer, 'png' in answer ? [answer.png.buffer] : []);
});

async function answerTo(request: StillRequest): Promise<StillAnswer> {
  try {
    if (request.kind === 'scene') return { drawn: await drawScene(request.scene) };
    return { png: new Uint8Array(await encodePng(await draw(request))) };
  } catch (err) {
    return { error: String(err) };
  }
}

async function draw(still: Still): Promise<Surface> {
  if (still.kind === 'card') return drawCard(still.card);
  if (still.kind === 'sandbox-picture') return drawSandboxPicture(still.picture);
  return drawSandboxWash(still.prompt, still.seed, still.width, still.height);
}

async function drawScene({ lists, files, scale, format }: SceneStills): Promise<DrawnStills> {
  const [first] = lists;
  if (first === undefined) return { frames: [], warnings: [] };
  const painter = createPainter(first.width, first.height, scale, await loadResources(files));
  const { width, height } = painter.surface.canvas;
  const frames: DrawnStills['frames'][number][] = [];
  const warnings = new Set<string>();
  for (const list of lists) {
    for (const warning of painter.paint(list).warnings) warnings.add(warning);
    const bytes = new Uint8Array(await encodeStill(painter.surface, format));
    frames.push({ frame: list.frame, bytes, width, height });
  }
  return { frames, warnings: [...warnings] };
}
