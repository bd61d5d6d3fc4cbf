// Draws the content of a node into its box: text, images, shapes, animations. One table row per kind.

import type {
  ClipContent,
  DrawNode,
  LottieContent,
  Outline,
  PictureContent,
  ShapeContent,
} from '../timeline/draw-list.ts';
import {
  type Animation,
  type Brush,
  createPath,
  createSurface,
  type Picture,
  type Surface,
} from './canvas.ts';
import { fillByBands, pathOf, styleOf } from './fill.ts';
import { enlarge, place, type Size } from './place.ts';
import type { Loaded, Resources } from './resources.ts';
import { blurredPart, downscaled } from './scaled-pictures.ts';
import { paintText } from './text.ts';

/** Why the content could not be drawn, or undefined if it was. */
type Reason = string | undefined;

const TOO_LONG = 'has more text than its box takes at the smallest size, and the rest is left out';

/** What a content painter draws with and into. */
interface Place {
  readonly brush: Brush;
  readonly box: Size;
  readonly resources: Resources;
  readonly scale: number;
}

export function paintContent(brush: Brush, node: DrawNode, resources: Resources, scale: number): Reason {
  const { content, width, height } = node;
  const at: Place = { brush, box: { width, height }, resources, scale };
  switch (content.kind) {
    case 'text':
      return paintText(brush, content, at.box, scale) ? TOO_LONG : undefined;
    case 'shape':
      paintShape(brush, content, at.box);
      return undefined;
    case 'picture':
      return paintPicture(at, content);
    case 'lottie':
      return paintLottie(at, content);
    case 'clip':
      return paintClip(at, content);
    case 'missing':
      return content.reason;
    case 'none':
    case 'group':
      return undefined;
    default:
      return content satisfies never;
  }
}

function paintShape(
  brush: Brush,
  { outline, fill, stroke, trim }: ShapeContent,
  { width, height }: Size,
): void {
  const isBox = outline.form === 'rect' && isWholeBox(outline, width, height);
  const { path, rule } = pathOf(outline);
  if (fill !== undefined && !(isBox && fillByBands(brush, fill, width, height))) {
    brush.fillStyle = styleOf(brush, fill, width, height);
    brush.fill(path, rule);
  }
  if (stroke === undefined) return;
  brush.strokeStyle = styleOf(brush, stroke.color, width, height);
  brush.lineWidth = stroke.width;
  brush.lineCap = stroke.cap;
  brush.lineJoin = 'round';
  brush.setLineDash([...stroke.dash]);
  if (trim === undefined) brush.stroke(path);
  else if (trim[1] > trim[0]) brush.stroke(createPath(path.toSVGString()).trim(trim[0], trim[1]));
}

const isWholeBox = (outline: Extract<Outline, { form: 'rect' }>, width: number, height: number): boolean =>
  outline.x === 0 &&
  outline.y === 0 &&
  outline.width === width &&
  outline.height === height &&
  outline.radius.every(corner => corner <= 0);

function paintPicture(at: Place, content: PictureContent): Reason {
  const loaded = at.resources.get(content.resource);
  if (loaded?.kind !== 'picture') return reasonOf(loaded) ?? 'has no picture';
  drawFitted(at, content, loaded.picture, loaded);
  return undefined;
}

/** A placeholder is drawn as a regular image. */
function paintClip(at: Place, content: ClipContent): Reason {
  const loaded = at.resources.get(content.resource);
  if (loaded?.kind !== 'clip') return paintPicture(at, { ...content, kind: 'picture' });
  const shown = loaded.shown.get(content);
  if (shown === undefined) return 'is a video, of which no frame was decoded';
  const { picture, reason } = shown;
  if (picture !== undefined) drawFitted(at, content, picture, loaded.clip.facts.video ?? picture);
  return reason;
}

type Pictured = PictureContent | ClipContent;

/** Draws the image as if it had `natural` size, whatever its pixel size is. */
function drawFitted(spot: Place, content: Pictured, picture: Picture, natural: Size): void {
  const { brush, box, scale } = spot;
  const [cx, cy, cw, ch] = content.crop;
  const part = { width: cw * natural.width, height: ch * natural.height };
  if (part.width < 1e-3 || part.height < 1e-3 || box.width <= 0 || box.height <= 0) return;
  brush.imageSmoothingEnabled = true;
  if (content.fit === 'contain-blur') drawBlurred(spot, content, picture, part);
  const at = enlarge(place(part, box, content.fit, content.focus), box, content.zoom, content.focus);
  const ratio = (at.width * scale) / (cw * picture.width);
  // Video frames are shown once, so caching scaled copies of them does not pay.
  const source = content.kind === 'picture' ? downscaled(picture, ratio) : picture;
  brush.imageSmoothingQuality = source === picture && ratio < 0.7 ? 'medium' : 'low';
  brush.translate(content.shift[0] * box.width, content.shift[1] * box.height);
  const { width, height } = source;
  brush.drawImage(source, cx * width, cy * height, cw * width, ch * height, at.x, at.y, at.width, at.height);
}

/** Fills the area that the image leaves free with an enlarged, darkened and blurred copy of it. */
function drawBlurred({ brush, box, scale }: Place, content: Pictured, picture: Picture, part: Size): void {
  const { kind, crop, focus } = content;
  const { width, height } = picture;
  const at = enlarge(place(part, box, 'cover', focus), box, 1.2, [0.5, 0.5]);
  const blurred = blurredPart(picture, {
    part: [crop[0] * width, crop[1] * height, crop[2] * width, crop[3] * height],
    width: at.width * scale,
    height: at.height * scale,
    blur: Math.min(box.width, box.height) * 0.04 * scale,
    brightness: 0.7,
    isLasting: kind === 'picture',
  });
  brush.imageSmoothingQuality = 'low';
  brush.drawImage(blurred, at.x, at.y, at.width, at.height);
}

/** The surface on which each animation was last drawn, reused for its next frame. */
const animationSurfaces = new WeakMap<Animation, Surface>();
const MAX_STAGE_SIDE = 4096;

/** The player ignores the brush's transform, clip and opacity, so it draws onto a surface of its own. */
function paintLottie({ brush, box, resources, scale }: Place, content: LottieContent): Reason {
  const loaded = resources.get(content.resource);
  if (loaded?.kind !== 'lottie') return reasonOf(loaded) ?? 'has no animation';
  const { animation, lacks } = loaded;
  const { frames, fps } = animation;
  // Round to the nearest frame: 59.9999, from floating point, means frame 60.
  const moment = content.seconds * content.speed * fps + 1e-3;
  animation.seekFrame(content.loop && frames > 0 ? moment % frames : Math.min(frames, moment));
  const at = place(animation, box, content.fit, [0.5, 0.5]);
  const ratio = Math.min(
    Math.max(at.width / animation.width, at.height / animation.height) * scale,
    MAX_STAGE_SIDE / Math.max(animation.width, animation.height),
  );
  const [width, height] = [Math.ceil(animation.width * ratio), Math.ceil(animation.height * ratio)];
  if (width < 1 || height < 1) return lacks;
  const target = animationSurface(animation, width, height);
  target.brush.reset();
  animation.render(target.brush, { x: 0, y: 0, width, height });
  brush.drawImage(target.canvas, at.x, at.y, at.width, at.height);
  return lacks;
}

function animationSurface(animation: Animation, width: number, height: number): Surface {
  const known = animationSurfaces.get(animation);
  if (known?.canvas.width === width && known.canvas.height === height) return known;
  const made = createSurface(width, height);
  animationSurfaces.set(animation, made);
  return made;
}

const reasonOf = (loaded: Loaded | undefined): Reason =>
  loaded?.kind === 'absent' ? loaded.reason : undefined;
