// The thread that draws stills: one message in, one PNG out.
import { parentPort } from 'node:worker_threads';
import { drawCard } from './card.ts';
import { encodePng, type Surface } from './paint.ts';
import { drawSandboxPicture, drawSandboxWash } from './sandbox.ts';
import type { Still } from './still.ts';

export type StillAnswer = { readonly png: Uint8Array<ArrayBuffer> } | { readonly error: string };

parentPort?.on('message', async (still: Still) => {
  const answer = await answerTo(still);
  parentPort?.postMessage(answer, 'png' in answer ? [answer.png.buffer] : []);
});

async function answerTo(still: Still): Promise<StillAnswer> {
  try {
    return { png: new Uint8Array(await encodePng(await draw(still))) };
  } catch (err) {
    return { error: String(err) };
  }
}

async function draw(still: Still): Promise<Surface> {
  if (still.kind === 'card') return drawCard(still.card);
  if (still.kind === 'sandbox-picture') return drawSandboxPicture(still.picture);
  return drawSandboxWash(still.prompt, still.seed, still.width, still.height);
}
