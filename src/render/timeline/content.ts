// Computes the content of an element at a moment. A table has a converter for each kind of element.
import type {
  Element,
  LottieElement,
  PathElement,
  ProgressElement,
  ShapeElement,
  VideoElement,
} from '../schema/elements.ts';
import {
  type Content,
  type Corners,
  DEFAULT_NODE,
  type Fill,
  type ImageContent,
  type Matrix,
  type Outline,
  type ShapeContent,
} from './draw-list.ts';
import { DIRECTION_VECTORS, IDENTITY } from './matrix.ts';
import { createCircle, createShapeOutline, toRect } from './outlines.ts';
import {
  animateColor,
  animateNumber,
  clampToUnit,
  type ElementContext,
  resolveColor,
  type Scope,
  solid,
  toFill,
  toSeconds,
} from './scope.ts';
import { toCounterContent, toTextContent } from './text-content.ts';
import { toWaveformContent } from './waveform.ts';

export type LeafElement = Exclude<Element, { type: 'group' }>;

const CONVERTERS: {
  readonly [K in LeafElement['type']]: (
    element: Extract<LeafElement, { type: K }>,
    ctx: ElementContext,
  ) => Content;
} = {
  text: (element, { scope, height }) => toTextContent(element, scope, height),
  counter: (element, { scope }) => toCounterContent(element, scope),
  image: (element, ctx) => toImageContent(element, ctx),
  svg: ({ fit }, ctx) => toImageContent({ fit: fit ?? 'contain' }, ctx),
  video: toVideoContent,
  audio: () => ({ kind: 'none' }),
  lottie: toLottieContent,
  shape: toShapeContent,
  path: toPathContent,
  progress: toProgressContent,
  waveform: toWaveformContent,
};

export function toContent(element: LeafElement, ctx: ElementContext): Content {
  // The compiler cannot verify that the converter takes this type of element.
  return (CONVERTERS[element.type] as (element: LeafElement, ctx: ElementContext) => Content)(element, ctx);
}

type FittedElement = Pick<Extract<Element, { type: 'image' }>, 'fit' | 'focus' | 'crop' | 'motion'>;

function toImageContent(element: FittedElement, { scope, resource }: ElementContext): ImageContent {
  const kenBurns = element.motion?.kenBurns;
  const share = clampToUnit(scope.now / Math.max(1e-6, scope.span));
  const [x = 0, y = 0, w = 1, h = 1] = element.crop ?? [];
  const from = kenBurns?.from ?? 1;
  const direction = DIRECTION_VECTORS[kenBurns?.pan ?? 'left'];
  const zoom = kenBurns === undefined ? 1 : from + ((kenBurns.to ?? 1.15) - from) * share;
  // Panning is limited to the margin that the zoom creates.
  const maxShift = kenBurns?.pan === undefined ? 0 : ((zoom - 1) / 2) * (share * 2 - 1);
  return {
    kind: 'image',
    resource,
    fit: element.fit ?? 'cover',
    focus: kenBurns?.focus ?? element.focus ?? [0.5, 0.5],
    crop: [x, y, Math.min(w, 1 - x), Math.min(h, 1 - y)],
    zoom,
    shift: [direction[0] * maxShift, direction[1] * maxShift],
  };
}

function toVideoContent(element: VideoElement, ctx: ElementContext): Content {
  const { scope } = ctx;
  const trim = element.trim === undefined ? 0 : toSeconds(element.trim, scope.span, scope.fps);
  const speed = element.speed ?? 1;
  return {
    ...toImageContent(element, ctx),
    kind: 'clip',
    seconds: trim + scope.now * speed,
    trim,
    step: (scope.rate * speed) / scope.fps,
    loop: element.loop ?? false,
  };
}

function toLottieContent(element: LottieElement, { scope, resource }: ElementContext): Content {
  return {
    kind: 'lottie',
    resource,
    fit: element.fit ?? 'contain',
    seconds: scope.now,
    speed: element.speed ?? 1,
    loop: element.loop ?? true,
  };
}

function toShapeContent(element: ShapeElement, { scope, width, height, radius }: ElementContext): Content {
  const outline = createShapeOutline(element.shape, {
    width,
    height,
    radius,
    sides: element.sides ?? 5,
    inner: element.inner ?? 0.5,
    startAngle: animateNumber(element.startAngle, 0, scope),
    endAngle: animateNumber(element.endAngle, 270, scope),
  });
  const isLine = element.shape === 'line' || element.shape === 'arc';
  const staticFill = element.fill === undefined ? undefined : toFill(element.fill, scope.names);
  const ownFill =
    element.fillColor === undefined ? staticFill : solid(animateColor(element.fillColor, scope));
  const fill = ownFill ?? (element.stroke === undefined && !isLine ? WHITE : undefined);
  // A line without a stroke color is drawn in its fill color.
  const lineFill = isLine && element.stroke === undefined ? (ownFill ?? WHITE) : undefined;
  return toShape(element, scope, outline, isLine ? undefined : fill, lineFill);
}

const WHITE = solid([255, 255, 255, 1]);

function toPathContent(element: PathElement, { scope, width, height }: ElementContext): Content {
  const [x = 0, y = 0, w = 1, h = 1] = element.viewBox ?? [];
  const matrix: Matrix =
    element.viewBox === undefined
      ? IDENTITY
      : [width / (w || 1), 0, 0, height / (h || 1), (-x * width) / (w || 1), (-y * height) / (h || 1)];
  const defaultFill = element.stroke === undefined ? WHITE : undefined;
  const fill = element.fill === undefined ? defaultFill : toFill(element.fill, scope.names);
  return toShape(element, scope, { form: 'path', data: element.path, matrix }, fill, undefined);
}

function toShape(
  element: ShapeElement | PathElement,
  scope: Scope,
  outline: Outline,
  fill: Fill | undefined,
  lineFill: Fill | undefined,
): ShapeContent {
  const [start, end] = [animateNumber(element.trimStart, 0, scope), animateNumber(element.trimEnd, 1, scope)];
  const width = animateNumber(element.strokeWidth, 4, scope);
  const color = element.stroke === undefined ? lineFill : solid(animateColor(element.stroke, scope));
  return {
    kind: 'shape',
    outline,
    ...(fill === undefined ? {} : { fill }),
    ...(color === undefined || width <= 0
      ? {}
      : { stroke: { color, width, dash: element.dash ?? [], cap: element.cap ?? 'butt' } }),
    ...(start <= 0 && end >= 1 ? {} : { trim: [clampToUnit(start), clampToUnit(end)] as const }),
  };
}

function toProgressContent(element: ProgressElement, ctx: ElementContext): Content {
  const { scope } = ctx;
  const value = clampToUnit(
    element.value === undefined ? scope.now / scope.span : animateNumber(element.value, 0, scope),
  );
  const fill = toFill(element.color ?? '#ffffff', scope.names);
  const trackFill = solid(resolveColor(element.trackColor ?? '#ffffff33', scope.names));
  const shapes = PROGRESS_FORMS[element.form ?? 'bar'](element, ctx, value, fill, trackFill);
  return toGroupContent(ctx, shapes);
}

const createShape = (outline: Outline, fill: Fill): ShapeContent => ({ kind: 'shape', outline, fill });

type CreateProgressShapes = (
  element: ProgressElement,
  ctx: ElementContext,
  value: number,
  fill: Fill,
  trackFill: Fill,
) => readonly ShapeContent[];

const PROGRESS_FORMS: Readonly<Record<NonNullable<ProgressElement['form']>, CreateProgressShapes>> = {
  bar: ({ rounded }, { width, height }, value, fill, trackFill) => {
    const endRadius = rounded === false ? 0 : height / 2;
    const radius: Corners = [endRadius, endRadius, endRadius, endRadius];
    return [
      createShape(toRect(width, height, radius), trackFill),
      createShape(toRect(Math.max(value * width, value > 0 ? endRadius * 2 : 0), height, radius), fill),
    ];
  },
  ring: ({ thickness, rounded }, { width, height }, value, fill, trackFill) => {
    const lineWidth = thickness ?? Math.min(width, height) * 0.12;
    const radius = Math.max(0, Math.min(width, height) / 2 - lineWidth / 2);
    const circle = createCircle(width / 2, height / 2, radius);
    const stroke = { width: lineWidth, dash: [], cap: rounded === false ? 'butt' : 'round' } as const;
    const track: ShapeContent = { kind: 'shape', outline: circle, stroke: { ...stroke, color: trackFill } };
    if (value <= 0) return [track];
    const arc: Outline = { ...circle, arc: [0, Math.min(359.99, value * 360)] };
    return [track, { kind: 'shape', outline: arc, stroke: { ...stroke, color: fill } }];
  },
  pie: (_element, { width, height }, value, fill, trackFill) => {
    const circle = createCircle(width / 2, height / 2, Math.min(width, height) / 2);
    return [
      createShape(circle, trackFill),
      createShape({ ...circle, arc: [0, value * 360], pie: true }, fill),
    ];
  },
  segments: ({ segments = 5 }, { width, height }, value, fill, trackFill) => {
    const gap = Math.min(height, (width / segments) * 0.2);
    const segmentWidth = (width - gap * (segments - 1)) / segments;
    const endRadius = Math.min(segmentWidth, height) / 2;
    const createBar = (index: number, share: number): Outline => ({
      form: 'rect',
      x: index * (segmentWidth + gap),
      y: 0,
      width: segmentWidth * share,
      height,
      radius: [endRadius, endRadius, endRadius, endRadius],
    });
    return Array.from({ length: segments }, (_, index) => {
      const share = clampToUnit(value * segments - index);
      const track = createShape(createBar(index, 1), trackFill);
      return share > 0 ? [track, createShape(createBar(index, share), fill)] : [track];
    }).flat();
  },
};

/** Combines shapes into a group. Each has the group's box. */
function toGroupContent({ width, height }: ElementContext, shapes: readonly ShapeContent[]): Content {
  return {
    kind: 'group',
    children: shapes.map(content => ({
      ...DEFAULT_NODE,
      pointer: '',
      matrix: IDENTITY,
      width,
      height,
      content,
    })),
  };
}
