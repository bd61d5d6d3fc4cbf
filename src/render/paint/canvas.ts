// Wraps the rasterizer (@napi-rs/canvas): surfaces, fonts, image encoding. Loaded only in worker threads, whose system
// fonts are disabled, so that the output is the same on every machine.
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

export type CanvasContext = SKRSContext2D;
export type ImageSource = Image | Canvas;
export type Animation = LottieAnimation;
export type OutlinePath = Path2D;
export type Style = string | ReturnType<CanvasContext['createConicGradient']>;

/** Registers a font file under a family name. Returns false if the file is not a font. */
export function registerFont(path: string, family: string): boolean {
  return GlobalFonts.registerFromPath(path, family) !== null;
}

/** Creates an empty path, or one from the `d` attribute of SVG. */
export function createPath(data?: string): Path2D {
  return data === undefined ? new Path2D() : new Path2D(data);
}

/** Parses a Lottie animation that was sanitized by render/lottie.ts. Throws on invalid data. */
export function parseAnimation(json: string): LottieAnimation {
  return LottieAnimation.loadFromData(json);
}

export interface Surface {
  readonly canvas: Canvas;
  readonly ctx: CanvasContext;
}

export function createSurface(width: number, height: number): Surface {
  const canvas = createCanvas(width, height);
  const ctx = canvas.getContext('2d');
  ctx.textBaseline = 'alphabetic';
  return { canvas, ctx };
}

/** An image whose content is replaced frame by frame. */
export interface MovingImage {
  readonly image: ImageSource;
  /** Replaces the content by a frame of the same size. Surfaces that the previous frame was drawn to do not change. */
  show(frame: Uint8Array): Promise<void>;
}

/** Creates a moving image with transparency, from RGBA frames. */
export function createTransparentMovingImage(width: number, height: number): MovingImage {
  const { canvas, ctx } = createSurface(width, height);
  return {
    image: canvas,
    async show({ buffer, byteOffset, length }) {
      const pixels = new Uint8ClampedArray(buffer as ArrayBuffer, byteOffset, length);
      ctx.putImageData(new ImageData(pixels, width, height), 0, 0);
    },
  };
}

/**
 * Creates an opaque moving image from I420 frames. Both sides must be even, and the width at least `MIN_BMP_WIDTH`. At
 * 1080p this takes 4 ms per frame, compared with 12 ms for drawing to a surface.
 */
export function createOpaqueMovingImage(width: number, height: number): MovingImage {
  const writer = createBmpWriter(width, height);
  const image = new Image();
  return {
    image,
    async show(frame) {
      writer.write(frame);
      image.src = writer.bytes;
      await image.decode();
    },
  };
}

/** Decodes an image that media/images.ts wrote. Never pass untrusted bytes. */
export async function decodeImage(bytes: Uint8Array): Promise<Image> {
  const image = new Image();
  image.src = Buffer.from(bytes);
  await image.decode();
  return image;
}

export const IMAGE_FORMATS = ['png', 'jpeg', 'webp'] as const;
export type ImageFormat = (typeof IMAGE_FORMATS)[number];
const QUALITY = 90;

/** Encodes an opaque frame. PNG uses our encoder, because the rasterizer's is slow. */
export function encodeFrame({ canvas }: Surface, format: ImageFormat): Promise<Buffer> {
  if (format !== 'png') return canvas.encode(format, QUALITY);
  return encodePng(canvas.data(), canvas.width, canvas.height, 1);
}

/** Encodes an image that may be translucent as a PNG, optimized for size rather than speed. */
export function encodeTransparentPng({ canvas }: Surface): Promise<Buffer> {
  return canvas.encode('png');
}
