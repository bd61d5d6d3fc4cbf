// Draws what a node holds, in its box: texts, pictures, shapes, animations. One row a kind.
import { type Brush, createPath } from './paint.ts';
import { pathOf, styleOf } from './paint-fill.ts';
import { paintText } from './paint-text.ts';
import type { Resources } from './resources.ts';
import type { DrawNode, LottieContent, PictureContent, ShapeContent } from './timeline/draw-list.ts';

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
      return reasonOf(resources, content.resource) ?? 'is a video, whose frames are not decoded yet';
    case 'missing':
      return content.reason;
    case 'none':
    case 'group':
      return undefined;
    default:
      return content satisfies never;
  }
}

interface Box {
  readonly width: number;
  readonly height: number;
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

/** Where a picture of that shape stands in the box, around the point that must stay in sight. */
function place(
  picture: Box,
  box: Box,
  fit: PictureContent['fit'],
  [fx, fy]: readonly [number, number],
): Box & { readonly x: number; readonly y: number } {
  const [sx, sy] = [box.width / picture.width, box.height / picture.height];
  const scales: Readonly<Record<PictureContent['fit'], readonly [number, number]>> = {
    cover: [Math.max(sx, sy), Math.max(sx, sy)],
    contain: [Math.min(sx, sy), Math.min(sx, sy)],
    'contain-blur': [Math.min(sx, sy), Math.min(sx, sy)],
    fill: [sx, sy],
    none: [1, 1],
  };
  const [width, height] = [picture.width * scales[fit][0], picture.height * scales[fit][1]];
  return { x: (box.width - width) * fx, y: (box.height - height) * fy, width, height };
}

function paintPicture(
  brush: Brush,
  content: PictureContent,
  box: Box,
  resources: Resources,
  scale: number,
): Reason {
  const loaded = resources.get(content.resource);
  if (loaded?.kind !== 'picture') return reasonOf(resources, content.resource) ?? 'has no picture';
  const [cx, cy, cw, ch] = content.crop;
  const source = {
    x: cx * loaded.width,
    y: cy * loaded.height,
    width: cw * loaded.width,
    height: ch * loaded.height,
  };
  if (source.width < 1e-3 || source.height < 1e-3 || box.width <= 0 || box.height <= 0) return undefined;
  brush.imageSmoothingEnabled = true;
  brush.imageSmoothingQuality = 'high';
  const draw = (at: ReturnType<typeof place>): void =>
    brush.drawImage(
      loaded.picture,
      source.x,
      source.y,
      source.width,
      source.height,
      at.x,
      at.y,
      at.width,
      at.height,
    );
  if (content.fit === 'contain-blur') {
    brush.save();
    brush.filter = `blur(${(Math.min(box.width, box.height) * 0.04 * scale).toFixed(2)}px) brightness(0.7)`;
    draw(enlarge(place(source, box, 'cover', content.focus), box, 1.2, [0.5, 0.5]));
    brush.restore();
  }
  brush.translate(content.shift[0] * box.width, content.shift[1] * box.height);
  draw(enlarge(place(source, box, content.fit, content.focus), box, content.zoom, content.focus));
  return undefined;
}

/** Larger about a point of the box, given in shares. */
function enlarge(
  at: ReturnType<typeof place>,
  box: Box,
  zoom: number,
  [fx, fy]: readonly [number, number],
): ReturnType<typeof place> {
  const [px, py] = [box.width * fx, box.height * fy];
  return {
    x: px + (at.x - px) * zoom,
    y: py + (at.y - py) * zoom,
    width: at.width * zoom,
    height: at.height * zoom,
  };
}

function paintLottie(brush: Brush, content: LottieContent, box: Box, resources: Resources): Reason {
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
