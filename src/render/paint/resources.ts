// Decodes the images and animations of a scene graph for one drawing thread.

import { createHash } from 'node:crypto';
import type { Clip } from '../../codecs/decode.ts';
import { getOrCreate } from '../../lib/get-or-create.ts';
import { createLru } from '../../lib/lru.ts';
import { drawPlaceholder } from '../stills/sandbox-image.ts';
import type { ResourceFile, ResourceFiles } from '../stills/still.ts';
import type { ClipContent } from '../timeline/draw-list.ts';
import { type Animation, createSurface, decodeImage, type ImageSource, parseAnimation } from './canvas.ts';

export type LoadedResource =
  | { readonly kind: 'image'; readonly image: ImageSource; readonly width: number; readonly height: number }
  | { readonly kind: 'lottie'; readonly animation: Animation; readonly warning: string | undefined }
  | LoadedClip
  | { readonly kind: 'absent'; readonly reason: string };

export interface LoadedClip {
  readonly kind: 'clip';
  readonly clip: Clip;
  /** The decoded frame for each content that shows the clip. Set by `ClipFrames`. */
  readonly frames: WeakMap<ClipContent, ClipFrame>;
}

/** A decoded frame of a clip, valid until the next frame replaces it. */
export interface ClipFrame {
  readonly image?: ImageSource;
  /** Why there is no frame, or why the frame is not up to date. */
  readonly reason?: string;
}

export type Resources = ReadonlyMap<string, LoadedResource>;

const SVG_SIDE = 2048;
/** Limit for all images of a render: half a gigabyte. */
const MAX_PIXELS = 128_000_000;

export async function loadResources(files: ResourceFiles): Promise<Resources> {
  const loaded = new Map<string, LoadedResource>();
  let pixels = 0;
  for (const [key, file] of files) {
    const resource: LoadedResource = pixels > MAX_PIXELS ? TOO_MANY_PIXELS : await loadResource(file);
    if (resource.kind === 'image') pixels += resource.width * resource.height;
    loaded.set(key, resource);
  }
  return loaded;
}

const TOO_MANY_PIXELS: LoadedResource = {
  kind: 'absent',
  reason: `exceeds the limit of ${MAX_PIXELS / 1e6} megapixels of images per render`,
};

async function loadResource(file: ResourceFile): Promise<LoadedResource> {
  try {
    if (file.kind === 'absent') return file;
    if (file.kind === 'clip') return { kind: 'clip', clip: file, frames: new WeakMap() };
    if (file.kind === 'lottie')
      return { kind: 'lottie', animation: parseAnimation(file.json), warning: file.unsupported };
    if (file.kind === 'sample') return loadSample(file);
    return await loadImage(file);
  } catch {
    return {
      kind: 'absent',
      reason: `is not a readable ${file.kind === 'lottie' ? 'animation' : 'image'}`,
    };
  }
}

/** Images of previous renders, up to 64 MB. Previews while editing use the same images repeatedly. */
const decodedImages = createLru<LoadedResource>(16_000_000);

async function loadImage(file: Extract<ResourceFile, { kind: 'image' | 'svg' }>): Promise<LoadedResource> {
  const key = `${file.kind} ${createHash('sha1').update(file.bytes).digest('base64url')}`;
  const cached = decodedImages.get(key);
  if (cached !== undefined) return cached;
  const image = await decodeImageFile(file);
  if (image.kind === 'image') decodedImages.set(key, image, image.width * image.height);
  return image;
}

async function decodeImageFile(
  file: Extract<ResourceFile, { kind: 'image' | 'svg' }>,
): Promise<LoadedResource> {
  const image = await decodeImage(file.bytes);
  if (image.width < 1 || image.height < 1) return { kind: 'absent', reason: 'is an image without pixels' };
  // Vector graphics have no pixel size, so they are rasterized as large as any frame needs.
  const scale = file.kind === 'svg' ? SVG_SIDE / Math.max(image.width, image.height) : 1;
  const [width, height] = [Math.ceil(image.width * scale), Math.ceil(image.height * scale)];
  if (file.kind === 'svg') [image.width, image.height] = [width, height];
  // Draws to a surface, because the rasterizer would decode an encoded image again for every frame.
  const { canvas, ctx } = createSurface(width, height);
  ctx.drawImage(image, 0, 0, width, height);
  return { kind: 'image', image: canvas, width, height };
}

// Small, because each placeholder takes 8 MB.
const placeholders = createLru<LoadedResource>(6);

function loadSample({ prompt, width, height }: Extract<ResourceFile, { kind: 'sample' }>): LoadedResource {
  const key = `${width}x${height} ${prompt}`;
  return getOrCreate(placeholders, key, () => {
    const { canvas: image } = drawPlaceholder(prompt, width, height);
    return { kind: 'image', image, width, height };
  });
}
