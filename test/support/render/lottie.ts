// Creates minimal Lottie animations: layers of shapes and animated values.

type Value = number | readonly number[];
export type Layer = Readonly<Record<string, unknown>>;

/** Creates a constant value. */
export const still = (value: unknown) => ({ a: 0, k: value });

/** Creates a value that changes linearly from keyframe to keyframe. */
export const moving = (...keys: readonly (readonly [frame: number, value: Value])[]) => ({
  a: 1,
  k: keys.map(([t, value]) => ({
    t,
    s: [value].flat(),
    i: { x: [1], y: [1] },
    o: { x: [0], y: [0] },
  })),
});

/** Creates a value that stays constant until the next keyframe. */
export const holding = (...keys: readonly (readonly [frame: number, value: Value])[]) => ({
  a: 1,
  k: keys.map(([t, value]) => ({ t, s: [value].flat(), h: 1 })),
});

const transform = (fields: object = {}) => ({
  o: still(100),
  r: still(0),
  p: still([0, 0, 0]),
  a: still([0, 0, 0]),
  s: still([100, 100, 100]),
  ...fields,
});

export const group = (...items: readonly object[]) => ({
  ty: 'gr',
  it: [
    ...items,
    { ty: 'tr', p: still([0, 0]), a: still([0, 0]), s: still([100, 100]), r: still(0), o: still(100) },
  ],
});
export const fill = (color: readonly number[]) => ({ ty: 'fl', c: still(color), o: still(100) });
export const stroke = (color: readonly number[], width: number) => ({
  ty: 'st',
  c: still(color),
  o: still(100),
  w: still(width),
  lc: 1,
  lj: 1,
});
export const rectangle = (position: readonly number[], size: readonly number[]) => ({
  ty: 'rc',
  p: still(position),
  s: still(size),
  r: still(0),
});
export const line = (...points: readonly (readonly number[])[]) => ({
  ty: 'sh',
  ks: still({
    c: false,
    v: points,
    i: points.map(() => [0, 0]),
    o: points.map(() => [0, 0]),
  }),
});

const layer = (fields: object, transformFields: object): Layer => ({
  ddd: 0,
  ind: 1,
  sr: 1,
  ks: transform(transformFields),
  ao: 0,
  ip: 0,
  op: 1000,
  st: 0,
  bm: 0,
  ...fields,
});
export const shapes = (items: readonly object[], fields: object = {}, transformFields: object = {}): Layer =>
  layer({ ty: 4, shapes: items, ...fields }, transformFields);
export const composition = (refId: string): Layer => layer({ ty: 0, refId, w: 100, h: 100 }, {});
export const image = (refId: string): Layer => layer({ ty: 2, refId }, {});
export const words = (text: string, font: string, size: number, position: readonly number[]): Layer =>
  layer(
    {
      ty: 5,
      t: {
        d: { k: [{ t: 0, s: { s: size, f: font, t: text, j: 0, tr: 0, lh: size, ls: 0, fc: [1, 1, 1] } }] },
        p: {},
        m: { g: 1, a: still([0, 0]) },
        a: [],
      },
    },
    { p: still([...position, 0]) },
  );

/** Creates an animation of 100 × 100 pixels and 60 frames, at 30 frames per second. */
export const animation = (layers: readonly Layer[], fields: object = {}) => ({
  v: '5.7.0',
  fr: 30,
  ip: 0,
  op: 60,
  w: 100,
  h: 100,
  assets: [],
  layers,
  ...fields,
});

/** Creates an animation of a card, a ring that is drawn around the card, a ball behind a mask, and a word. */
export function sampleAnimation(): object {
  const box = (left: number, top: number, right: number, bottom: number) => {
    const corners = [
      [left, top],
      [right, top],
      [right, bottom],
      [left, bottom],
    ];
    const straight = corners.map(() => [0, 0]);
    return still({ c: true, v: corners, i: straight, o: straight });
  };
  const circle = (x: number, y: number, side: number) => ({
    ty: 'el',
    p: still([x, y]),
    s: still([side, side]),
  });
  const ball = shapes(
    [group(circle(0, 0, 30), fill([1, 0.35, 0.2]))],
    {
      hasMask: true,
      masksProperties: [{ mode: 'a', inv: false, pt: box(-200, -200, 200, 8), o: still(100), x: still(0) }],
    },
    { p: moving([0, [20, 80, 0]], [30, [80, 20, 0]], [60, [20, 80, 0]]) },
  );
  const trim = { ty: 'tm', s: still(0), e: moving([0, 0], [40, 100]), o: still(0), m: 1 };
  const ring = shapes([group(circle(50, 50, 80), trim, stroke([0.2, 0.7, 1], 6))]);
  const card = shapes([group({ ...rectangle([50, 50], [70, 40]), r: still(10) }, fill([0.15, 0.12, 0.3]))]);
  const fonts = { list: [{ fName: 'Bold', fFamily: 'Any', fStyle: 'Bold', ascent: 75 }] };
  return animation([words('Play', 'Bold', 24, [26, 59]), ball, ring, card], { fonts });
}
