// Decodes the files of a graph once per drawing thread: images and animations by key.

import { createHash } from 'node:crypto';
import type { Clip } from '../../codecs/decode.ts';
import { getOrCreate } from '../../lib/get-or-create.ts';
import { createLru } from '../../lib/lru.ts';
import { drawSample } from '../stills/sandbox.ts';
import type { ResourceFile, ResourceFiles } from '../stills/still.ts';
import type { ClipContent } from '../timeline/draw-list.ts';
import { type Animation, createSurface, type Picture, readAnimation, readPicture } from './canvas.ts';

export type Loaded =
  | { readonly kind: 'picture'; readonly picture: Picture; readonly width: number; readonly height: number }
  | { readonly kind: 'lottie'; readonly animation: Animation; readonly lacks: string | undefined }
  | LoadedClip
  | { readonly kind: 'absent'; readonly reason: string };

export interface LoadedClip {
  readonly kind: 'clip';
  readonly clip: Clip;
  /** Frames that `ClipFrames` prepared, by the content that shows them. */
  readonly shown: WeakMap<ClipContent, ShownFrame>;
}

/** A decoded frame of a clip, valid until the next one replaces it. */
export interface ShownFrame {
  readonly picture?: Picture;
  /** Why there is no frame, or no newer one. */
  readonly reason?: string;
}

export type Resources = ReadonlyMap<string, Loaded>;

const SVG_SIDE = 2048;
/** Limit for all images of one render together: half a gigabyte. */
const MAX_PIXELS = 128_000_000;

export async function loadResources(files: ResourceFiles): Promise<Resources> {
  const loaded = new Map<string, Loaded>();
  let pixels = 0;
  for (const [key, file] of files) {
    const one: Loaded = pixels > MAX_PIXELS ? TOO_MANY : await load(file);
    if (one.kind === 'picture') pixels += one.width * one.height;
    loaded.set(key, one);
  }
  return loaded;
}

const TOO_MANY: Loaded = {
  kind: 'absent',
  reason: `comes after ${MAX_PIXELS / 1e6} megapixels of pictures, which is all that one render may hold`,
};

async function load(file: ResourceFile): Promise<Loaded> {
  try {
    if (file.kind === 'absent') return file;
    if (file.kind === 'clip') return { kind: 'clip', clip: file, shown: new WeakMap() };
    if (file.kind === 'lottie')
      return { kind: 'lottie', animation: readAnimation(file.json), lacks: file.lacks };
    if (file.kind === 'sample') return sampleOf(file);
    return await pictureOf(file);
  } catch {
    return {
      kind: 'absent',
      reason: `is not a readable ${file.kind === 'lottie' ? 'animation' : 'picture'}`,
    };
  }
}

/** Images of previous stills, up to 64 MB: people who edit text preview the same images repeatedly. */
const decoded = createLru<Loaded>(16_000_000);

async function pictureOf(file: Extract<ResourceFile, { kind: 'picture' | 'svg' }>): Promise<Loaded> {
  const key = `${file.kind} ${createHash('sha1').update(file.bytes).digest('base64url')}`;
  const known = decoded.get(key);
  if (known !== undefined) return known;
  const made = await decodePicture(file);
  if (made.kind === 'picture') decoded.set(key, made, made.width * made.height);
  return made;
}

async function decodePicture(file: Extract<ResourceFile, { kind: 'picture' | 'svg' }>): Promise<Loaded> {
  const image = await readPicture(file.bytes);
  if (image.width < 1 || image.height < 1) return { kind: 'absent', reason: 'is a picture without pixels' };
  // Vector graphics have no pixel size, so rasterize them as large as any frame needs.
  const scale = file.kind === 'svg' ? SVG_SIDE / Math.max(image.width, image.height) : 1;
  const [width, height] = [Math.ceil(image.width * scale), Math.ceil(image.height * scale)];
  if (file.kind === 'svg') [image.width, image.height] = [width, height];
  // Drawn to a surface once; an encoded image would be decoded for every frame.
  const { canvas, brush } = createSurface(width, height);
  brush.drawImage(image, 0, 0, width, height);
  return { kind: 'picture', picture: canvas, width, height };
}

// Placeholders appear in many previews, and each takes 8 MB.
const samples = createLru<Loaded>(6);

function sampleOf({ words, width, height }: Extract<ResourceFile, { kind: 'sample' }>): Loaded {
  const key = `${width}x${height} ${words}`;
  return getOrCreate(samples, key, () => {
    const { canvas: picture } = drawSample(words, width, height);
    return { kind: 'picture', picture, width, height };
  });
}
