// Creates small pictures for image nodes and reads the colors of their results.
import sharp from 'sharp';
import { createSeededRandom } from '../../../src/lib/seeded-random.ts';

export interface Pixels {
  readonly format: string | undefined;
  readonly width: number;
  readonly height: number;
  /** Returns red, green, blue and alpha at a position. */
  at(x: number, y: number): readonly number[];
}

/** Creates a picture of one color, which has the form `#rrggbb` or `#rrggbbaa`. */
export function plainImage(
  width: number,
  height: number,
  background: string,
  format: 'png' | 'jpeg' | 'webp' | 'gif' | 'avif' = 'png',
): Promise<Buffer> {
  return sharp({ create: { width, height, channels: 4, background } })
    .toFormat(format)
    .toBuffer();
}

/** Creates a picture of pseudo-random bytes, which does not compress. */
export function noiseImage(
  width: number,
  height: number,
  format: 'png' | 'jpeg' | 'webp' | 'gif' | 'avif',
): Promise<Buffer> {
  return sharp(seededBytes(width * height * 3, 1), { raw: { width, height, channels: 3 } })
    .toFormat(format)
    .toBuffer();
}

export async function readPixels(bytes: Uint8Array): Promise<Pixels> {
  const { format } = await sharp(bytes).metadata();
  const { data, info } = await sharp(bytes).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  const at = (x: number, y: number) => [
    ...data.subarray((y * info.width + x) * 4, (y * info.width + x) * 4 + 4),
  ];
  return { format, width: info.width, height: info.height, at };
}

/** Returns whether two colors differ by at most `tolerance` in each channel. */
export function isNear(actual: readonly number[], expected: readonly number[], tolerance = 4): boolean {
  return expected.every((channel, index) => Math.abs((actual[index] ?? -1) - channel) <= tolerance);
}

/** Returns pseudo-random bytes, which are the same for the same seed. */
export function seededBytes(length: number, seed: number): Uint8Array {
  const random = createSeededRandom(seed);
  const bytes = new Uint8Array(length);
  for (let index = 0; index < length; index++) bytes[index] = random() * 256;
  return bytes;
}
