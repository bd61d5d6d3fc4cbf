// Declares sandbox models for images: free, deterministic, labeled results, for testing a graph without API keys.
import { compositeImages, inspectImage, resizeImage } from '../media/images.ts';
import { SANDBOX_STYLES } from '../render/stills/still.ts';
import { drawImage } from '../render/stills/stills.ts';
import { choice, defineNode, image, number, text } from './define.ts';
import { readRaster, storeImage } from './image.ts';

const [MIN_SIDE, MAX_SIDE] = [64, 4096];
const side = (label: string) => number(label, { default: 1024, min: MIN_SIDE, max: MAX_SIDE, integer: true });

export const generateSandbox = defineNode({
  nodeType: 'generate:sandbox',
  label: 'Sandbox image',
  description: 'Simulates an image model: draws an abstract image from the prompt.',
  category: 'model',
  requires: 'sandbox',
  cache: true,
  version: 2,
  inputs: { prompt: text('Prompt', { required: true }) },
  config: {
    width: side('Width'),
    height: side('Height'),
    seed: number('Seed', { default: 0, integer: true }),
    style: choice('Style', SANDBOX_STYLES),
  },
  outputs: { image: image('Image') },
  run: async ({ prompt, width, height, seed, style }, ctx) => {
    const picture = { prompt, seed, style, width, height };
    const bytes = await drawImage({ kind: 'sandbox-image', image: picture }, ctx.signal);
    return { image: await storeImage({ bytes, contentType: 'image/png' }, 'sandbox', ctx) };
  },
});

export const editSandbox = defineNode({
  nodeType: 'edit:sandbox',
  label: 'Sandbox edit',
  description: 'Simulates an image editing model: tints the image with colors from the prompt and labels it.',
  category: 'model',
  requires: 'sandbox',
  cache: true,
  version: 2,
  inputs: { image: image('Image', { required: true }), prompt: text('Prompt', { required: true }) },
  config: { seed: number('Seed', { default: 0, integer: true }) },
  outputs: { image: image('Image') },
  run: async ({ image: input, prompt, seed }, ctx) => {
    const base = await fitToModel(await readRaster(input, ctx), ctx.signal);
    const wash = await drawImage(
      { kind: 'sandbox-wash', prompt, seed, width: base.width, height: base.height },
      ctx.signal,
    );
    const options = { gravity: 'center', opacity: 1, blend: 'over' } as const;
    return {
      image: await storeImage(
        await compositeImages(base.bytes, wash, options, ctx.signal),
        'sandbox-edit',
        ctx,
      ),
    };
  },
});

/** Scales an image down to the maximum size, as image models do. */
async function fitToModel(bytes: Buffer, signal: AbortSignal) {
  const { width, height } = await inspectImage(bytes, signal);
  if (Math.max(width, height) <= MAX_SIDE) return { bytes, width, height };
  const options = { width: MAX_SIDE, height: MAX_SIDE, fit: 'inside', background: '#00000000' } as const;
  const scaled = await resizeImage(bytes, options, signal);
  const info = await inspectImage(scaled.bytes, signal);
  return { bytes: scaled.bytes, width: info.width, height: info.height };
}
