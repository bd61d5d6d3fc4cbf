// Reads and transforms images as bytes.
import type { OverlayOptions, Sharp } from 'sharp';
import { AppError } from '../lib/errors.ts';
import { yieldTurn } from '../lib/yield-turn.ts';
import { readLaterFrames } from './animation.ts';
import { isCompleteImage } from './image-completeness.ts';
import {
  clipRange,
  computeResizedSize,
  type Fit,
  getGravityShare,
  MAX_PIXELS,
  requireSizeWithinLimits,
  roundSize,
  type Size,
} from './image-geometry.ts';
import {
  decodeFully,
  getDecodeDeadline,
  type ImageSource,
  loadSharp,
  type OpenImage,
  runImagesWork,
  runImageWork,
} from './image-work.ts';

export interface ImageFile {
  readonly bytes: Buffer;
  readonly contentType: string;
}

export interface ImageInfo {
  readonly contentType: string;
  /** Size in the displayed orientation. */
  readonly width: number;
  readonly height: number;
  readonly hasAlpha: boolean;
}

/**
 * Decodes the whole image, because its header may be false. To limit memory, calls a `source` function only when a slot is
 * free. Throws `unreadable_image`.
 */
export function inspectImage(source: ImageSource, signal: AbortSignal): Promise<ImageInfo> {
  const inspect = async (open: OpenImage, bytes: Uint8Array): Promise<ImageInfo> => {
    const deadlineMs = getDecodeDeadline();
    const image = open(bytes);
    const info = await readImageInfo(image);
    signal.throwIfAborted();
    await decodeFully(bytes, deadlineMs);
    if (!(await isCompleteImage(bytes, info.contentType)))
      throw new Error('The file ends inside its last frame.');
    const { pages = 1 } = await image.metadata();
    for await (const { bytes: part, ...range } of readLaterFrames(bytes, { ...info, pages })) {
      signal.throwIfAborted();
      await decodeFully(part, deadlineMs, range);
    }
    return info;
  };
  return runImageWork(source, signal, inspect, { isCheck: true });
}

/** Returns the number of frames from the header. Throws `unreadable_image`. */
export function countFrames(bytes: Uint8Array, signal: AbortSignal): Promise<number> {
  return runImageWork(bytes, signal, async open => (await open(bytes).metadata()).pages ?? 1, {
    isCheck: true,
  });
}

/** Returns the type of an image from its header, without checking that it decodes. Throws `unreadable_image`. */
export function readImageType(bytes: Uint8Array, signal: AbortSignal): Promise<string> {
  return runImageWork(bytes, signal, async open => (await readImageInfo(open(bytes))).contentType, {
    isCheck: true,
  });
}

export const FITS = ['cover', 'contain', 'fill', 'inside', 'outside'] as const satisfies readonly Fit[];

export interface ResizeOptions {
  readonly width?: number | undefined;
  readonly height?: number | undefined;
  readonly fit: Fit;
  /** Fills the area that `contain` leaves free. */
  readonly background: string;
}

/** Scales to the size. A missing side follows from the aspect ratio. */
export function resizeImage(
  bytes: Uint8Array,
  options: ResizeOptions,
  signal: AbortSignal,
): Promise<ImageFile> {
  return transformImage(bytes, signal, (image, info) => {
    requireSizeWithinLimits(computeResizedSize(info, options));
    const { width, height, fit, background } = options;
    const sides = {
      ...(width === undefined ? {} : { width: Math.max(1, Math.round(width)) }),
      ...(height === undefined ? {} : { height: Math.max(1, Math.round(height)) }),
    };
    return image.resize({ ...sides, fit, background });
  });
}

export interface Area {
  readonly x: number;
  readonly y: number;
  /** Default: up to the edge. */
  readonly width?: number | undefined;
  readonly height?: number | undefined;
}

/** Crops to the part of the area that is inside the image. Throws `invalid_request` if there is none. */
export function cropImage(bytes: Uint8Array, area: Area, signal: AbortSignal): Promise<ImageFile> {
  return transformImage(bytes, signal, (image, info) => {
    const columns = clipRange(area.x, area.width ?? info.width, info.width);
    const rows = clipRange(area.y, area.height ?? info.height, info.height);
    if (columns.length === 0 || rows.length === 0) {
      throw new AppError(
        'invalid_request',
        `The area is outside the image of ${info.width} × ${info.height} pixels.`,
      );
    }
    return image.extract({
      left: columns.start,
      top: rows.start,
      width: columns.length,
      height: rows.length,
    });
  });
}

export interface RotateOptions {
  /** Clockwise, in degrees. */
  readonly angle: number;
  readonly mirror: 'none' | 'horizontal' | 'vertical';
  readonly background: string;
}

export function rotateImage(
  bytes: Uint8Array,
  { angle, mirror, background }: RotateOptions,
  signal: AbortSignal,
): Promise<ImageFile> {
  return transformImage(bytes, signal, (image, info) => {
    const radians = (angle * Math.PI) / 180;
    const [cos, sin] = [Math.abs(Math.cos(radians)), Math.abs(Math.sin(radians))];
    requireSizeWithinLimits({
      width: info.width * cos + info.height * sin,
      height: info.width * sin + info.height * cos,
    });
    const rotated = angle % 360 === 0 ? image : image.rotate(angle, { background });
    // Whatever the order of these calls, sharp mirrors before it rotates, which is what the options mean.
    if (mirror === 'horizontal') return rotated.flop();
    return mirror === 'vertical' ? rotated.flip() : rotated;
  });
}

export interface AdjustOptions {
  /** Factors: 1 changes nothing. */
  readonly brightness: number;
  readonly contrast: number;
  readonly saturation: number;
  /** Degrees on the color wheel. */
  readonly hue: number;
  readonly effect: 'none' | 'grayscale' | 'invert';
}

export function adjustImage(
  bytes: Uint8Array,
  options: AdjustOptions,
  signal: AbortSignal,
): Promise<ImageFile> {
  const { brightness, contrast, saturation, hue, effect } = options;
  return transformImage(bytes, signal, image => {
    const toned = image.modulate({ brightness, saturation, hue }).linear(contrast, 128 * (1 - contrast));
    if (effect === 'grayscale') return toned.grayscale();
    return effect === 'invert' ? toned.negate({ alpha: false }) : toned;
  });
}

/** Applies a Gaussian blur with this standard deviation in pixels, 0.3 to 200. */
export function blurImage(bytes: Uint8Array, sigma: number, signal: AbortSignal): Promise<ImageFile> {
  return transformImage(bytes, signal, image => image.blur(sigma));
}

export const FORMATS = ['png', 'jpeg', 'webp', 'avif'] as const;
export type Format = (typeof FORMATS)[number];

export interface ConvertOptions {
  readonly format: Format;
  /** 1 to 100. Ignored for PNG. */
  readonly quality: number;
  /** Background color of a format without transparency. */
  readonly background: string;
}

export function convertImage(
  bytes: Uint8Array,
  { format, quality, background }: ConvertOptions,
  signal: AbortSignal,
): Promise<ImageFile> {
  return runImageWork(bytes, signal, open => {
    const image = open(bytes);
    return encode(format === 'jpeg' ? image.flatten({ background }) : image, format, quality);
  });
}

export const BLENDS = [
  'over',
  'multiply',
  'screen',
  'overlay',
  'darken',
  'lighten',
  'hard-light',
  'soft-light',
  'difference',
] as const;
export type Blend = (typeof BLENDS)[number];

export const GRAVITIES = [
  'center',
  'north',
  'northeast',
  'east',
  'southeast',
  'south',
  'southwest',
  'west',
  'northwest',
] as const;
export type Gravity = (typeof GRAVITIES)[number];

export interface CompositeOptions {
  /** Pixels from the left and top edge, which may be negative. Default: by `gravity`. */
  readonly x?: number | undefined;
  readonly y?: number | undefined;
  readonly gravity: Gravity;
  /** Size of the overlay. Default: its own size. A single missing side follows from the aspect ratio. */
  readonly width?: number | undefined;
  readonly height?: number | undefined;
  /** 0 to 1. */
  readonly opacity: number;
  readonly blend: Blend;
}

/** Draws an image over another. The result has the size of the base. The overlay may extend beyond it. */
export function compositeImages(
  base: Uint8Array,
  overlay: Uint8Array,
  options: CompositeOptions,
  signal: AbortSignal,
): Promise<ImageFile> {
  return runImagesWork([base, overlay], signal, async open => {
    // Blending requires one color space.
    const baseImage = open(base).withIccProfile('srgb');
    const info = await readImageInfo(baseImage);
    const scaled = await scaleOverlay(open(overlay), options);
    signal.throwIfAborted();
    const { x = getGravityShare(options.gravity, 'x') * (info.width - scaled.width) } = options;
    const { y = getGravityShare(options.gravity, 'y') * (info.height - scaled.height) } = options;
    // Crops the overlay to the part inside the base, because sharp accepts no overlay that is larger than the base.
    const columns = clipRange(-Math.round(x), info.width, scaled.width);
    const rows = clipRange(-Math.round(y), info.height, scaled.height);
    if (columns.length === 0 || rows.length === 0) return encode(baseImage, chooseFormat(info));
    const { data, info: raw } = await scaled.image
      .extract({ left: columns.start, top: rows.start, width: columns.length, height: rows.length })
      .raw()
      .toBuffer({ resolveWithObject: true });
    signal.throwIfAborted();
    const [left, top] = [Math.max(0, Math.round(x)), Math.max(0, Math.round(y))];
    const layer = {
      input: data,
      raw: { width: raw.width, height: raw.height, channels: 4 as const },
      left,
      top,
      blend: options.blend,
    };
    return encode(baseImage.composite([layer]), chooseFormat(info));
  });
}

/** 8-bit pixels, row by row. */
export interface PixelImage extends Size {
  readonly bytes: Uint8Array;
}

/** The number of bytes of a pixel: gray, RGB or RGBA. */
type Channels = 1 | 3 | 4;

export interface PixelOptions {
  readonly channels: Channels;
  /** Images with more pixels are refused. */
  readonly maxPixels: number;
  /** Scales to this size, without keeping the aspect ratio. */
  readonly size?: Size;
  /** Reduces the longer side to this length. */
  readonly maxSide?: number;
  /** Enlarges smaller images to that length, at most this many times. Default: 1. */
  readonly maxEnlargement?: number;
}

export interface ReadPixels extends PixelImage {
  /** Of the file. */
  readonly info: ImageInfo;
}

/** Reads the pixels of an image in sRGB. Transparency becomes white unless the result has it. */
export function readPixels(
  bytes: Uint8Array,
  { channels, maxPixels, size, maxSide, maxEnlargement = 1 }: PixelOptions,
  signal: AbortSignal,
): Promise<ReadPixels> {
  return runImageWork(bytes, signal, async open => {
    // With a profile, gray would have three channels.
    const image = channels === 1 ? open(bytes) : open(bytes).withIccProfile('srgb');
    const info = await readImageInfo(image);
    requirePixels(info, maxPixels);
    signal.throwIfAborted();
    if (size !== undefined) image.resize({ ...size, fit: 'fill' });
    if (maxSide !== undefined) {
      const side = Math.min(maxSide, Math.max(info.width, info.height) * maxEnlargement);
      // A kernel without negative parts draws no outlines around edges.
      const kernel = maxEnlargement > 1 ? { kernel: 'mitchell' as const } : {};
      image.resize({ width: side, height: side, fit: 'inside', ...kernel });
    }
    const colored = channels === 4 ? image.ensureAlpha() : image.flatten({ background: '#ffffff' });
    const result = await colored
      .toColourspace(channels === 1 ? 'b-w' : 'srgb')
      .raw({ depth: 'uchar' })
      .toBuffer({ resolveWithObject: true });
    return { width: result.info.width, height: result.info.height, bytes: result.data, info };
  });
}

function requirePixels({ width, height }: Size, maxPixels: number): void {
  if (width * height <= maxPixels) return;
  const limit = Math.floor(maxPixels / 1e5) / 10;
  throw new AppError(
    'unreadable_image',
    `The image has ${width} × ${height} pixels. The limit here is ${limit} megapixels. Make it smaller.`,
  );
}

/** Encodes RGB: as JPEG or WebP if the original is, otherwise as PNG. `alpha` is scaled to the size of the pixels. */
export function encodePixels(
  { width, height, bytes }: PixelImage,
  { info, alpha }: { readonly info: ImageInfo; readonly alpha?: PixelImage | undefined },
  signal: AbortSignal,
): Promise<ImageFile> {
  return runImagesWork([], signal, async () => {
    const image = await openPixels({ width, height, bytes }, 3);
    if (alpha !== undefined) await addAlpha(image, alpha, { width, height });
    return encode(
      image,
      alpha === undefined || info.contentType === 'image/webp' ? chooseFormat(info) : 'png',
    );
  });
}

/** Reads the transparency of an image, one byte per pixel. */
export function readAlpha(bytes: Uint8Array, signal: AbortSignal): Promise<PixelImage> {
  return runImageWork(bytes, signal, async open => {
    const image = open(bytes);
    const { width, height } = await readImageInfo(image);
    return { width, height, bytes: await readAlphaChannel(image) };
  });
}

const readAlphaChannel = (image: Sharp): Promise<Buffer> =>
  image.ensureAlpha().extractChannel('alpha').toColourspace('b-w').raw({ depth: 'uchar' }).toBuffer();

/** What was transparent stays so. Changes the first. */
async function multiplyAlpha(alpha: Buffer, other: Buffer): Promise<void> {
  for (let start = 0; start < alpha.length; start += ALPHA_BLOCK) {
    await yieldTurn();
    const end = Math.min(alpha.length, start + ALPHA_BLOCK);
    for (let at = start; at < end; at++) alpha[at] = Math.round(((alpha[at] ?? 0) * (other[at] ?? 0)) / 255);
  }
}

const ALPHA_BLOCK = 100_000;

/** Makes everything transparent where the mask is 0. The mask is scaled to the size of the image. */
export async function cutOut(
  bytes: Uint8Array,
  mask: PixelImage,
  signal: AbortSignal,
): Promise<{ readonly image: ImageFile; readonly mask: ImageFile }> {
  const image = await runImageWork(bytes, signal, async open => {
    const source = open(bytes).withIccProfile('srgb');
    const info = await readImageInfo(source);
    const rgb = source.removeAlpha().toColourspace('srgb').raw({ depth: 'uchar' });
    const { data, info: size } = await rgb.toBuffer({ resolveWithObject: true });
    signal.throwIfAborted();
    const opaque = await openPixels({ width: size.width, height: size.height, bytes: data }, 3);
    const scaled = await (await scalePixels(mask, size)).raw({ depth: 'uchar' }).toBuffer();
    if (info.hasAlpha) await multiplyAlpha(scaled, await readAlphaChannel(open(bytes)));
    await addAlpha(opaque, { width: size.width, height: size.height, bytes: scaled }, size);
    return { file: await encode(opaque, info.contentType === 'image/webp' ? 'webp' : 'png'), size };
  });
  return {
    image: image.file,
    mask: await encodeGray(mask, image.size, signal),
  };
}

/** Encodes gray pixels, scaled to a size, as PNG. */
export function encodeGray(pixels: PixelImage, size: Size, signal: AbortSignal): Promise<ImageFile> {
  return runImagesWork([], signal, async () =>
    encode((await scalePixels(pixels, size)).toColourspace('b-w'), 'png'),
  );
}

/** How an area is hidden. */
export const COVERS = ['blur', 'pixelate', 'cover'] as const;
export type Cover = (typeof COVERS)[number];

/** Hides areas, which must be inside the image, so that what was there cannot be restored. */
export function coverAreas(
  bytes: Uint8Array,
  { areas, cover }: { readonly areas: readonly (Size & Pick<Area, 'x' | 'y'>)[]; readonly cover: Cover },
  signal: AbortSignal,
): Promise<ImageFile> {
  return runImageWork(bytes, signal, async open => {
    const image = open(bytes).withIccProfile('srgb');
    const info = await readImageInfo(image);
    if (areas.length === 0) return encode(image, chooseFormat(info));
    const { data, info: raw } = await image
      .toColourspace('srgb')
      .raw({ depth: 'uchar' })
      .toBuffer({ resolveWithObject: true });
    const pixels = { width: raw.width, height: raw.height, bytes: data };
    const layers: OverlayOptions[] = [];
    for (const area of areas) {
      signal.throwIfAborted();
      const part = (await openPixels(pixels, raw.channels)).extract({
        left: area.x,
        top: area.y,
        width: area.width,
        height: area.height,
      });
      layers.push({ input: await hide(part, area, cover), left: area.x, top: area.y });
    }
    const covered = (await openPixels(pixels, raw.channels)).composite(layers);
    return encode(raw.channels === 3 ? covered.removeAlpha() : covered, chooseFormat(info));
  });
}

/** A face that is reduced to so few pixels cannot be recognized. */
const COVER_PIXELS = 8;

/** Returns the part as an ellipse. */
async function hide(part: Sharp, { width, height }: Size, cover: Cover): Promise<Buffer> {
  const sharp = await loadSharp();
  const scale = COVER_PIXELS / Math.max(width, height);
  const small = await part
    .removeAlpha()
    .resize({ ...roundSize({ width: width * scale, height: height * scale }), fit: 'fill' })
    .png()
    .toBuffer();
  const kernel = cover === 'blur' ? 'cubic' : 'nearest';
  const black = { create: { width, height, channels: 3, background: '#000000' } } as const;
  const hidden =
    cover === 'cover' ? sharp(black) : sharp(small).resize({ width, height, fit: 'fill', kernel });
  const mask = new Uint8Array(width * height);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const distance = Math.hypot((2 * x + 1) / width - 1, (2 * y + 1) / height - 1);
      mask[y * width + x] = 255 * Math.max(0, Math.min(1, (1 - distance) * EDGE_SHARPNESS));
    }
  const opaque = await hidden.toColourspace('srgb').raw({ depth: 'uchar' }).toBuffer();
  const ellipse = await openPixels({ width, height, bytes: opaque }, 3);
  await addAlpha(ellipse, { width, height, bytes: mask }, { width, height });
  return ellipse.png().toBuffer();
}

/** The edge of an ellipse is soft over this part of its radius, inverted. */
const EDGE_SHARPNESS = 12;

async function openPixels({ width, height, bytes }: PixelImage, channels: 1 | 2 | 3 | 4): Promise<Sharp> {
  const sharp = await loadSharp();
  return sharp(bytes, { raw: { width, height, channels }, limitInputPixels: MAX_PIXELS });
}

/** Scales pixels of one channel. */
async function scalePixels(pixels: PixelImage, { width, height }: Size): Promise<Sharp> {
  const image = (await openPixels(pixels, 1)).toColourspace('b-w');
  return pixels.width === width && pixels.height === height
    ? image
    : image.resize({ width, height, fit: 'fill', kernel: 'cubic' });
}

/** Adds pixels of one channel as the transparency of an image of this size. */
async function addAlpha(image: Sharp, alpha: PixelImage, { width, height }: Size): Promise<void> {
  const scaled = await (await scalePixels(alpha, { width, height })).raw({ depth: 'uchar' }).toBuffer();
  image.joinChannel(scaled, { raw: { width, height, channels: 1 } });
}

export interface GridOptions {
  readonly columns: number;
  readonly cell: Size;
  readonly gap: number;
  readonly background: string;
}

/** Places images in a grid of equal cells, and crops each to fill its cell. Reads one at a time, to limit memory. */
export async function createImageGrid(
  reads: readonly (() => Promise<Uint8Array>)[],
  { columns, cell, gap, background }: GridOptions,
  signal: AbortSignal,
): Promise<ImageFile> {
  const rows = Math.ceil(reads.length / columns);
  const usedColumns = Math.min(columns, reads.length);
  const size = { width: usedColumns * (cell.width + gap) + gap, height: rows * (cell.height + gap) + gap };
  requireSizeWithinLimits(size);
  const layers: { input: Buffer; left: number; top: number }[] = [];
  for (const [index, read] of reads.entries()) {
    const bytes = await read();
    const input = await runImageWork(bytes, signal, open =>
      open(bytes).resize(cell).withIccProfile('srgb').png({ compressionLevel: 1 }).toBuffer(),
    );
    const [column, row] = [index % columns, Math.floor(index / columns)];
    layers.push({ input, left: gap + column * (cell.width + gap), top: gap + row * (cell.height + gap) });
  }
  return runImagesWork([], signal, async () => {
    const sharp = await loadSharp();
    const canvas = sharp({ create: { ...size, channels: 4, background }, limitInputPixels: MAX_PIXELS });
    return encode(canvas.composite(layers), 'png');
  });
}

function transformImage(
  bytes: Uint8Array,
  signal: AbortSignal,
  edit: (image: Sharp, info: ImageInfo) => Sharp,
): Promise<ImageFile> {
  return runImageWork(bytes, signal, async open => {
    const image = open(bytes);
    const info = await readImageInfo(image);
    signal.throwIfAborted();
    return encode(edit(image, info), chooseFormat(info));
  });
}

async function readImageInfo(image: Sharp): Promise<ImageInfo> {
  const { format, compression, autoOrient, hasAlpha = false } = await image.metadata();
  const isAvif = format === 'heif' && compression === 'av1';
  return {
    contentType: isAvif ? 'image/avif' : `image/${format}`,
    width: autoOrient.width,
    height: autoOrient.height,
    hasAlpha,
  };
}

/** Keeps JPEG and WebP. Other formats become PNG, which is lossless. */
function chooseFormat({ contentType }: ImageInfo): Format {
  if (contentType === 'image/jpeg') return 'jpeg';
  return contentType === 'image/webp' ? 'webp' : 'png';
}

const DEFAULT_QUALITY = 90;

async function encode(image: Sharp, format: Format, quality: number = DEFAULT_QUALITY): Promise<ImageFile> {
  const encoded = format === 'png' ? image.png() : image.toFormat(format, { quality });
  return { bytes: await encoded.toBuffer(), contentType: `image/${format}` };
}

const ONE_PIXEL = { width: 1, height: 1, channels: 4 } as const;

async function scaleOverlay(
  overlay: Sharp,
  { width, height, opacity }: CompositeOptions,
): Promise<Size & { readonly image: Sharp }> {
  const size = roundSize(computeResizedSize(await readImageInfo(overlay), { width, height, fit: 'fill' }));
  requireSizeWithinLimits(size);
  const scaled = overlay
    .resize({ ...size, fit: 'fill' })
    .withIccProfile('srgb')
    .toColourspace('srgb')
    .ensureAlpha();
  // Multiplies the alpha of each pixel by the opacity.
  const opacityMask = {
    input: Buffer.from([255, 255, 255, Math.round(opacity * 255)]),
    raw: ONE_PIXEL,
    tile: true,
  };
  const image = opacity === 1 ? scaled : scaled.composite([{ ...opacityMask, blend: 'dest-in' }]);
  // A pipeline would crop before it scales, so the scaled image starts a new pipeline.
  const { data, info } = await image.raw().toBuffer({ resolveWithObject: true });
  const sharp = await loadSharp();
  const raw = { width: info.width, height: info.height, channels: info.channels };
  return { ...size, image: sharp(data, { raw, limitInputPixels: MAX_PIXELS }) };
}
