// Declares the node that traces an image as an SVG.
import { AppError } from '../../lib/errors.ts';
import { readPixels } from '../../media/images.ts';
import { defineNode, image, type NodeContext, NodeError } from '../define.ts';
import { readRaster } from '../image.ts';
import { createLocalNode, MAX_LOCAL_PIXELS, runLocalTask } from './local-node.ts';

/** How finely an image is traced. Noisy photos have so many shapes that a fine trace takes a minute. */
interface Detail {
  readonly maxSide: number;
  readonly colorBits: number;
  readonly minPixels: number;
}
const FIRST: Detail = { maxSide: 640, colorBits: 6, minPixels: 4 };
/** For images whose first trace is small. */
const FINE: Detail = { maxSide: 1600, colorBits: 6, minPixels: 4 };
/** For images whose first trace is too large. */
const COARSE: readonly Detail[] = [
  { maxSide: 640, colorBits: 4, minPixels: 10 },
  { maxSide: 400, colorBits: 3, minPixels: 16 },
];
const SMALL_BYTES = 100_000;
const MAX_BYTES = 900_000;
/** Curves of small images are rounder if the images are enlarged. */
const MAX_ENLARGEMENT = 2;

export const vectorize = defineNode({
  ...createLocalNode('vectorize', 'MIT', 'https://github.com/neplextech/vectorizer', 'edit'),
  nodeType: 'utility:vectorize',
  label: 'Vectorize',
  description:
    'Traces an image as an SVG of flat shapes. Good for logos, icons and posters; photos become posters of many shapes.',
  inputs: { image: image('Image', { required: true }) },
  config: {},
  outputs: { image: image('SVG') },
  run: async ({ image: input }, ctx) => {
    const source = await readRaster(input, ctx);
    const first = await trace(source, FIRST, ctx);
    const fine =
      first !== undefined && first.svg.length < SMALL_BYTES ? await trace(source, FINE, ctx) : undefined;
    let traced = fine ?? first;
    for (const detail of COARSE) traced ??= await trace(source, detail, ctx);
    if (traced === undefined)
      throw new NodeError(
        'svg_too_complex',
        'The image has too many shapes for an SVG, even if it is reduced.',
      );
    const { svg, width, height } = traced;
    return {
      image: await ctx.media.put(svg, {
        contentType: 'image/svg+xml',
        name: 'vectorized.svg',
        width,
        height,
      }),
    };
  },
});

interface Traced {
  readonly svg: Buffer;
  readonly width: number;
  readonly height: number;
}

/** Returns the sanitized SVG, or undefined if it has too many shapes. */
async function trace(
  source: Buffer,
  { maxSide, ...detail }: Detail,
  ctx: NodeContext,
): Promise<Traced | undefined> {
  const options = {
    channels: 4,
    maxPixels: MAX_LOCAL_PIXELS,
    maxSide,
    maxEnlargement: MAX_ENLARGEMENT,
  } as const;
  const { width, height, bytes, info } = await readPixels(source, options, ctx.signal);
  // Enlarged noise is as large as the enlargement.
  const minPixels = Math.ceil(detail.minPixels * Math.max(1, width / info.width));
  const image = { width, height, bytes };
  const { svg } = await runLocalTask('vectorize', { ...detail, image, minPixels }, ctx);
  if (svg.length > MAX_BYTES) return undefined;
  const { sanitizeSvgInPool } = await import('../../media/svg/thread.ts');
  try {
    return { svg: (await sanitizeSvgInPool(Buffer.from(svg), ctx.signal)).bytes, width, height };
  } catch (err) {
    if (err instanceof AppError && err.code === 'svg_too_complex') return undefined;
    throw err;
  }
}
