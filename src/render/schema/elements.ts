// Defines each element type, and the schema that distinguishes them.
import { type Static, type TProperties, Type } from 'typebox';
import { COMMON_DESCRIPTIONS, common, FITS, PART_DEFS, parts } from './common.ts';
import { motions } from './motion.ts';
import { byType, described, integer, maybe, oneOf, ref, text, values, within } from './values.ts';

const sharedProperties = {
  ...common,
  mask: maybe(Type.Unsafe<Mask>({ $ref: '#/$defs/Mask' })),
} as const;

const element = <N extends string, P extends TProperties>(type: N, description: string, ownProperties: P) =>
  described(description, { type: Type.Literal(type), ...sharedProperties, ...ownProperties });

const textStyle = {
  fontFamily: maybe(values.family),
  fontSize: maybe(values.length),
  fontWeight: maybe(Type.Integer({ minimum: 100, maximum: 900, multipleOf: 100 })),
  italic: maybe(Type.Boolean()),
  color: maybe(values.paint),
  letterSpacing: maybe(within(-0.5, 3, 'In em.')),
  lineHeight: maybe(within(0.5, 4, 'In em. Default 1.2.')),
  align: maybe(oneOf(['start', 'left', 'center', 'right', 'end', 'justify'], 'Default center.')),
  case: maybe(Type.Enum(['none', 'upper', 'lower'])),
  stroke: maybe(
    described('An outline of the letters, behind their fill.', {
      color: values.color,
      width: within(0, 100),
    }),
  ),
  textShadow: maybe(parts.shadow),
} as const;
const TextStyle = described('The style of text. Defaults: Inter, 6vmin, weight 600, white.', textStyle);

const Run = described('A part of a text with its own style. Defaults to the style of the element.', {
  text: text(2000),
  color: maybe(values.color),
  fontFamily: maybe(values.family),
  fontWeight: maybe(Type.Integer({ minimum: 100, maximum: 900, multipleOf: 100 })),
  italic: maybe(Type.Boolean()),
  size: maybe(within(0.2, 5, "A factor of the element's font size.")),
  underline: maybe(Type.Boolean()),
  highlight: maybe(values.color),
});

const Text = element('text', 'Text. Wraps to the width. With a height, it can be scaled to fit.', {
  text: maybe(text(4000, 'Line breaks are kept. Set either this or "runs".')),
  runs: maybe(Type.Array(ref('Run', Run), { minItems: 1, maxItems: 200 })),
  ...textStyle,
  vAlign: maybe(oneOf(['top', 'middle', 'bottom'], 'Within its height. Default middle.')),
  direction: maybe(oneOf(['auto', 'ltr', 'rtl'], 'Default auto: from the first letter.')),
  fit: maybe(
    oneOf(
      ['none', 'shrink', 'grow'],
      'shrink: smaller letters until it fits width, height and maxLines; grow: also larger ones, up to maxSize. Default shrink when a height or maxLines is given.',
    ),
  ),
  minSize: maybe(values.length),
  maxSize: maybe(values.length),
  maxLines: maybe(integer(1, 100)),
  overflow: maybe(
    oneOf(
      ['ellipsis', 'clip', 'visible'],
      'How to treat text beyond maxLines or the height. Default ellipsis.',
    ),
  ),
  textBackground: maybe(
    described('A box behind the text: one for all lines, or one per line.', {
      color: values.color,
      per: maybe(oneOf(['box', 'line'], 'Default line.')),
      padding: maybe(within(0, 3, 'In em. Default 0.3.')),
      radius: maybe(within(0, 3, 'In em. Default 0.15.')),
    }),
  ),
  split: maybe(motions.split),
});

const media = { asset: maybe(values.id), src: maybe(values.source) } as const;
const image = {
  fit: maybe(oneOf(FITS, 'Default cover. contain-blur fills the rest with a blurred copy.')),
  focus: maybe(values.point),
  crop: maybe(
    Type.Array(within(0, 1), {
      minItems: 4,
      maxItems: 4,
      description: '[x, y, width, height] of the part that is used, as shares.',
    }),
  ),
} as const;
const clipping = {
  trim: maybe(values.time),
  speed: maybe(within(0.1, 10)),
  loop: maybe(Type.Boolean()),
} as const;
/** The role of an audio source in the mix. Music and effects are lowered under a voice. */
export const ROLES = ['voice', 'music', 'effect'] as const;
const audioProperties = {
  role: maybe(oneOf(ROLES, 'Default effect.')),
  volume: maybe(values.number),
  pan: maybe(within(-1, 1)),
  fadeIn: maybe(values.time),
  fadeOut: maybe(values.time),
} as const;

const Image = element('image', 'An image.', { ...media, ...image });
const Video = element(
  'video',
  'A video clip, with its sound unless muted. trim: the start time in the clip. loop: repeats from there.',
  {
    ...media,
    ...image,
    ...clipping,
    ...audioProperties,
    muted: maybe(Type.Boolean()),
  },
);
const Audio = element(
  'audio',
  'Audio that plays for the duration. trim: the start time in the file. loop: repeats from there. speed: keeps the pitch.',
  {
    ...media,
    ...clipping,
    ...audioProperties,
  },
);
const Svg = element('svg', 'An SVG image, as markup or as a file.', {
  ...media,
  markup: maybe(text(200_000, 'Scripts, styles and external references are removed.')),
  fit: maybe(Type.Enum(['contain', 'cover', 'fill'])),
});
const Lottie = element('lottie', 'A Lottie animation.', {
  data: maybe(
    Type.Unsafe<Record<string, unknown>>({ type: 'object', description: 'The animation as JSON.' }),
  ),
  ...media,
  fit: maybe(Type.Enum(['contain', 'cover', 'fill'])),
  speed: maybe(within(0.1, 10)),
  loop: maybe(Type.Boolean({ description: 'Default true.' })),
});

const strokeProperties = {
  fill: maybe(values.paint),
  stroke: maybe(values.animatedColor),
  strokeWidth: maybe(values.number),
  dash: maybe(Type.Array(within(0.5, 10_000), { minItems: 1, maxItems: 12 })),
  cap: maybe(Type.Enum(['butt', 'round', 'square'])),
  trimStart: maybe(values.number),
  trimEnd: maybe(values.number),
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
  'A shape that fills its box. trimStart and trimEnd (0 to 1) show only that part of the outline.',
  {
    shape: Type.Enum(SHAPES),
    ...strokeProperties,
    fillColor: maybe(values.animatedColor),
    sides: maybe(integer(3, 60, 'Sides of a polygon or points of a star. Default 5.')),
    inner: maybe(within(0, 1, 'Inner radius of a star or ring. Default 0.5.')),
    startAngle: maybe(values.number),
    endAngle: maybe(values.number),
  },
);
const Path = element('path', 'A custom path.', {
  path: parts.path,
  viewBox: maybe(
    Type.Array(Type.Number(), {
      minItems: 4,
      maxItems: 4,
      description: 'The area of the path that fills the box. Without it, the path is in pixels.',
    }),
  ),
  ...strokeProperties,
});
const Progress = element('progress', 'A bar, ring or pie that fills over time, or to its value.', {
  form: maybe(oneOf(['bar', 'ring', 'pie', 'segments'], 'Default bar.')),
  value: maybe(values.number),
  color: maybe(values.paint),
  trackColor: maybe(values.color),
  thickness: maybe(within(0, 2000, 'Thickness of a ring.')),
  segments: maybe(integer(1, 60)),
  rounded: maybe(Type.Boolean()),
});
const Counter = element('counter', 'A number that counts from one value to another.', {
  from: maybe(Type.Number()),
  to: Type.Number(),
  decimals: maybe(integer(0, 6)),
  separator: maybe(text(3, 'Between thousands. Default ",".')),
  prefix: maybe(text(40)),
  suffix: maybe(text(40)),
  runFor: maybe(values.time),
  easing: maybe(values.easing),
  ...textStyle,
});
const Waveform = element(
  'waveform',
  'Bars that follow the loudness of an audio file (asset or src), or "peaks".',
  {
    ...media,
    peaks: maybe(
      Type.Array(within(0, 1), {
        minItems: 1,
        maxItems: 20_000,
        description: 'Loudness values at equal intervals, instead of a file.',
      }),
    ),
    form: maybe(oneOf(['bars', 'mirror', 'line', 'dots'], 'Default mirror.')),
    color: maybe(values.paint),
    bars: maybe(integer(4, 400, 'Default 48.')),
    gap: maybe(within(0, 0.95, 'Gap as a fraction of a bar. Default 0.4.')),
  },
);

const groupOwn = {
  clipChildren: maybe(Type.Boolean({ description: 'true clips the children to its box.' })),
  speed: maybe(within(0.05, 20, 'Speed of its timeline. Default 1.')),
} as const;
const GroupOwn = Type.Object({ type: Type.Literal('group'), ...sharedProperties, ...groupOwn });
const GROUP_DESCRIPTION = 'Elements that are moved, faded and clipped together, with their own timeline.';
const MaskOwn = Type.Object({
  mode: maybe(oneOf(['alpha', 'luma'], 'Default alpha.')),
  invert: maybe(Type.Boolean()),
});

export interface GroupElement extends Static<typeof GroupOwn> {
  elements: Element[];
}
export interface Mask extends Static<typeof MaskOwn> {
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
const Group = element('group', GROUP_DESCRIPTION, { ...groupOwn, elements: elementList });
const MaskDef = described('The mask is laid out in the box of the element that it masks.', {
  ...MaskOwn.properties,
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
