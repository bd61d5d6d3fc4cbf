// Draws what a node contains, in its box: texts, pictures, shapes, animations. One row a kind.

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
import type { Resources } from './resources.ts';
import { blurredPart, shrunk } from './scaled-pictures.ts';
import { paintText } from './text.ts';

/** Why it could not be drawn; undefined where it was. */
type Reason = string | undefined;

const TOO_LONG = 'has more text than its box takes at the smallest size, and the rest is left out';

export function paintContent(brush: Brush, node: DrawNode, resources: Resources, scale: number): Reason {
  const { content, width, height } = node;
  switch (content.kind) {
    case 'text':
      return paintText(brush, content, { width, height }, scale) ? TOO_LONG : undefined;
    case 'shape':
      paintShape(brush, content, width, height);
      return undefined;
    case 'picture':
      return paintPicture(brush, content, { width, height }, resources, scale);
    case 'lottie':
      return paintLottie(brush, content, { width, height }, resources, scale);
    case 'clip':
      return paintClip(brush, content, { width, height }, resources, scale);
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
  width: number,
  height: number,
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

function paintPicture(
  brush: Brush,
  content: PictureContent,
  box: Size,
  resources: Resources,
  scale: number,
): Reason {
  const loaded = resources.get(content.resource);
  if (loaded?.kind !== 'picture') return reasonOf(resources, content.resource) ?? 'has no picture';
  drawFitted(brush, content, loaded.picture, loaded, box, scale);
  return undefined;
}

/** A placeholder is shown as the picture that it is. */
function paintClip(
  brush: Brush,
  content: ClipContent,
  box: Size,
  resources: Resources,
  scale: number,
): Reason {
  const loaded = resources.get(content.resource);
  if (loaded?.kind !== 'clip')
    return paintPicture(brush, { ...content, kind: 'picture' }, box, resources, scale);
  const shown = loaded.shown.get(content);
  if (shown === undefined) return 'is a video, of which no frame was decoded';
  const { picture, reason } = shown;
  if (picture !== undefined)
    drawFitted(brush, content, picture, loaded.clip.facts.video ?? picture, box, scale);
  return reason;
}

/** The picture counts as large as `natural`, whatever its pixels are. */
function drawFitted(
  brush: Brush,
  content: PictureContent | ClipContent,
  picture: Picture,
  natural: Size,
  box: Size,
  scale: number,
): void {
  const [cx, cy, cw, ch] = content.crop;
  const part = { width: cw * natural.width, height: ch * natural.height };
  if (part.width < 1e-3 || part.height < 1e-3 || box.width <= 0 || box.height <= 0) return;
  brush.imageSmoothingEnabled = true;
  if (content.fit === 'contain-blur') drawBlurred(brush, content, picture, part, box, scale);
  const at = enlarge(place(part, box, content.fit, content.focus), box, content.zoom, content.focus);
  const ratio = (at.width * scale) / (cw * picture.width);
  // Frames of clips are not seen again, so that smaller ones of them are not worth making.
  const source = content.kind === 'picture' ? shrunk(picture, ratio) : picture;
  brush.imageSmoothingQuality = source === picture && ratio < 0.7 ? 'medium' : 'low';
  brush.translate(content.shift[0] * box.width, content.shift[1] * box.height);
  const { width, height } = source;
  brush.drawImage(source, cx * width, cy * height, cw * width, ch * height, at.x, at.y, at.width, at.height);
}

/** Behind a picture that leaves a part of its box free: itself, larger, dark and without detail. */
function drawBlurred(
  brush: Brush,
  { kind, crop, focus }: PictureContent | ClipContent,
  picture: Picture,
  part: Size,
  box: Size,
  scale: number,
): void {
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

/** What each animation was drawn on last, for the next frame of it. */
const stages = new WeakMap<Animation, Surface>();
const MAX_STAGE_SIDE = 4096;

/** The player draws onto a surface of its own: it knows nothing of the brush's transform, clip and opacity. */
function paintLottie(
  brush: Brush,
  content: LottieContent,
  box: Size,
  resources: Resources,
  scale: number,
): Reason {
  const loaded = resources.get(content.resource);
  if (loaded?.kind !== 'lottie') return reasonOf(resources, content.resource) ?? 'has no animation';
  const { animation, lacks } = loaded;
  const { frames, fps } = animation;
  // Rounded to the frame: 59.9999 by the arithmetic of times is the sixtieth.
  const moment = content.seconds * content.speed * fps + 1e-3;
  animation.seekFrame(content.loop && frames > 0 ? moment % frames : Math.min(frames, moment));
  const at = place(animation, box, content.fit, [0.5, 0.5]);
  const ratio = Math.min(
    Math.max(at.width / animation.width, at.height / animation.height) * scale,
    MAX_STAGE_SIDE / Math.max(animation.width, animation.height),
  );
  const [width, height] = [Math.ceil(animation.width * ratio), Math.ceil(animation.height * ratio)];
  if (width < 1 || height < 1) return lacks;
  const stage = stageOf(animation, width, height);
  stage.brush.reset();
  animation.render(stage.brush, { x: 0, y: 0, width, height });
  brush.drawImage(stage.canvas, at.x, at.y, at.width, at.height);
  return lacks;
}

function stageOf(animation: Animation, width: number, height: number): Surface {
  const known = stages.get(animation);
  if (known?.canvas.width === width && known.canvas.height === height) return known;
  const made = createSurface(width, height);
  stages.set(animation, made);
  return made;
}

function reasonOf(resources: Resources, key: string): Reason {
  const loaded = resources.get(key);
  return loaded?.kind === 'absent' ? loaded.reason : undefined;
}
