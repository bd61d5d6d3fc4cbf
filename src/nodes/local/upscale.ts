// Declares the node that enlarges images with a model, in tiles that overlap, so that memory does not grow with the image.
import { yieldTurn } from '../../lib/yield-turn.ts';
import { getConvertedModel } from '../../local/models.ts';
import type { Pixels, Preparation } from '../../local/tasks.ts';
import { encodePixels, readAlpha, readPixels } from '../../media/images.ts';
import { choice, defineNode, image, type NodeContext, NodeError, number } from '../define.ts';
import { readRaster, storeImage } from '../image.ts';
import { createLocalNode, runLocalTask } from './local-node.ts';

/** The pixels of a result of 8192 × 8192. They take 201 MB. */
const MAX_RESULT_PIXELS = 67_108_864;
const MAX_RESULT_SIDE = 16_384;

export const upscale = defineNode({
  ...createLocalNode('upscale', 'MIT', 'https://github.com/thekevinscott/UpscalerJS', 'upscale'),
  nodeType: 'edit:upscale_local',
  label: 'Upscale',
  description:
    'Enlarges an image 2 or 4 times with sharper edges than plain scaling. “thick” looks more natural, but takes ten times as long. Removes no noise and invents no detail.',
  inputs: { image: image('Image', { required: true }) },
  config: {
    scale: number('Scale', {
      default: 2,
      min: 2,
      max: 4,
      step: 2,
      integer: true,
      description: '2 or 4 times as large.',
    }),
    model: choice('Model', ['slim', 'thick']),
  },
  outputs: { image: image('Image') },
  run: async ({ image: input, scale: factor, model }, ctx) => {
    const bytes = await readRaster(input, ctx);
    const maxPixels = MAX_RESULT_PIXELS / factor ** 2;
    const { info, ...pixels } = await readPixels(bytes, { channels: 3, maxPixels }, ctx.signal);
    requireResultSize(pixels, factor);
    const alpha = info.hasAlpha ? await readAlpha(bytes, ctx.signal) : undefined;
    const modelFactor = model === 'thick' ? 4 : factor;
    const path = await getConvertedModel(
      model === 'thick' ? 'esrgan-thick-4x' : modelFactor === 2 ? 'esrgan-slim-2x' : 'esrgan-slim-4x',
      ctx.settings.DATA_DIR,
    );
    const enlarged = await upscaleTiles(pixels, { model: path, modelFactor, factor, ...UNIT_RANGE }, ctx);
    return {
      image: await storeImage(await encodePixels(enlarged, { info, alpha }, ctx.signal), 'upscaled', ctx),
    };
  },
});

/** Throws NodeError if the result would take too much memory. */
export function requireResultSize({ width, height }: Pick<Pixels, 'width' | 'height'>, factor: number): void {
  const pixels = width * height * factor ** 2;
  if (Math.max(width, height) * factor <= MAX_RESULT_SIDE && pixels <= MAX_RESULT_PIXELS) return;
  throw new NodeError(
    'image_too_large',
    `The result would have ${width * factor} × ${height * factor} pixels. The limits are ${MAX_RESULT_SIDE} pixels per side and 67 megapixels.`,
  );
}

const UNIT_RANGE: Preparation = { mean: [0, 0, 0], std: [1, 1, 1] };

interface UpscaleModel extends Preparation {
  /** The path of the file. */
  readonly model: string;
  readonly modelFactor: number;
  /** At most `modelFactor`. */
  readonly factor: number;
  /** Whether the model gets the image as a whole. Default: in tiles. */
  readonly isWhole?: boolean;
}

const TILE = 192;
/** What the result of a pixel depends on around it, for the smaller model. */
const OVERLAP = 12;

/** Enlarges the pixels tile by tile, and reports progress. */
export async function upscaleTiles(pixels: Pixels, model: UpscaleModel, ctx: NodeContext): Promise<Pixels> {
  const { factor, isWhole = false, ...task } = model;
  const [width, height] = [pixels.width * factor, pixels.height * factor];
  const bytes = Buffer.allocUnsafe(3 * width * height);
  const rows = listTiles(pixels.height, isWhole);
  const columns = listTiles(pixels.width, isWhole);
  let done = 0;
  for (const row of rows)
    for (const column of columns) {
      await yieldTurn();
      const tile = cutTile(pixels, column, row);
      const enlarged = await runLocalTask('upscale', { ...task, factor, tile }, ctx);
      const [left, top] = [(column.start - column.from) * factor, (row.start - row.from) * factor];
      const length = 3 * column.length * factor;
      for (let y = 0; y < row.length * factor; y++) {
        const from = 3 * ((top + y) * enlarged.width + left);
        const to = 3 * ((row.start * factor + y) * width + column.start * factor);
        bytes.set(enlarged.bytes.subarray(from, from + length), to);
      }
      ctx.progress(++done / (rows.length * columns.length));
    }
  return { width, height, bytes };
}

interface Span {
  /** The part of the result: tiles do not overlap there. */
  readonly start: number;
  readonly length: number;
  /** The part that the model sees. */
  readonly from: number;
  readonly to: number;
}

/** Divides a side into equal parts. */
function listTiles(side: number, isWhole: boolean): readonly Span[] {
  const count = isWhole ? 1 : Math.ceil(side / TILE);
  return Array.from({ length: count }, (_, index) => {
    const start = Math.round((index * side) / count);
    const end = Math.round(((index + 1) * side) / count);
    return {
      start,
      length: end - start,
      from: Math.max(0, start - OVERLAP),
      to: Math.min(side, end + OVERLAP),
    };
  });
}

function cutTile({ width, bytes }: Pixels, columns: Span, rows: Span): Pixels {
  const [tileWidth, tileHeight] = [columns.to - columns.from, rows.to - rows.from];
  const tile = new Uint8Array(3 * tileWidth * tileHeight);
  for (let y = 0; y < tileHeight; y++) {
    const from = 3 * ((rows.from + y) * width + columns.from);
    tile.set(bytes.subarray(from, from + 3 * tileWidth), 3 * y * tileWidth);
  }
  return { width: tileWidth, height: tileHeight, bytes: tile };
}
