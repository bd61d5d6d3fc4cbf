// Declares image nodes. Each reads its input, transforms it with media/images.ts, and stores the result.
import type { MediaRef, Value } from '../graph/types.ts';
import { createLimiter } from '../lib/limiter.ts';
import {
  adjustImage,
  BLENDS,
  blurImage,
  compositeImages,
  convertImage,
  countFrames,
  createImageGrid,
  cropImage,
  FITS,
  FORMATS,
  GRAVITIES,
  type ImageFile,
  inspectImage,
  resizeImage,
  rotateImage,
} from '../media/images.ts';
import {
  choice,
  defineNode,
  image,
  json,
  list,
  type NodeContext,
  type NodeDeclaration,
  type NodeDefinition,
  NodeError,
  number,
  type Specs,
  text,
  type ValuesOf,
} from './define.ts';
import { requireColor } from './value-checks.ts';

const MAX_SIDE = 8192;
const side = (label: string) => number(label, { min: 1, max: MAX_SIDE, integer: true });

/** Higher than the number of concurrent decodes, so that reading and storing continue meanwhile. */
const limiter = createLimiter({ concurrency: 12 });
const IMAGE_NODE = { category: 'utility', cache: true, limiter } as const;
const IMAGE_INPUT = { image: image('Image', { required: true }) };
const IMAGE_OUTPUT = { image: image('Image') };

interface ImageChange<C extends Specs>
  extends Pick<NodeDeclaration<Specs, C>, 'nodeType' | 'label' | 'description'> {
  readonly config: C;
  readonly change: (bytes: Buffer, options: ValuesOf<C>, signal: AbortSignal) => Promise<ImageFile>;
  /** The file name of the result, without the extension. */
  readonly name: string;
}

/** Defines a node that transforms one image. */
function defineImageChange<C extends Specs>({
  change,
  name,
  ...declaration
}: ImageChange<C>): NodeDefinition {
  return defineNode({
    ...declaration,
    ...IMAGE_NODE,
    inputs: IMAGE_INPUT,
    outputs: IMAGE_OUTPUT,
    run: async ({ image: input, ...options }, ctx) => {
      const result = await change(await readRaster(input, ctx), options as ValuesOf<C>, ctx.signal);
      return { image: await storeImage(result, name, ctx) };
    },
  });
}

export const imageResize = defineImageChange({
  nodeType: 'utility:image_resize',
  label: 'Resize image',
  description: 'Resizes an image. If you set only the width or the height, the aspect ratio is kept.',
  config: {
    width: side('Width'),
    height: side('Height'),
    fit: choice('Fit', FITS),
    background: text('Background', {
      default: '#00000000',
      description: 'Fills the area that “contain” leaves empty.',
    }),
  },
  change: (bytes, { background, ...box }, signal) =>
    resizeImage(bytes, { ...box, background: requireColor(background) }, signal),
  name: 'resized',
});

export const imageCrop = defineImageChange({
  nodeType: 'utility:image_crop',
  label: 'Crop image',
  description: 'Crops an image to an area.',
  config: {
    x: number('Left', { default: 0, integer: true }),
    y: number('Top', { default: 0, integer: true }),
    width: number('Width', { min: 1, integer: true, description: 'Default: to the right edge.' }),
    height: number('Height', { min: 1, integer: true, description: 'Default: to the bottom edge.' }),
  },
  change: cropImage,
  name: 'cropped',
});

export const imageRotate = defineImageChange({
  nodeType: 'utility:image_rotate',
  label: 'Rotate image',
  description: 'Mirrors an image, then rotates it clockwise. Fills the empty corners with the background.',
  config: {
    angle: number('Angle in degrees', { default: 90, min: -360, max: 360 }),
    mirror: choice('Mirror', ['none', 'horizontal', 'vertical']),
    background: text('Background', { default: '#00000000' }),
  },
  change: (bytes, { background, ...options }, signal) =>
    rotateImage(bytes, { ...options, background: requireColor(background) }, signal),
  name: 'rotated',
});

export const imageAdjust = defineImageChange({
  nodeType: 'utility:image_adjust',
  label: 'Adjust image',
  description: 'Adjusts brightness, contrast, saturation and hue. 1 means no change; for hue, 0 does.',
  config: {
    brightness: number('Brightness', { default: 1, min: 0, max: 4 }),
    contrast: number('Contrast', { default: 1, min: 0, max: 4 }),
    saturation: number('Saturation', { default: 1, min: 0, max: 4 }),
    hue: number('Hue in degrees', { default: 0, min: -360, max: 360 }),
    effect: choice('Effect', ['none', 'grayscale', 'invert']),
  },
  change: adjustImage,
  name: 'adjusted',
});

export const imageBlur = defineImageChange({
  nodeType: 'utility:image_blur',
  label: 'Blur image',
  description: 'Blurs an image. A larger radius hides more detail.',
  config: { radius: number('Radius in pixels', { default: 8, min: 0.3, max: 200 }) },
  change: (bytes, { radius }, signal) => blurImage(bytes, radius, signal),
  name: 'blurred',
});

export const imageComposite = defineNode({
  nodeType: 'utility:image_composite',
  label: 'Overlay image',
  description: 'Places an image on top of another. The result has the size of the lower image.',
  ...IMAGE_NODE,
  inputs: { ...IMAGE_INPUT, overlay: image('Overlay', { required: true }) },
  config: {
    gravity: choice('Position', GRAVITIES),
    x: number('Left', {
      integer: true,
      description: 'Pixels from the left edge. Overrides the position.',
    }),
    y: number('Top', {
      integer: true,
      description: 'Pixels from the top edge. Overrides the position.',
    }),
    width: side('Overlay width'),
    height: side('Overlay height'),
    opacity: number('Opacity', { default: 1, min: 0, max: 1 }),
    blend: choice('Blend mode', BLENDS),
  },
  outputs: IMAGE_OUTPUT,
  run: async ({ image: base, overlay, ...options }, ctx) => {
    const [below, above] = await Promise.all([readRaster(base, ctx), readRaster(overlay, ctx)]);
    return {
      image: await storeImage(await compositeImages(below, above, options, ctx.signal), 'composite', ctx),
    };
  },
});

const MAX_GRID_IMAGES = 100;

export const imageGrid = defineNode({
  nodeType: 'utility:image_grid',
  label: 'Image grid',
  description: 'Arranges a list of images in a grid of equal cells.',
  ...IMAGE_NODE,
  inputs: { list: list('Images', { required: true }) },
  config: {
    columns: number('Columns', { default: 3, min: 1, max: 20, integer: true }),
    cellWidth: number('Cell width', { default: 512, min: 1, max: 4096, integer: true }),
    cellHeight: number('Cell height', { default: 512, min: 1, max: 4096, integer: true }),
    gap: number('Gap', { default: 16, min: 0, max: 500, integer: true }),
    background: text('Background', { default: '#ffffff' }),
  },
  outputs: IMAGE_OUTPUT,
  run: async ({ list: items, columns, cellWidth, cellHeight, gap, background }, ctx) => {
    const options = {
      columns,
      cell: { width: cellWidth, height: cellHeight },
      gap,
      background: requireColor(background),
    };
    const reads = readImages(items).map(media => () => readRaster(media, ctx));
    return { image: await storeImage(await createImageGrid(reads, options, ctx.signal), 'grid', ctx) };
  },
});

function readImages(items: readonly Value[]): readonly MediaRef[] {
  const media = items.flatMap(item => (item.type === 'IMAGE' ? [item.media] : []));
  if (media.length === items.length && media.length >= 1 && media.length <= MAX_GRID_IMAGES) return media;
  throw new NodeError('invalid_list', `A grid requires a list of 1 to ${MAX_GRID_IMAGES} images.`);
}

export const imageConvert = defineImageChange({
  nodeType: 'utility:image_convert',
  label: 'Convert image',
  description: 'Converts an image to another format.',
  config: {
    format: choice('Format', FORMATS),
    quality: number('Quality', {
      default: 85,
      min: 1,
      max: 100,
      integer: true,
      description: 'Ignored for PNG.',
    }),
    background: text('Background', {
      default: '#ffffff',
      description: 'Replaces transparency in formats without it.',
    }),
  },
  change: (bytes, { background, ...options }, signal) =>
    convertImage(bytes, { ...options, background: requireColor(background) }, signal),
  name: 'converted',
});

export const imageInfo = defineNode({
  nodeType: 'utility:image_info',
  label: 'Image info',
  description: 'Outputs the width, height and other properties of an image.',
  ...IMAGE_NODE,
  inputs: IMAGE_INPUT,
  config: {},
  outputs: { width: number('Width'), height: number('Height'), json: json('Info') },
  run: async ({ image: input }, ctx) => {
    const info = await inspectImage(await readRaster(input, ctx), ctx.signal);
    // A vector image keeps its declared size, because it is rasterized at another size.
    const [width, height] = [input.width ?? info.width, input.height ?? info.height];
    const { contentType, bytes } = input;
    return { width, height, json: { contentType, width, height, hasAlpha: info.hasAlpha, bytes } };
  },
});

/** The types of images that may be animations. */
const ANIMATED_TYPES: ReadonlySet<string> = new Set(['image/gif', 'image/webp', 'image/avif']);

/** Reads an image. An SVG is rasterized to PNG. Of an animation, nodes use only the first frame, so that it is a warning. */
export async function readRaster(ref: MediaRef, ctx: NodeContext): Promise<Buffer> {
  const { bytes, contentType } = await ctx.media.readRaster(ref);
  if (ANIMATED_TYPES.has(contentType)) {
    const count = await countFrames(bytes, ctx.signal);
    if (count > 1)
      ctx.task.warn(`Only the first of ${count} frames is used, because this node does not edit animations.`);
  }
  return bytes;
}

/** Stores a result under a name that describes the operation. */
export function storeImage(
  { bytes, contentType }: ImageFile,
  name: string,
  ctx: NodeContext,
): Promise<MediaRef> {
  const extension = contentType === 'image/jpeg' ? 'jpg' : contentType.slice('image/'.length);
  return ctx.media.put(bytes, { contentType, name: `${name}.${extension}` });
}
