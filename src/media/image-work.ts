// Loads sharp and decodes images with limits on concurrency and time.
import type { Metadata, Sharp, SharpOptions } from 'sharp';
import { AppError } from '../lib/errors.ts';
import { createLimiter } from '../lib/limiter.ts';
import { countGroupFrames } from './animation.ts';
import { MAX_PIXELS } from './image-geometry.ts';

/** An image that needs more memory is decoded alone. */
const LARGE_BYTES = 100_000_000;
/** What the largest JPEG takes, which is progressive. */
const MAX_DECODED_BYTES = 650_000_000;
// A waiting caller holds only the encoded bytes.
const limit = createLimiter({ concurrency: 2, maxWaiting: 200, isCostly: true });
const limitLarge = createLimiter({ concurrency: 1, maxWaiting: 200, isCostly: true });
/** The time limit of an image with all its frames. */
const TIMEOUT_SECONDS = 60;

const READ_OPTIONS: SharpOptions = { failOn: 'warning', limitInputPixels: MAX_PIXELS, sequentialRead: true };

/** Opens an image in its displayed orientation. */
export type OpenImage = (bytes: Uint8Array) => Sharp;

/** Reads or holds the encoded bytes of an image. */
export type ImageSource = Uint8Array | (() => Promise<Uint8Array>);

export interface ImageWorkOptions {
  /**
   * Whether the work only calls `decodeFully`, which takes less memory for WebP, but also decodes the later frames of an
   * animation. Default: false.
   */
  readonly isCheck?: boolean;
}

/** Runs the work on one image. See `runImagesWork`. */
export function runImageWork<T>(
  source: ImageSource,
  signal: AbortSignal,
  work: (open: OpenImage, bytes: Uint8Array) => Promise<T>,
  options: ImageWorkOptions = {},
): Promise<T> {
  return runImagesWork([source], signal, (open, [bytes]) => work(open, bytes as Uint8Array), options);
}

/**
 * Runs the work once a slot is free, and reads the images only then. Throws `unreadable_image` if an image cannot be read, or
 * takes too much memory or time.
 */
export async function runImagesWork<T>(
  sources: readonly ImageSource[],
  signal: AbortSignal,
  work: (open: OpenImage, images: readonly Uint8Array[]) => Promise<T>,
  { isCheck = false }: ImageWorkOptions = {},
): Promise<T> {
  const sharp = await loadSharp();
  const open: OpenImage = bytes =>
    sharp(bytes, READ_OPTIONS).autoOrient().keepIccProfile().timeout({ seconds: TIMEOUT_SECONDS });
  const perform = async (mayBeLarge: boolean): Promise<T | typeof IS_LARGE> => {
    try {
      const images: Uint8Array[] = [];
      for (const source of sources) images.push(source instanceof Uint8Array ? source : await source());
      const decodedBytes = await sumDecodedBytes(images, isCheck);
      if (decodedBytes > LARGE_BYTES && !mayBeLarge) return IS_LARGE;
      return await work(open, images);
    } catch (err) {
      if (err instanceof AppError || signal.aborted) throw err;
      throw new AppError(
        'unreadable_image',
        'The image cannot be read: it is damaged, too large, or of another type.',
        { cause: err },
      );
    }
  };
  const result = await limit(() => perform(false), signal);
  return result === IS_LARGE ? ((await limitLarge(() => perform(true), signal)) as T) : result;
}

const IS_LARGE = Symbol('large');

async function sumDecodedBytes(images: readonly Uint8Array[], isCheck: boolean): Promise<number> {
  const sharp = await loadSharp();
  let total = 0;
  for (const bytes of images) {
    const metadata = await sharp(bytes, READ_OPTIONS).metadata();
    const decodedBytes = estimateDecodedBytes(metadata, isCheck);
    if (decodedBytes > MAX_DECODED_BYTES) {
      const { width, height, format } = metadata;
      const limitMp = Math.floor((MAX_DECODED_BYTES * width * height) / decodedBytes / 1_000_000);
      throw new AppError(
        'unreadable_image',
        `An image of ${width} × ${height} pixels in this format (${format === 'heif' ? 'avif' : format}, ${metadata.depth === 'uchar' ? 8 : 16} bits) takes too much memory. The limit is ${limitMp} megapixels. Make it smaller, or convert it to JPEG or PNG.`,
      );
    }
    total += decodedBytes;
  }
  if (total > MAX_DECODED_BYTES)
    throw new AppError(
      'unreadable_image',
      'These images take too much memory together. Make one of them smaller, or convert both to JPEG or PNG.',
    );
  return total;
}

/**
 * Estimates the memory that decoding takes at its peak. Measured with images of 25 megapixels. Images that are stored row by
 * row take little.
 */
function estimateDecodedBytes(metadata: Metadata, isCheck: boolean): number {
  const { width, height, format, depth, isProgressive, chromaSubsampling, pages = 1 } = metadata;
  const pixels = width * height;
  const isDeep = depth !== 'uchar';
  const bytesPerPixel: Partial<Record<string, number>> = {
    heif: isDeep ? 25 : 19,
    webp: isCheck && pages === 1 ? 1.5 : 8,
    gif: 4.5,
    ...(isProgressive ? { png: isDeep ? 8 : 4, jpeg: chromaSubsampling === '4:2:0' ? 3.5 : 6.5 } : {}),
  };
  const frameBytes = pixels * (bytesPerPixel[format] ?? 0.5);
  if (!isCheck || pages === 1) return frameBytes;
  return Math.max(frameBytes, pixels * countGroupFrames({ width, height, pages }) * GROUP_BYTES_PER_PIXEL);
}

/** A group of frames is decoded as a whole. Measured with 59 frames of a megapixel: WebP takes 6.2 bytes, GIF 4.1. */
const GROUP_BYTES_PER_PIXEL = 6.5;

const WEBP_SCALE = 16;

/** When decoding an image with all its frames must have ended, in the time of `performance.now`. */
export const getDecodeDeadline = (): number => performance.now() + TIMEOUT_SECONDS * 1000;

/**
 * Decodes every row without keeping any, by extracting the last pixel. Computing statistics would also decode the image,
 * but at three to ten times the cost. A WebP is scaled down while it is decoded, because it is otherwise decoded as a whole.
 * `range` selects frames of an animation. Throws after the deadline.
 */
export async function decodeFully(
  bytes: Uint8Array,
  deadlineMs: number,
  range: SharpOptions = {},
): Promise<void> {
  const seconds = Math.floor((deadlineMs - performance.now()) / 1000);
  if (seconds < 1) throw new Error('Decoding takes too long.');
  const sharp = await loadSharp();
  const image = sharp(bytes, { ...READ_OPTIONS, ...range }).timeout({ seconds });
  const { width, height, format, pages = 1, pageHeight = height } = await image.metadata();
  const reduced =
    format === 'webp' && pages === 1
      ? image.resize({ width: Math.ceil(width / WEBP_SCALE) })
      : image.extract({ left: width - 1, top: pageHeight - 1, width: 1, height: 1 });
  await reduced.raw().toBuffer();
}

type SharpModule = typeof import('sharp').default;

const ALLOWED_LOADERS = ['Jpeg', 'Png', 'Webp', 'Heif', 'Nsgif'].map(name => `VipsForeignLoad${name}`);
let loadedSharp: Promise<SharpModule> | undefined;

/** Loads sharp at first use, which saves 20 MB in an idle service. */
export function loadSharp(): Promise<SharpModule> {
  loadedSharp ??= import('sharp').then(({ default: sharp }) => {
    sharp.block({ operation: ['VipsForeignLoad'] });
    sharp.unblock({ operation: ALLOWED_LOADERS });
    sharp.concurrency(1);
    sharp.cache(false);
    return sharp;
  });
  return loadedSharp;
}
