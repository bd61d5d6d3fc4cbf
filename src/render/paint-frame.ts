// A draw list → pixels. Whatever must be blended as a whole is drawn on a surface of its own first.
import { type Brush, createSurface, type Surface } from './paint.ts';
import { paintContent } from './paint-content.ts';
import { cssColor, pathOf, styleOf } from './paint-fill.ts';
import { textHeight } from './paint-text.ts';
import type { Resources } from './resources.ts';
import type { DrawList, DrawNode, Effect } from './timeline/draw-list.ts';
import { insetRect, rectOf } from './timeline/outlines.ts';

export interface Painted {
  /** What could not be drawn, by JSON pointer. */
  readonly warnings: readonly string[];
  /** Rows [from, to) of the surface that differ from what the call before left; undefined where none do. */
  readonly rows: readonly [from: number, to: number] | undefined;
}

/** One drawing thread's means: surfaces are kept from frame to frame. */
export interface Painter {
  /** Draws the frame onto `surface`. */
  paint(list: DrawList): Painted;
  readonly surface: Surface;
}

/** A painter of frames of that size; `scale` shrinks what is drawn. */
export function createPainter(width: number, height: number, scale: number, resources: Resources): Painter {
  const size = {
    width: Math.max(1, Math.round(width * scale)),
    height: Math.max(1, Math.round(height * scale)),
  };
  const surface = createSurface(size.width, size.height);
  const spare: Surface[] = [];
  const most = Math.max(4, Math.floor(MAX_LAYER_PIXELS / (size.width * size.height)));
  let borrowed = 0;
  const borrow = (): Surface => {
    const layer = spare.pop() ?? createSurface(size.width, size.height);
    borrowed++;
    layer.brush.reset();
    return layer;
  };
  return {
    surface,
    paint(list) {
      const warnings = new Map<string, string>();
      const stage: Stage = {
        resources,
        warnings,
        // A mask takes a second surface.
        hasRoom: () => borrowed + 2 <= most,
        borrow,
        give: layer => {
          borrowed--;
          spare.push(layer);
        },
      };
      const { brush } = surface;
      brush.reset();
      brush.fillStyle = '#000000';
      brush.fillRect(0, 0, size.width, size.height);
      brush.scale(size.width / width, size.height / height);
      for (const { node } of list.layers) paintNode(brush, node, stage);
      return { warnings: [...warnings.values()], rows: [0, size.height] };
    },
  };
}

/** Of all surfaces that are held at once: a quarter of a gigabyte. */
const MAX_LAYER_PIXELS = 64_000_000;

interface Stage {
  readonly resources: Resources;
  /** By pointer, so that each element is named once. */
  readonly warnings: Map<string, string>;
  /** Whether another surface may be borrowed: those of groups within groups are held together. */
  hasRoom(): boolean;
  borrow(): Surface;
  give(layer: Surface): void;
}

const BLENDS: Readonly<Record<string, Brush['globalCompositeOperation']>> = {
  normal: 'source-over',
  add: 'lighter',
};

function paintNode(brush: Brush, given: DrawNode, stage: Stage): void {
  const height =
    Number.isNaN(given.height) && given.content.kind === 'text'
      ? textHeight(brush, given.content, given.width)
      : given.height;
  brush.save();
  brush.transform(...given.matrix);
  if (height !== given.height) brush.translate(0, -given.anchorY * height);
  const node = { ...given, height };
  brush.globalCompositeOperation = BLENDS[node.blend] ?? (node.blend as Brush['globalCompositeOperation']);
  brush.globalAlpha *= node.opacity;
  paintPlaced(brush, node, stage);
  brush.restore();
}

/**
 * The node at its place, the brush set to its opacity and blend. From the outside in: shadow, mask, clips, filters,
 * content; each that is there takes a surface with all that is further in.
 */
function paintPlaced(brush: Brush, node: DrawNode, stage: Stage): void {
  const { shadow, mask, effects, ...inner } = node;
  const scale = scaleOf(brush);
  if (!stage.hasRoom()) {
    stage.warnings.set(node.pointer, `${node.pointer} lies in too many groups that are blended as a whole.`);
    clipTo(brush, node);
    paintInside(brush, node, stage);
    return;
  }
  if (shadow !== undefined) {
    onLayer(
      brush,
      stage,
      layer => paintPlaced(layer, { ...inner, effects, ...(mask && { mask }) }, stage),
      () => {
        brush.shadowColor = cssColor(shadow.color);
        brush.shadowBlur = shadow.blur * scale;
        brush.shadowOffsetX = shadow.x * scale;
        brush.shadowOffsetY = shadow.y * scale;
      },
    );
    return;
  }
  if (mask !== undefined) {
    onLayer(brush, stage, layer => {
      layer.save();
      paintPlaced(layer, { ...inner, effects }, stage);
      layer.restore();
      applyMask(layer, mask, stage);
    });
    return;
  }
  clipTo(brush, node);
  if (effects.length > 0) {
    onLayer(
      brush,
      stage,
      layer => paintInside(layer, node, stage),
      () => {
        brush.filter = filterText(effects, scale);
      },
      node.fillsFrame === true ? 2.2 * scale * blurOf(effects) : 0,
    );
    return;
  }
  if ((brush.globalAlpha < 1 || node.blend !== 'normal') && !isSingle(node)) {
    onLayer(brush, stage, layer => paintInside(layer, node, stage));
    return;
  }
  paintInside(brush, node, stage);
}

/**
 * Draws on a surface of its own, with the same transform, and puts that onto the brush as it is then set; `bleed`
 * pixels larger on either side, so that edges which a blur has faded lie beyond the frame.
 */
function onLayer(
  brush: Brush,
  stage: Stage,
  draw: (layer: Brush) => void,
  set?: () => void,
  bleed = 0,
): void {
  const layer = stage.borrow();
  layer.brush.setTransform(brush.getTransform());
  draw(layer.brush);
  brush.save();
  brush.resetTransform();
  set?.();
  const { width, height } = layer.canvas;
  const share = bleed / Math.min(width, height);
  const [wide, tall] = [share * width, share * height];
  brush.drawImage(layer.canvas, -wide, -tall, width + 2 * wide, height + 2 * tall);
  brush.restore();
  stage.give(layer);
}

/** Whether the node is drawn by one stroke of the brush, so that opacity and blend need no surface. */
function isSingle({ content, background, border }: DrawNode): boolean {
  if (background !== undefined || border !== undefined) return false;
  if (content.kind === 'shape') return content.fill === undefined || content.stroke === undefined;
  if (content.kind === 'picture') return content.fit !== 'contain-blur';
  return (
    content.kind === 'text' &&
    content.stroke === undefined &&
    content.plate === undefined &&
    content.shadow === undefined
  );
}

function clipTo(brush: Brush, { clips }: DrawNode): void {
  for (const outline of clips) {
    const { path, rule } = pathOf(outline);
    brush.clip(path, rule);
  }
}

function paintInside(brush: Brush, node: DrawNode, stage: Stage): void {
  const { width, height, background, border, radius, content } = node;
  if (background !== undefined) {
    brush.fillStyle = styleOf(brush, background, width, height);
    brush.fill(pathOf(rectOf(width, height, radius)).path);
  }
  if (content.kind === 'group') for (const child of content.children) paintNode(brush, child, stage);
  else {
    const reason = paintContent(brush, node, stage.resources, scaleOf(brush));
    if (reason !== undefined) stage.warnings.set(node.pointer, `${node.pointer} ${reason}.`);
  }
  if (border === undefined || border.width <= 0) return;
  const half = border.width / 2;
  const inside = radius.map(corner => Math.max(0, corner - half));
  const [a = 0, b = 0, c = 0, d = 0] = inside;
  brush.strokeStyle = cssColor(border.color);
  brush.lineWidth = border.width;
  brush.stroke(pathOf(insetRect(width, height, [half, half, half, half], [a, b, c, d])).path);
}

/** Keeps of the layer what the mask lets through. */
function applyMask(layer: Brush, { node, mode, invert }: NonNullable<DrawNode['mask']>, stage: Stage): void {
  const through = stage.borrow();
  through.brush.setTransform(layer.getTransform());
  paintNode(through.brush, node, stage);
  if (mode === 'luma') brightnessToAlpha(through);
  layer.save();
  layer.resetTransform();
  layer.globalAlpha = 1;
  layer.globalCompositeOperation = invert ? 'destination-out' : 'destination-in';
  layer.drawImage(through.canvas, 0, 0);
  layer.restore();
  stage.give(through);
}

function brightnessToAlpha({ canvas, brush }: Surface): void {
  const image = brush.getImageData(0, 0, canvas.width, canvas.height);
  const { data } = image;
  for (let at = 0; at < data.length; at += 4) {
    const [r = 0, g = 0, b = 0, a = 0] = [data[at], data[at + 1], data[at + 2], data[at + 3]];
    data[at + 3] = ((r * 0.2126 + g * 0.7152 + b * 0.0722) * a) / 255;
  }
  brush.putImageData(image, 0, 0);
}

/** How much larger the transform draws, which shadows and blurs do not follow by themselves. */
function scaleOf(brush: Brush): number {
  const { a, b, c, d } = brush.getTransform();
  return Math.sqrt(Math.abs(a * d - b * c));
}

const blurOf = (effects: readonly Effect[]): number =>
  effects.reduce((sum, { type, amount }) => (type === 'blur' ? sum + amount : sum), 0);

const FILTERS: Readonly<Record<string, (amount: number, scale: number) => string>> = {
  blur: (amount, scale) => `blur(${Math.min(400, Math.max(0, amount * scale)).toFixed(2)}px)`,
  'hue-rotate': amount => `hue-rotate(${amount.toFixed(2)}deg)`,
};

function filterText(effects: readonly Effect[], scale: number): string {
  return effects
    .map(({ type, amount }) => FILTERS[type]?.(amount, scale) ?? `${type}(${Math.max(0, amount).toFixed(4)})`)
    .join(' ');
}
