// Defines the properties that all elements share: position, timing, appearance, motion.
import { type Static, Type } from 'typebox';
import { motions } from './motion.ts';
import {
  describedObject,
  integer,
  numberBetween,
  optional,
  ref,
  strictObject,
  text,
  values,
} from './values.ts';

export const ANCHORS = [
  'top-left',
  'top',
  'top-right',
  'left',
  'center',
  'right',
  'bottom-left',
  'bottom',
  'bottom-right',
] as const;
const BLENDS = [
  'normal',
  'multiply',
  'screen',
  'overlay',
  'darken',
  'lighten',
  'color-dodge',
  'color-burn',
  'hard-light',
  'soft-light',
  'difference',
  'exclusion',
  'hue',
  'saturation',
  'color',
  'luminosity',
  'add',
] as const;
const FILTERS = [
  'blur',
  'brightness',
  'contrast',
  'saturate',
  'grayscale',
  'sepia',
  'invert',
  'hue-rotate',
] as const;
export const FITS = ['cover', 'contain', 'fill', 'none', 'contain-blur'] as const;

const Anchor = Type.Union([Type.Enum(ANCHORS), values.point], {
  description: 'The point of the element that x and y position and that it rotates around. Default center.',
});
const Filter = describedObject(
  'The amount is a radius in pixels for blur, degrees for hue-rotate, and a factor for other types. A factor of 1 is the full effect; for brightness, contrast and saturate it is no change.',
  { type: Type.Enum(FILTERS), amount: values.number },
);
const Shadow = describedObject('A soft shadow, in pixels. Default: #00000066, blur 24, y 8.', {
  color: optional(values.color),
  blur: optional(numberBetween(0, 400)),
  x: optional(numberBetween(-2000, 2000)),
  y: optional(numberBetween(-2000, 2000)),
});
const Border = describedObject('A line inside the edge of the box, in pixels.', {
  width: numberBetween(0, 500),
  color: values.color,
});
const Radius = Type.Union(
  [numberBetween(0, 10_000), Type.Array(numberBetween(0, 10_000), { minItems: 4, maxItems: 4 })],
  {
    description: 'Corner radius in pixels: one number, or top left, top right, bottom right, bottom left.',
  },
);
const PathData = Type.String({
  pattern: '^[MmLlHhVvCcSsQqTtAaZz0-9eE+\\-.,\\s]+$',
  maxLength: 100_000,
  description: 'A path in the syntax of the SVG d attribute.',
});
const Clip = Type.Union(
  [
    Type.Enum(['box', 'circle', 'ellipse']),
    strictObject({ inset: Type.Array(values.animatedLength, { minItems: 4, maxItems: 4 }) }),
    strictObject({ polygon: Type.Array(values.point, { minItems: 3, maxItems: 200 }) }),
    strictObject({ path: ref('PathData', PathData) }),
  ],
  {
    description:
      'The visible area of the element: its box (with its corner radius), a circle or ellipse in the box, the box minus insets from top, right, bottom and left (each can be animated), a polygon of points, or a path in pixels of the box.',
  },
);

export const parts = {
  anchor: ref('Anchor', Anchor),
  filter: ref('Filter', Filter),
  shadow: ref('Shadow', Shadow),
  border: ref('Border', Border),
  radius: ref('Radius', Radius),
  clip: ref('Clip', Clip),
  path: ref('PathData', PathData),
} as const;

/** All common properties except the mask, which contains an element. */
export const common = {
  id: optional(values.id),
  name: optional(text(200)),
  start: optional(values.time),
  duration: optional(values.time),
  hidden: optional(Type.Boolean()),
  zIndex: optional(integer(-1000, 1000)),
  x: optional(values.animatedLength),
  y: optional(values.animatedLength),
  width: optional(values.animatedLength),
  height: optional(values.animatedLength),
  anchor: optional(parts.anchor),
  rotation: optional(values.number),
  scale: optional(values.scale),
  skewX: optional(values.number),
  skewY: optional(values.number),
  flip: optional(Type.Enum(['x', 'y', 'both'])),
  opacity: optional(values.number),
  blend: optional(Type.Enum(BLENDS)),
  filters: optional(Type.Array(parts.filter, { maxItems: 10 })),
  shadow: optional(parts.shadow),
  background: optional(values.paint),
  border: optional(parts.border),
  radius: optional(parts.radius),
  clip: optional(parts.clip),
  motion: optional(motions.motion),
} as const;

/** Descriptions of the common properties, for the guide and the schema's `Element`. */
export const COMMON_DESCRIPTIONS: Readonly<Record<keyof typeof common | 'mask', string>> = {
  id: 'A name for messages.',
  name: 'A display name.',
  start: 'When the element appears, from the start of its container. Default 0.',
  duration: 'How long the element is visible. Default: until its container ends.',
  hidden: 'true hides the element.',
  zIndex: 'Higher values are in front. Equal values keep their order. Default 0.',
  x: 'Position of the anchor from the left edge of the container. Default "50%".',
  y: 'Position of the anchor from the top edge of the container. Default "50%".',
  width: 'Default: the width of the container; for text, 84%.',
  height: 'Default: the height of the container; for text, the height of the lines.',
  anchor: 'The point of the element that is at x and y. Default "center".',
  rotation: 'Degrees clockwise.',
  scale: 'A factor, or [x, y].',
  skewX: 'Degrees.',
  skewY: 'Degrees.',
  flip: 'Mirrors the element along an axis.',
  opacity: '0 to 1.',
  blend: 'How the colors blend with what is behind.',
  filters: 'Filters, applied in order.',
  shadow: 'The shadow of the visible parts.',
  background: 'Fills the box behind the content.',
  border: 'A line inside the edge of the box.',
  radius: 'Rounds the corners of the box and clips images.',
  clip: 'Clips the element to a shape.',
  mask: 'Another element whose opacity or brightness masks this element.',
  motion: 'Entrance, exit, loop and slow zoom, by name.',
};

export const PART_DEFS = { Anchor, Filter, Shadow, Border, Radius, PathData, Clip } as const;
export type Clip = Static<typeof Clip>;
export type Anchor = Static<typeof Anchor>;
export type Shadow = Static<typeof Shadow>;
