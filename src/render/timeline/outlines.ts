// Builds the outlines of named shapes in their box.
import type { Clip } from '../schema/common.ts';
import type { SHAPES } from '../schema/elements.ts';
import type { Corners, Outline } from './draw-list.ts';
import { IDENTITY } from './matrix.ts';
import { animateLength, type Scope } from './scope.ts';

export interface ShapeBox {
  readonly width: number;
  readonly height: number;
  readonly radius: Corners;
  readonly sides: number;
  readonly inner: number;
  /** Degrees clockwise from the top. */
  readonly startAngle: number;
  readonly endAngle: number;
}

export const toRect = (width: number, height: number, radius: Corners = [0, 0, 0, 0]): Outline => ({
  form: 'rect',
  x: 0,
  y: 0,
  width,
  height,
  radius,
});

type Ellipse = Extract<Outline, { form: 'ellipse' }>;

const toEllipse = (width: number, height: number): Ellipse => ({
  form: 'ellipse',
  x: width / 2,
  y: height / 2,
  rx: width / 2,
  ry: height / 2,
});

export const createCircle = (x: number, y: number, radius: number): Ellipse => ({
  form: 'ellipse',
  x,
  y,
  rx: radius,
  ry: radius,
});

/** Returns the largest circle that fits, centered in the box. */
const toCircle = ({ width, height }: Pick<ShapeBox, 'width' | 'height'>): Ellipse =>
  createCircle(width / 2, height / 2, Math.min(width, height) / 2);

const HEART =
  'M50 92 C18 66 4 48 4 28 C4 13 15 4 28 4 C38 4 46 9 50 18 C54 9 62 4 72 4 C85 4 96 13 96 28 C96 48 82 66 50 92 Z';

const SHAPE_OUTLINES: Readonly<Record<(typeof SHAPES)[number], (box: ShapeBox) => Outline>> = {
  rectangle: ({ width, height, radius }) => toRect(width, height, radius),
  ellipse: ({ width, height }) => toEllipse(width, height),
  circle: toCircle,
  line: ({ width, height }) => ({
    form: 'points',
    closed: false,
    points: [
      [0, height / 2],
      [width, height / 2],
    ],
  }),
  polygon: box => createRadialOutline(box, box.sides, () => 1),
  star: box => createRadialOutline(box, box.sides * 2, index => (index % 2 === 0 ? 1 : box.inner)),
  arc: box => ({ ...toCircle(box), arc: [box.startAngle, box.endAngle] }),
  ring: box => createRing(box),
  arrow: ({ width, height }) => {
    const [neck, head] = [height * 0.28, Math.min(width, height * 0.9)];
    return {
      form: 'points',
      closed: true,
      points: [
        [0, height / 2 - neck / 2],
        [width - head, height / 2 - neck / 2],
        [width - head, 0],
        [width, height / 2],
        [width - head, height],
        [width - head, height / 2 + neck / 2],
        [0, height / 2 + neck / 2],
      ],
    };
  },
  heart: ({ width, height }) => ({
    form: 'path',
    data: HEART,
    matrix: [width / 100, 0, 0, height / 96, 0, 0],
  }),
};

export function createShapeOutline(shape: (typeof SHAPES)[number], box: ShapeBox): Outline {
  return SHAPE_OUTLINES[shape](box);
}

function createRadialOutline(
  { width, height }: ShapeBox,
  count: number,
  getRadius: (index: number) => number,
): Outline {
  const points = Array.from({ length: count }, (_, index): readonly [number, number] => {
    const angle = (index / count) * 2 * Math.PI - Math.PI / 2;
    return [
      (width / 2) * (1 + Math.cos(angle) * getRadius(index)),
      (height / 2) * (1 + Math.sin(angle) * getRadius(index)),
    ];
  });
  return { form: 'points', closed: true, points };
}

/** Returns two circles. With the even-odd rule, the inner circle is a hole. */
function createRing(box: ShapeBox): Outline {
  const outer = toCircle(box);
  return { form: 'many', parts: [outer, { ...outer, rx: outer.rx * box.inner, ry: outer.ry * box.inner }] };
}

export function createClipOutline(
  clip: Clip,
  width: number,
  height: number,
  radius: Corners,
  scope: Scope,
): Outline {
  if (clip === 'box') return toRect(width, height, radius);
  if (clip === 'circle') return toCircle({ width, height });
  if (clip === 'ellipse') return toEllipse(width, height);
  if ('polygon' in clip)
    return { form: 'points', closed: true, points: clip.polygon.map(([x, y]) => [x * width, y * height]) };
  if ('path' in clip) return { form: 'path', data: clip.path, matrix: IDENTITY };
  const [top = 0, right = 0, bottom = 0, left = 0] = clip.inset.map((side, index) =>
    animateLength(side, 0, index % 2 === 0 ? height : width, scope),
  );
  return createInsetRect(width, height, [top, right, bottom, left], radius);
}

/** Returns the box reduced by insets in pixels from top, right, bottom and left. */
export function createInsetRect(
  width: number,
  height: number,
  [top, right, bottom, left]: readonly [number, number, number, number],
  radius: Corners = [0, 0, 0, 0],
): Outline {
  return {
    form: 'rect',
    x: left,
    y: top,
    width: Math.max(0, width - left - right),
    height: Math.max(0, height - top - bottom),
    radius,
  };
}
