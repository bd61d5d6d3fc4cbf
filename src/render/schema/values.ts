// Defines the value types of scene graphs: times, lengths, colors, paints, easings, and animated values.

import { type Static, type TProperties, type TSchema, Type } from 'typebox';
import { EASINGS } from '../../graph/easing.ts';

/** Returns an object schema that rejects unknown properties. */
export const strictObject = <P extends TProperties>(properties: P) =>
  Type.Object(properties, { additionalProperties: false });

/** Adds a description to an object schema. */
export const describedObject = <P extends TProperties>(description: string, properties: P) =>
  Type.Object(properties, { additionalProperties: false, description });

/** Returns a reference to the schema's `$defs`, typed as its target. */
export function ref<T extends TSchema>(name: string, _schema: T) {
  return Type.Unsafe<Static<T>>({ $ref: `#/$defs/${name}` });
}

export const optional = <T extends TSchema>(schema: T) => Type.Optional(schema);

const withDescription = (description?: string) => (description === undefined ? {} : { description });

export const numberBetween = (minimum: number, maximum: number, description?: string) =>
  Type.Number({ minimum, maximum, ...withDescription(description) });

export const integer = (minimum: number, maximum: number, description?: string) =>
  Type.Integer({ minimum, maximum, ...withDescription(description) });

export const text = (maxLength: number, description?: string) =>
  Type.String({ maxLength, ...withDescription(description) });

export const oneOf = <const T extends string[]>(names: readonly [...T], description: string) =>
  Type.Enum(names, { description });

// Type.Tuple would use the syntax of draft 7.
const pair = (description: string) =>
  Type.Unsafe<[number, number]>({
    type: 'array',
    items: { type: 'number', minimum: -1000, maximum: 1000 },
    minItems: 2,
    maxItems: 2,
    description,
  });

const Time = Type.Union([numberBetween(0, 86_400), Type.String({ pattern: '^\\d+(\\.\\d+)?(s|ms|f|%)$' })], {
  description:
    'A time or duration: seconds as a number (1.5), or text with a unit: "1.5s", "500ms", "12f" (frames), "50%" (of the duration of the container).',
});
const Length = Type.Union(
  [numberBetween(-100_000, 100_000), Type.String({ pattern: '^-?\\d+(\\.\\d+)?(px|%|vw|vh|vmin|vmax)$' })],
  {
    description:
      'A length: pixels as a number, or text with a unit: "50%" (of the container along that axis), "10vw", "10vh", "5vmin", "5vmax" (hundredths of the frame).',
  },
);
const Color = Type.String({
  pattern:
    '^(#([0-9a-fA-F]{3,4}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})|rgba?\\([0-9.,%\\s/]{5,40}\\)|hsla?\\([0-9.,%\\s/deg]{5,40}\\)|transparent|white|black|\\$[A-Za-z][\\w-]*)$',
  maxLength: 64,
  description:
    'A color: #rgb, #rgba, #rrggbb, #rrggbbaa, rgb(…), hsl(…), white, black, transparent, or a theme token such as "$accent".',
});
const color = ref('Color', Color);

const Stops = Type.Array(strictObject({ offset: numberBetween(0, 1, '0 is the start, 1 the end.'), color }), {
  minItems: 2,
  maxItems: 16,
  description: 'Colors along the gradient, by ascending offset.',
});
const stops = ref('Stops', Stops);
const Point = pair(
  '[x, y] as fractions of the box: [0, 0] is the upper left corner, [1, 1] the lower right corner.',
);
const point = ref('Point', Point);

const Linear = strictObject({
  type: Type.Literal('linear'),
  angle: optional(Type.Number({ description: 'Degrees clockwise: 0 is up, 90 is right. Default 180.' })),
  stops,
});
const Radial = strictObject({
  type: Type.Literal('radial'),
  center: optional(point),
  radius: optional(numberBetween(0.01, 4, 'Fraction of the longer side. Default 0.7.')),
  stops,
});
const Conic = strictObject({
  type: Type.Literal('conic'),
  center: optional(point),
  angle: optional(Type.Number({ description: 'Start angle in degrees clockwise from the top. Default 0.' })),
  stops,
});

/** Returns a schema of objects with different `type`s, whose issues are reported for the type that was meant. */
export function byType<T>(names: readonly string[], description?: string) {
  return Type.Unsafe<T>({
    ...withDescription(description),
    type: 'object',
    required: ['type'],
    discriminator: { propertyName: 'type' },
    oneOf: names.map(name => ({ $ref: `#/$defs/${name}` })),
  });
}

export type Gradient = Static<typeof Linear> | Static<typeof Radial> | Static<typeof Conic>;
export const GRADIENTS = ['Linear', 'Radial', 'Conic'] as const;
const Paint = Type.Union([color, byType<Gradient>(GRADIENTS)], {
  description: 'A fill: a color, or a linear, radial or conic gradient.',
});

const Easing = Type.Union(
  [
    Type.Enum(EASINGS),
    strictObject({
      cubicBezier: Type.Unsafe<[number, number, number, number]>({
        type: 'array',
        prefixItems: [
          numberBetween(0, 1, 'x1'),
          numberBetween(-5, 5),
          numberBetween(0, 1, 'x2'),
          numberBetween(-5, 5),
        ],
        minItems: 4,
        maxItems: 4,
        description: 'Control points as in CSS: x1, y1, x2, y2.',
      }),
    }),
    strictObject({
      spring: strictObject({
        stiffness: optional(numberBetween(1, 2000, 'Default 170.')),
        damping: optional(numberBetween(1, 200, 'Default 18.')),
        mass: optional(numberBetween(0.1, 20, 'Default 1.')),
      }),
    }),
    strictObject({ steps: integer(1, 100) }),
  ],
  {
    description:
      'The easing of a change: a name, a cubic Bézier curve, a spring (at rest when the change ends), or a number of steps.',
  },
);
const time = ref('Time', Time);
const length = ref('Length', Length);
const easing = ref('Easing', Easing);

/** Returns the schema of a value that is constant or has keyframes. */
function animated<T extends TSchema>(value: T, description: string) {
  const keyframe = strictObject({ time, value, easing: optional(easing) });
  return Type.Union(
    [value, strictObject({ keyframes: Type.Array(keyframe, { minItems: 1, maxItems: 200 }) })],
    {
      description: `${description}, or { "keyframes": [{ "time", "value", "easing" }] } with times counted from the start of the element. "easing" is the easing of the change from the previous keyframe.`,
    },
  );
}

const AnimatedNumber = animated(numberBetween(-1e6, 1e6), 'A number');
const AnimatedLength = animated(length, 'A length');
const AnimatedColor = animated(color, 'A color');
const AnimatedScale = animated(
  Type.Union([numberBetween(-100, 100), pair('[x, y]')]),
  'A factor, or [x, y] factors',
);

const Family = Type.String({
  pattern: '^(\\$[A-Za-z][\\w-]*|[A-Za-z][A-Za-z0-9 _-]*)$',
  maxLength: 80,
  description:
    'A font family: a bundled family (Inter, Playfair Display, Anton, JetBrains Mono), a family named in "fonts", or a theme token such as "$heading". Fonts for Arabic, Hebrew, Devanagari, Chinese, Japanese, Korean and emoji are chosen automatically.',
});
const Source = Type.String({
  pattern: '^(https?://|data:image/|sample:|\\./)',
  maxLength: 4_000_000,
  description:
    'The location of a file: an https URL, a data:image/… URL, or "sample:" and some words for a drawn placeholder picture. On the command line, also a path that starts with "./", relative to the scene file.',
});
const Id = Type.String({
  minLength: 1,
  maxLength: 80,
  description: 'A name that is unique in the graph.',
});

/** The definitions that `ref` can refer to. */
export const VALUE_DEFS = {
  Time,
  Length,
  Color,
  Stops,
  Point,
  Linear,
  Radial,
  Conic,
  Paint,
  Easing,
  AnimatedNumber,
  AnimatedLength,
  AnimatedColor,
  AnimatedScale,
  Family,
  Source,
  Id,
} as const;

export const values = {
  time,
  length,
  color,
  point,
  easing,
  paint: ref('Paint', Paint),
  number: ref('AnimatedNumber', AnimatedNumber),
  animatedLength: ref('AnimatedLength', AnimatedLength),
  animatedColor: ref('AnimatedColor', AnimatedColor),
  scale: ref('AnimatedScale', AnimatedScale),
  family: ref('Family', Family),
  source: ref('Source', Source),
  id: ref('Id', Id),
} as const;

export type Time = Static<typeof Time>;
export type Length = Static<typeof Length>;
export type Paint = Static<typeof Paint>;
export type Easing = Static<typeof Easing>;
export type Animated<T> = T | { keyframes: { time: Time; value: T; easing?: Easing }[] };
