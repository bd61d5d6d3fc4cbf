// Defines each element type, and the schema that distinguishes them.
import { type Static, type TProperties, Type } from 'typebox';
import { COMMON_DESCRIPTIONS, common, FITS, PART_DEFS, parts } from './common.ts';
import { motions } from './motion.ts';
import {
  byType,
  describedObject,
  integer,
  numberBetween,
  oneOf,
  optional,
  ref,
  text,
  values,
} from './values.ts';

const sharedProperties = {
  ...common,
  mask: optional(Type.Unsafe<Mask>({ $ref: '#/$defs/Mask' })),
} as const;

const element = <N extends string, P extends TProperties>(type: N, description: string, ownProperties: P) =>
  describedObject(description, { type: Type.Literal(type), ...sharedProperties, ...ownProperties });

const textStyle = {
  fontFamily: optional(values.family),
  fontSize: optional(values.length),
  fontWeight: optional(Type.Integer({ minimum: 100, maximum: 900, multipleOf: 100 })),
  italic: optional(Type.Boolean()),
  color: optional(values.paint),
  letterSpacing: optional(numberBetween(-0.5, 3, 'In em.')),
  lineHeight: optional(numberBetween(0.5, 4, 'In em. Default 1.2.')),
  align: optional(oneOf(['start', 'left', 'center', 'right', 'end', 'justify'], 'Default center.')),
  case: optional(Type.Enum(['none', 'upper', 'lower'])),
  stroke: optional(
    describedObject('An outline of the letters, behind their fill.', {
      color: values.color,
      width: numberBetween(0, 100),
    }),
  ),
  textShadow: optional(parts.shadow),
} as const;
const TextStyle = describedObject('The style of text. Defaults: Inter, 6vmin, weight 600, white.', textStyle);

const Run = describedObject('A part of a text with its own style. Defaults to the style of the element.', {
  text: text(2000),
  color: optional(values.color),
  fontFamily: optional(values.family),
  fontWeight: optional(Type.Integer({ minimum: 100, maximum: 900, multipleOf: 100 })),
  italic: optional(Type.Boolean()),
  size: optional(numberBetween(0.2, 5, "Relative to the element's font size.")),
  underline: optional(Type.Boolean()),
  highlight: optional(values.color),
});

const Text = element('text', 'Text. Wraps to the width. With a height, it can be scaled to fit.', {
  text: optional(text(4000, 'Line breaks are kept. Set either "text" or "runs".')),
  runs: optional(Type.Array(ref('Run', Run), { minItems: 1, maxItems: 200 })),
  ...textStyle,
  vAlign: optional(oneOf(['top', 'middle', 'bottom'], 'Position within the height. Default middle.')),
  direction: optional(oneOf(['auto', 'ltr', 'rtl'], 'Default auto: from the first letter.')),
  fit: optional(
    oneOf(
      ['none', 'shrink', 'grow'],
      'shrink: reduces the font size until the text fits width, height and maxLines. grow: also enlarges the text, up to maxSize. Default shrink when a height or maxLines is given.',
    ),
  ),
  minSize: optional(values.length),
  maxSize: optional(values.length),
  maxLines: optional(integer(1, 100)),
  overflow: optional(
    oneOf(
      ['ellipsis', 'clip', 'visible'],
      'How to treat text beyond maxLines or the height. Default ellipsis.',
    ),
  ),
  textBackground: optional(
    describedObject('A box behind the text: one for all lines, or one per line.', {
      color: values.color,
      per: optional(oneOf(['box', 'line'], 'Default line.')),
      padding: optional(numberBetween(0, 3, 'In em. Default 0.3.')),
      radius: optional(numberBetween(0, 3, 'In em. Default 0.15.')),
    }),
  ),
  split: optional(motions.split),
});

const sourceProperties = { asset: optional(values.id), src: optional(values.source) } as const;
const fittingProperties = {
  fit: optional(oneOf(FITS, 'Default cover. contain-blur fills the rest with a blurred copy.')),
  focus: optional(values.point),
  crop: optional(
    Type.Array(numberBetween(0, 1), {
      minItems: 4,
      maxItems: 4,
      description: '[x, y, width, height] of the part that is used, as fractions of the image.',
    }),
  ),
} as const;
const playbackProperties = {
  trim: optional(values.time),
  speed: optional(numberBetween(0.1, 10)),
  loop: optional(Type.Boolean()),
} as const;
/** The role of an audio source in the mix. Music and effects are lowered under a voice. */
export const ROLES = ['voice', 'music', 'effect'] as const;
const audioProperties = {
  role: optional(oneOf(ROLES, 'Default effect.')),
  volume: optional(values.number),
  pan: optional(numberBetween(-1, 1)),
  fadeIn: optional(values.time),
  fadeOut: optional(values.time),
} as const;

const Image = element('image', 'An image.', { ...sourceProperties, ...fittingProperties });
const Video = element(
  'video',
  'A video clip, with its sound unless muted. trim: the start time in the clip. loop: repeats from the trim time.',
  {
    ...sourceProperties,
    ...fittingProperties,
    ...playbackProperties,
    ...audioProperties,
    muted: optional(Type.Boolean()),
  },
);
const Audio = element(
  'audio',
  'Audio that plays for the duration. trim: the start time in the file. loop: repeats from the trim time. speed: keeps the pitch.',
  {
    ...sourceProperties,
    ...playbackProperties,
    ...audioProperties,
  },
);
const Svg = element('svg', 'An SVG image, as markup or as a file.', {
  ...sourceProperties,
  markup: optional(text(200_000, 'Scripts, styles and external references are removed.')),
  fit: optional(Type.Enum(['contain', 'cover', 'fill'])),
});
const Lottie = element('lottie', 'A Lottie animation.', {
  data: optional(
    Type.Unsafe<Record<string, unknown>>({ type: 'object', description: 'The animation as JSON.' }),
  ),
  ...sourceProperties,
  fit: optional(Type.Enum(['contain', 'cover', 'fill'])),
  speed: optional(numberBetween(0.1, 10)),
  loop: optional(Type.Boolean({ description: 'Default true.' })),
});

const outlineProperties = {
  fill: optional(values.paint),
  stroke: optional(values.animatedColor),
  strokeWidth: optional(values.number),
  dash: optional(Type.Array(numberBetween(0.5, 10_000), { minItems: 1, maxItems: 12 })),
  cap: optional(Type.Enum(['butt', 'round', 'square'])),
  trimStart: optional(values.number),
  trimEnd: optional(values.number),
} as const;
export const SHAPES = [
  'rectangle',
  'ellipse',
  'circle',
  'line',
  'polygon',
  'star',
  'arc',
  'ring',
  'arrow',
  'heart',
] as const;
const Shape = element(
  'shape',
  'A shape that fills its box. Only the part of the outline from trimStart to trimEnd (0 to 1) is drawn.',
  {
    shape: Type.Enum(SHAPES),
    ...outlineProperties,
    fillColor: optional(values.animatedColor),
    sides: optional(integer(3, 60, 'Sides of a polygon or points of a star. Default 5.')),
    inner: optional(numberBetween(0, 1, 'Inner radius of a star or ring. Default 0.5.')),
    startAngle: optional(values.number),
    endAngle: optional(values.number),
  },
);
const Path = element('path', 'A custom path.', {
  path: parts.path,
  viewBox: optional(
    Type.Array(Type.Number(), {
      minItems: 4,
      maxItems: 4,
      description: 'The area of the path that fills the box. Without it, the path is in pixels.',
    }),
  ),
  ...outlineProperties,
});
const Progress = element('progress', 'A bar, ring or pie that fills over time or to a value.', {
  form: optional(oneOf(['bar', 'ring', 'pie', 'segments'], 'Default bar.')),
  value: optional(values.number),
  color: optional(values.paint),
  trackColor: optional(values.color),
  thickness: optional(numberBetween(0, 2000, 'Thickness of a ring.')),
  segments: optional(integer(1, 60)),
  rounded: optional(Type.Boolean()),
});
const Counter = element('counter', 'A number that counts from one value to another.', {
  from: optional(Type.Number()),
  to: Type.Number(),
  decimals: optional(integer(0, 6)),
  separator: optional(text(3, 'Between thousands. Default ",".')),
  prefix: optional(text(40)),
  suffix: optional(text(40)),
  runFor: optional(values.time),
  easing: optional(values.easing),
  ...textStyle,
});
const Waveform = element(
  'waveform',
  'Bars that follow the loudness of an audio file (asset or src), or "peaks".',
  {
    ...sourceProperties,
    peaks: optional(
      Type.Array(numberBetween(0, 1), {
        minItems: 1,
        maxItems: 20_000,
        description: 'Loudness values at equal intervals, instead of a file.',
      }),
    ),
    form: optional(oneOf(['bars', 'mirror', 'line', 'dots'], 'Default mirror.')),
    color: optional(values.paint),
    bars: optional(integer(4, 400, 'Default 48.')),
    gap: optional(numberBetween(0, 0.95, 'Gap as a fraction of a bar. Default 0.4.')),
  },
);

const groupProperties = {
  clipChildren: optional(Type.Boolean({ description: 'true clips the children to the box of the group.' })),
  speed: optional(numberBetween(0.05, 20, 'Speed of the children. Default 1.')),
} as const;
const GroupBase = Type.Object({ type: Type.Literal('group'), ...sharedProperties, ...groupProperties });
const GROUP_DESCRIPTION = 'Elements that are moved, faded and clipped together, with their own timeline.';
const MaskBase = Type.Object({
  mode: optional(oneOf(['alpha', 'luma'], 'Default alpha.')),
  invert: optional(Type.Boolean()),
});

export interface GroupElement extends Static<typeof GroupBase> {
  elements: Element[];
}
export interface Mask extends Static<typeof MaskBase> {
  element: Element;
}
export type TextElement = Static<typeof Text>;
export type ImageElement = Static<typeof Image>;
export type VideoElement = Static<typeof Video>;
export type AudioElement = Static<typeof Audio>;
export type SvgElement = Static<typeof Svg>;
export type LottieElement = Static<typeof Lottie>;
export type ShapeElement = Static<typeof Shape>;
export type PathElement = Static<typeof Path>;
export type ProgressElement = Static<typeof Progress>;
export type CounterElement = Static<typeof Counter>;
export type WaveformElement = Static<typeof Waveform>;
export type Element =
  | TextElement
  | ImageElement
  | VideoElement
  | AudioElement
  | SvgElement
  | LottieElement
  | ShapeElement
  | PathElement
  | ProgressElement
  | CounterElement
  | WaveformElement
  | GroupElement;
export type TextStyle = Static<typeof TextStyle>;

const elementRef = Type.Unsafe<Element>({ $ref: '#/$defs/Element' });
const elementList = Type.Array(elementRef, { maxItems: 10_000 });
const Group = element('group', GROUP_DESCRIPTION, { ...groupProperties, elements: elementList });
const MaskDef = describedObject('The mask is laid out in the box of the element that it masks.', {
  ...MaskBase.properties,
  element: elementRef,
});

/** The definitions of all element types, by the names that `Element` refers to. */
export const ELEMENT_TYPES = {
  Text,
  Image,
  Video,
  Audio,
  Shape,
  Path,
  Svg,
  Lottie,
  Group,
  Waveform,
  Progress,
  Counter,
} as const;

const ElementDef = byType<Element>(
  Object.keys(ELEMENT_TYPES),
  `An element of the given "type". All types have these properties: ${Object.entries(COMMON_DESCRIPTIONS)
    .map(([name, meaning]) => `${name}: ${meaning}`)
    .join(' ')}`,
);

export const ELEMENT_DEFS = {
  ...PART_DEFS,
  Mask: MaskDef,
  TextStyle,
  Run,
  Element: ElementDef,
  ...ELEMENT_TYPES,
} as const;
export const elements = {
  element: elementRef,
  list: elementList,
  textStyle: ref('TextStyle', TextStyle),
  fit: Type.Enum(FITS),
} as const;
