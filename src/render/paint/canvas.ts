// Wraps the rasterizer (@napi-rs/canvas): surfaces, bundled fonts, PNG. Loaded in worker threads only (worker.ts), with
// system fonts disabled so that output is the same on every machine.
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
import { getOrCreate } from '../../lib/get-or-create.ts';
import type { Measure } from '../text/text-layout.ts';

export type Brush = SKRSContext2D;
export type Picture = Image | Canvas;
export type Animation = LottieAnimation;
export type OutlinePath = Path2D;
export type Style = string | ReturnType<Brush['createConicGradient']>;

const WEIGHTS = [400, 600, 800] as const;
export type Weight = (typeof WEIGHTS)[number];

// Each font subset is a family of its own: within one family, a glyph that is missing in the first file is not looked
// up in the others.
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

/** Registers a font file under a family name. Returns false if the file is not a font. */
export function registerFont(path: string, family: string): boolean {
  return GlobalFonts.registerFromPath(path, family) !== null;
}

/** An empty path, or one from the d attribute of SVG. */
export function createPath(data?: string): Path2D {
  return data === undefined ? new Path2D() : new Path2D(data);
}

/** Parses a Lottie animation that was sanitized by render/lottie.ts. Throws on invalid data. */
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

/** An image whose content is replaced frame by frame. */
export interface MovingPicture {
  readonly picture: Picture;
  /** Takes a frame of the same size. What was already drawn from the previous frame does not change. */
  show(frame: Uint8Array): Promise<void>;
}

/** A moving image with transparency; its frames are RGBA. */
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

/**
 * An opaque moving image with I420 frames. Sides must be even and at least `MIN_BMP_WIDTH` wide. At 1080p this takes 4
 * ms a frame; drawing to a surface takes 12 ms.
 */
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

/** Sets the font; letter `spacing` is in em. */
export function setFont(brush: Brush, weight: Weight, size: number, spacing = 0): void {
  brush.font = `${weight} ${size}px ${FAMILIES}`;
  brush.letterSpacing = `${(spacing * size).toFixed(3)}px`;
}

const MEASURED_SIZE = 100;

/** Returns a function that measures text widths in em at this weight and letter spacing. */
export function measureWith(brush: Brush, weight: Weight, spacing = 0): Measure {
  const known = new Map<string, number>();
  return text =>
    getOrCreate(known, text, () => {
      setFont(brush, weight, MEASURED_SIZE, spacing);
      return brush.measureText(text).width / MEASURED_SIZE;
    });
}

/** Decodes an image that media/images.ts wrote. Never pass untrusted bytes. */
export async function readPicture(bytes: Uint8Array): Promise<Image> {
  const image = new Image();
  image.src = Buffer.from(bytes);
  await image.decode();
  return image;
}

export const STILL_FORMATS = ['png', 'jpeg', 'webp'] as const;
export type StillFormat = (typeof STILL_FORMATS)[number];
const QUALITY = 90;

/** Encodes an opaque frame. PNG uses our fast encoder, since the rasterizer's own is slow. */
export function encodeFrame({ canvas }: Surface, format: StillFormat): Promise<Buffer> {
  if (format !== 'png') return canvas.encode(format, QUALITY);
  return encodePng(canvas.data(), canvas.width, canvas.height, 1);
}

/** Encodes an image that may be translucent as a PNG, optimized for size rather than speed. */
export function encodePicture({ canvas }: Surface): Promise<Buffer> {
  return canvas.encode('png');
}
