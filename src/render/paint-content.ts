// Draws what a node holds, in its box: texts, pictures, shapes, animations. One row a kind.
import { type Brush, createPath, type Picture } from './paint.ts';
import { pathOf, styleOf } from './paint-fill.ts';
import { paintText } from './paint-text.ts';
import { enlarge, place, type Size } from './place.ts';
import type { Resources } from './resources.ts';
import { blurredPart, shrunk } from './scaled-pictures.ts';
import type {
  ClipContent,
  DrawNode,
  LottieContent,
  PictureContent,
  ShapeContent,
} from './timeline/draw-list.ts';

/** Why it could not be drawn; undefined where it was. */
type Reason = string | undefined;

export function paintContent(brush: Brush, node: DrawNode, resources: Resources, scale: number): Reason {
  const { content, width, height } = node;
  switch (content.kind) {
    case 'text':
      paintText(brush, content, { width, height }, scale);
      return undefined;
    case 'shape':
      paintShape(brush, content, width, height);
      return undefined;
    case 'picture':
      return paintPicture(brush, content, { width, height }, resources, scale);
    case 'lottie':
      return paintLottie(brush, content, { width, height }, resources);
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
  const { path, rule } = pathOf(outline);
  if (fill !== undefined) {
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

/** The picture counts as large as `natural`, whatever pixels it is held in. */
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
  { crop, focus }: PictureContent | ClipContent,
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
  });
  brush.imageSmoothingQuality = 'low';
  brush.drawImage(blurred, at.x, at.y, at.width, at.height);
}

function paintLottie(brush: Brush, content: LottieContent, box: Size, resources: Resources): Reason {
  const loaded = resources.get(content.resource);
  if (loaded?.kind !== 'lottie') return reasonOf(resources, content.resource) ?? 'has no animation';
  const { animation } = loaded;
  const length = Math.max(1e-3, animation.duration);
  const at = content.seconds * content.speed;
  const share = content.loop ? (at % length) / length : Math.min(1, at / length);
  animation.seek(share);
  const { x, y, width, height } = place(animation, box, content.fit, [0.5, 0.5]);
  animation.render(brush, { x, y, width, height });
  return undefined;
}

function reasonOf(resources: Resources, key: string): Reason {
  const loaded = resources.get(key);
  return loaded?.kind === 'absent' ? loaded.reason : undefined;
}
