// The rasterizer's owner: surfaces, bundled fonts, PNG. Loaded in worker threads only (worker.ts), where
// the fonts of the machine are switched off, so that a picture is the same everywhere.
import { fileURLToPath } from 'node:url';
import {
  type Canvas,
  createCanvas,
  GlobalFonts,
  Image,
  ImageData,
  LottieAnimation,
  Path2D,
  type SKRSContext2D,
} from '@napi-rs/canvas';
import { createBmpWriter } from '../../codecs/pixels/i420-bmp.ts';
import { encodePng } from '../../codecs/pixels/png.ts';
import { getOrMake } from '../../lib/get-or-make.ts';
import type { Measure } from '../text/text-layout.ts';

export type Brush = SKRSContext2D;
export type Picture = Image | Canvas;
export type Animation = LottieAnimation;
export type OutlinePath = Path2D;
export type Style = string | ReturnType<Brush['createConicGradient']>;

const WEIGHTS = [400, 600, 800] as const;
export type Weight = (typeof WEIGHTS)[number];

// One family a subset: within one family a character that is missing in its first file would not be found.
const SUBSETS = [
  'latin',
  'latin-ext',
  'cyrillic',
  'cyrillic-ext',
  'greek',
  'greek-ext',
  'vietnamese',
] as const;
const FAMILIES = SUBSETS.map(subset => `"Inter ${subset}"`).join(', ');

for (const subset of SUBSETS) {
  for (const weight of WEIGHTS) {
    const file = import.meta.resolve(`@fontsource/inter/files/inter-${subset}-${weight}-normal.woff2`);
    GlobalFonts.registerFromPath(fileURLToPath(file), `Inter ${subset}`);
  }
}

/** Makes a font file known under a family name; false where it is no font. */
export function registerFont(path: string, family: string): boolean {
  return GlobalFonts.registerFromPath(path, family) !== null;
}

/** An empty path, or one from the d attribute of SVG. */
export function createPath(data?: string): Path2D {
  return data === undefined ? new Path2D() : new Path2D(data);
}

/** A Lottie animation that render/lottie.ts made. Throws where the data is none. */
export function readAnimation(json: string): LottieAnimation {
  return LottieAnimation.loadFromData(json);
}

export interface Surface {
  readonly canvas: Canvas;
  readonly brush: Brush;
}

export function createSurface(width: number, height: number): Surface {
  const canvas = createCanvas(width, height);
  const brush = canvas.getContext('2d');
  brush.textBaseline = 'alphabetic';
  return { canvas, brush };
}

/** A picture that takes on one frame after another. */
export interface MovingPicture {
  readonly picture: Picture;
  /** Of its size; what was drawn of the frame before stays as it is. */
  show(frame: Uint8Array): Promise<void>;
}

/** A picture that lets through what is behind it; its frames are RGBA. */
export function createTransparentPicture(width: number, height: number): MovingPicture {
  const { canvas, brush } = createSurface(width, height);
  return {
    picture: canvas,
    async show({ buffer, byteOffset, length }) {
      const pixels = new Uint8ClampedArray(buffer as ArrayBuffer, byteOffset, length);
      brush.putImageData(new ImageData(pixels, width, height), 0, 0);
    },
  };
}

/** Even sides, at least `MIN_BMP_WIDTH` wide; frames are I420. At 1080p a frame takes 4 ms, where one put onto a surface takes 12. */
export function createMovingPicture(width: number, height: number): MovingPicture {
  const writer = createBmpWriter(width, height);
  const picture = new Image();
  return {
    picture,
    async show(frame) {
      writer.write(frame);
      picture.src = writer.bytes;
      await picture.decode();
    },
  };
}

/** Sets the font; `spacing` between letters is in em. */
export function setFont(brush: Brush, weight: Weight, size: number, spacing = 0): void {
  brush.font = `${weight} ${size}px ${FAMILIES}`;
  brush.letterSpacing = `${(spacing * size).toFixed(3)}px`;
}

const MEASURED_SIZE = 100;

/** Widths in em of text at this weight and letter spacing. */
export function measureWith(brush: Brush, weight: Weight, spacing = 0): Measure {
  const known = new Map<string, number>();
  return text =>
    getOrMake(known, text, () => {
      setFont(brush, weight, MEASURED_SIZE, spacing);
      return brush.measureText(text).width / MEASURED_SIZE;
    });
}

/** Decodes a picture that media/images wrote. Bytes from outside never come here. */
export async function readPicture(bytes: Uint8Array): Promise<Image> {
  const image = new Image();
  image.src = Buffer.from(bytes);
  await image.decode();
  return image;
}

export const STILL_FORMATS = ['png', 'jpeg', 'webp'] as const;
export type StillFormat = (typeof STILL_FORMATS)[number];
const QUALITY = 90;

/** A frame of a scene, which nothing shines through. Its PNG is written fast, which the rasterizer's own is not. */
export function encodeFrame({ canvas }: Surface, format: StillFormat): Promise<Buffer> {
  if (format !== 'png') return canvas.encode(format, QUALITY);
  return encodePng(canvas.data(), canvas.width, canvas.height, 1);
}

/** A picture that may be translucent, as a PNG made small rather than fast. */
export function encodePicture({ canvas }: Surface): Promise<Buffer> {
  return canvas.encode('png');
}
