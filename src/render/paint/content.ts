// Draws the content of a node into its box: text, images, shapes, animations, video clips.

import { describeUndrawable } from '../text/coverage.ts';
import { listMissingCharacters } from '../text/fonts.ts';
import type {
  ClipContent,
  DrawNode,
  ImageContent,
  LottieContent,
  Outline,
  ShapeContent,
  TextContent,
} from '../timeline/draw-list.ts';
import {
  type Animation,
  type CanvasContext,
  createPath,
  createSurface,
  type ImageSource,
  type Surface,
} from './canvas.ts';
import { fillByBands, toPath, toStyle } from './fill.ts';
import { enlarge, fitImage, type Size } from './fit-image.ts';
import type { LoadedResource, Resources } from './resources.ts';
import { blurPart, getDownscaled } from './scaled-images.ts';
import { paintText } from './text.ts';

/** Why the content could not be drawn, or undefined if it was drawn. */
type FailureReason = string | undefined;

const TEXT_TOO_LONG = 'has more text than fits its box at the smallest size, so the rest is cut off';

/** The box that content is drawn into, and the means to draw it. */
interface ContentTarget {
  readonly ctx: CanvasContext;
  readonly box: Size;
  readonly resources: Resources;
  readonly scale: number;
}

export function paintContent(
  ctx: CanvasContext,
  node: DrawNode,
  resources: Resources,
  scale: number,
): FailureReason {
  const { content, width, height } = node;
  const target: ContentTarget = { ctx, box: { width, height }, resources, scale };
  switch (content.kind) {
    case 'text':
      return describeText(content, paintText(ctx, content, target.box, scale));
    case 'shape':
      paintShape(ctx, content, target.box);
      return undefined;
    case 'image':
      return paintImage(target, content);
    case 'lottie':
      return paintLottie(target, content);
    case 'clip':
      return paintClip(target, content);
    case 'missing':
      return content.reason;
    case 'none':
    case 'group':
      return undefined;
    default:
      return content satisfies never;
  }
}

function describeText({ runs }: TextContent, isCutOff: boolean): FailureReason {
  if (isCutOff) return TEXT_TOO_LONG;
  const missing = new Set(
    runs.flatMap(({ text, family, weight, italic }) => listMissingCharacters(text, family, weight, italic)),
  );
  return missing.size === 0 ? undefined : describeUndrawable(missing);
}

function paintShape(
  ctx: CanvasContext,
  { outline, fill, stroke, trim }: ShapeContent,
  { width, height }: Size,
): void {
  const isBox = outline.form === 'rect' && coversBox(outline, width, height);
  const { path, rule } = toPath(outline);
  if (fill !== undefined && !(isBox && fillByBands(ctx, fill, width, height))) {
    ctx.fillStyle = toStyle(ctx, fill, width, height);
    ctx.fill(path, rule);
  }
  if (stroke === undefined) return;
  ctx.strokeStyle = toStyle(ctx, stroke.color, width, height);
  ctx.lineWidth = stroke.width;
  ctx.lineCap = stroke.cap;
  ctx.lineJoin = 'round';
  ctx.setLineDash([...stroke.dash]);
  if (trim === undefined) ctx.stroke(path);
  else if (trim[1] > trim[0]) ctx.stroke(createPath(path.toSVGString()).trim(trim[0], trim[1]));
}

const coversBox = (outline: Extract<Outline, { form: 'rect' }>, width: number, height: number): boolean =>
  outline.x === 0 &&
  outline.y === 0 &&
  outline.width === width &&
  outline.height === height &&
  outline.radius.every(corner => corner <= 0);

function paintImage(target: ContentTarget, content: ImageContent): FailureReason {
  const loaded = target.resources.get(content.resource);
  if (loaded?.kind !== 'image') return getReason(loaded) ?? 'has no image';
  drawFitted(target, content, loaded.image, loaded);
  return undefined;
}

/** Draws the current frame of a clip. A clip that is only a placeholder is drawn as an image. */
function paintClip(target: ContentTarget, content: ClipContent): FailureReason {
  const loaded = target.resources.get(content.resource);
  if (loaded?.kind !== 'clip') return paintImage(target, { ...content, kind: 'image' });
  const frame = loaded.frames.get(content);
  if (frame === undefined) return 'is a video without decoded frames';
  const { image, reason } = frame;
  if (image !== undefined) drawFitted(target, content, image, loaded.clip.info.video ?? image);
  return reason;
}

type FittedContent = ImageContent | ClipContent;

/** Draws the image as if its size were `natural`, whatever its size in pixels is. */
function drawFitted(target: ContentTarget, content: FittedContent, image: ImageSource, natural: Size): void {
  const { ctx, box, scale } = target;
  const [cx, cy, cw, ch] = content.crop;
  const croppedSize = { width: cw * natural.width, height: ch * natural.height };
  if (croppedSize.width < 1e-3 || croppedSize.height < 1e-3 || box.width <= 0 || box.height <= 0) return;
  ctx.imageSmoothingEnabled = true;
  if (content.fit === 'contain-blur') drawBlurredBackground(target, content, image, croppedSize);
  const placement = enlarge(
    fitImage(croppedSize, box, content.fit, content.focus),
    box,
    content.zoom,
    content.focus,
  );
  const ratio = (placement.width * scale) / (cw * image.width);
  // Each video frame is drawn only once, so a scaled copy is not worth caching.
  const source = content.kind === 'image' ? getDownscaled(image, ratio) : image;
  ctx.imageSmoothingQuality = source === image && ratio < 0.7 ? 'medium' : 'low';
  ctx.translate(content.shift[0] * box.width, content.shift[1] * box.height);
  const { width, height } = source;
  ctx.drawImage(
    source,
    cx * width,
    cy * height,
    cw * width,
    ch * height,
    placement.x,
    placement.y,
    placement.width,
    placement.height,
  );
}

/** Fills the box behind the image with an enlarged, darkened and blurred copy of the image. */
function drawBlurredBackground(
  { ctx, box, scale }: ContentTarget,
  content: FittedContent,
  image: ImageSource,
  croppedSize: Size,
): void {
  const { kind, crop, focus } = content;
  const { width, height } = image;
  const placement = enlarge(fitImage(croppedSize, box, 'cover', focus), box, 1.2, [0.5, 0.5]);
  const blurred = blurPart(image, {
    part: [crop[0] * width, crop[1] * height, crop[2] * width, crop[3] * height],
    width: placement.width * scale,
    height: placement.height * scale,
    blur: Math.min(box.width, box.height) * 0.04 * scale,
    brightness: 0.7,
    isStatic: kind === 'image',
  });
  ctx.imageSmoothingQuality = 'low';
  ctx.drawImage(blurred, placement.x, placement.y, placement.width, placement.height);
}

/** The surface of each animation, which is reused for the next frame. */
const animationSurfaces = new WeakMap<Animation, Surface>();
const MAX_ANIMATION_SIDE = 4096;

/** Draws the animation to a separate surface first, because its player ignores transform, clip and opacity. */
function paintLottie({ ctx, box, resources, scale }: ContentTarget, content: LottieContent): FailureReason {
  const loaded = resources.get(content.resource);
  if (loaded?.kind !== 'lottie') return getReason(loaded) ?? 'has no animation';
  const { animation, warning } = loaded;
  const { frames, fps } = animation;
  // Tolerates floating-point errors: 59.9999 means frame 60.
  const frameNumber = content.seconds * content.speed * fps + 1e-3;
  animation.seekFrame(content.loop && frames > 0 ? frameNumber % frames : Math.min(frames, frameNumber));
  const placement = fitImage(animation, box, content.fit, [0.5, 0.5]);
  const ratio = Math.min(
    Math.max(placement.width / animation.width, placement.height / animation.height) * scale,
    MAX_ANIMATION_SIDE / Math.max(animation.width, animation.height),
  );
  const [width, height] = [Math.ceil(animation.width * ratio), Math.ceil(animation.height * ratio)];
  if (width < 1 || height < 1) return warning;
  const target = getAnimationSurface(animation, width, height);
  target.ctx.reset();
  animation.render(target.ctx, { x: 0, y: 0, width, height });
  ctx.drawImage(target.canvas, placement.x, placement.y, placement.width, placement.height);
  return warning;
}

function getAnimationSurface(animation: Animation, width: number, height: number): Surface {
  const existing = animationSurfaces.get(animation);
  if (existing?.canvas.width === width && existing.canvas.height === height) return existing;
  const surface = createSurface(width, height);
  animationSurfaces.set(animation, surface);
  return surface;
}

const getReason = (loaded: LoadedResource | undefined): FailureReason =>
  loaded?.kind === 'absent' ? loaded.reason : undefined;
