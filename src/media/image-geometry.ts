// Computes sizes and positions of images before any pixel is touched.
import { AppError } from '../lib/errors.ts';

export interface Size {
  readonly width: number;
  readonly height: number;
}

export const MAX_PIXELS = 100_000_000;
const MAX_SIDE = 16_384;

export type Fit = 'cover' | 'contain' | 'fill' | 'inside' | 'outside';

/** The target size. A missing side follows from the aspect ratio. */
export interface Box {
  readonly width?: number | undefined;
  readonly height?: number | undefined;
  readonly fit: Fit;
}

/** Computes the size that sharp will produce, so that a large size can be rejected before memory is allocated. */
export function computeResizedSize(size: Size, { width, height, fit }: Box): Size {
  if (width === undefined && height === undefined) return size;
  const scaleX = width === undefined ? undefined : width / size.width;
  const scaleY = height === undefined ? undefined : height / size.height;
  if (scaleX !== undefined && scaleY !== undefined && fit !== 'inside' && fit !== 'outside') {
    return { width: size.width * scaleX, height: size.height * scaleY };
  }
  const scales = [scaleX, scaleY].filter(scale => scale !== undefined);
  const scale = fit === 'outside' ? Math.max(...scales) : Math.min(...scales);
  return { width: size.width * scale, height: size.height * scale };
}

export const roundSize = ({ width, height }: Size): Size => ({
  width: Math.max(1, Math.round(width)),
  height: Math.max(1, Math.round(height)),
});

/** Throws `invalid_request` if an image of this size would take too much memory. */
export function requireSizeWithinLimits({ width, height }: Size): void {
  if (width <= MAX_SIDE && height <= MAX_SIDE && width * height <= MAX_PIXELS) return;
  const size = `${Math.round(width)} × ${Math.round(height)}`;
  throw new AppError(
    'invalid_request',
    `An image of ${size} pixels is too large: the limits are ${MAX_SIDE} pixels per side and 100 million pixels in total.`,
  );
}

/** Returns the part of the range from `start` to `start + length` that is between 0 and `limit`. */
export function clipRange(
  start: number,
  length: number,
  limit: number,
): { readonly start: number; readonly length: number } {
  const from = Math.max(0, Math.round(start));
  const to = Math.min(limit, Math.round(start) + Math.round(length));
  return { start: from, length: Math.max(0, to - from) };
}

/** Returns the share of the free space that is left of, or above, an image with this gravity: 0, 0.5 or 1. */
export function getGravityShare(gravity: string, axis: 'x' | 'y'): number {
  const [near, far] = axis === 'x' ? ['west', 'east'] : ['north', 'south'];
  if (gravity.includes(near as string)) return 0;
  return gravity.includes(far as string) ? 1 : 0.5;
}
