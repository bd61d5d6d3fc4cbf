// Loads sharp and decodes images with limits on concurrency and time.
import type { Sharp, SharpOptions } from 'sharp';
import { AppError } from '../lib/errors.ts';
import { createLimiter } from '../lib/limiter.ts';
import { MAX_PIXELS } from './image-geometry.ts';

// Decoding takes up to 400 MB, so only two images are decoded at a time. A waiting caller holds only the encoded bytes.
const limit = createLimiter({ concurrency: 2, maxWaiting: 200, isCostly: true });
const TIMEOUT_SECONDS = 60;

const READ_OPTIONS: SharpOptions = { failOn: 'warning', limitInputPixels: MAX_PIXELS, sequentialRead: true };

/** Opens an image in its displayed orientation. */
export type OpenImage = (bytes: Uint8Array) => Sharp;

/** Runs the work once a slot is free. Throws `unreadable_image` if the image cannot be read. */
export async function runImageWork<T>(
  signal: AbortSignal,
  work: (open: OpenImage) => Promise<T>,
): Promise<T> {
  const sharp = await loadSharp();
  const open: OpenImage = bytes =>
    sharp(bytes, READ_OPTIONS).autoOrient().keepIccProfile().timeout({ seconds: TIMEOUT_SECONDS });
  return limit(async () => {
    try {
      return await work(open);
    } catch (err) {
      if (err instanceof AppError || signal.aborted) throw err;
      throw new AppError(
        'unreadable_image',
        'The image cannot be read: it is damaged, too large, or of another type.',
        { cause: err },
      );
    }
  }, signal);
}

/**
 * Decodes every row without keeping any, by extracting the last pixel. Computing statistics would also decode the image,
 * but at three to ten times the cost. `range` selects frames of an animation.
 */
export async function decodeFully(bytes: Uint8Array, range: SharpOptions = {}): Promise<void> {
  const sharp = await loadSharp();
  const image = sharp(bytes, { ...READ_OPTIONS, ...range }).timeout({ seconds: TIMEOUT_SECONDS });
  const { width, height, pageHeight = height } = await image.metadata();
  await image
    .extract({ left: width - 1, top: pageHeight - 1, width: 1, height: 1 })
    .raw()
    .toBuffer();
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
