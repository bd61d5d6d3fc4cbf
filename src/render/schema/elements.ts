// Defines each kind of element, and the schema that tells them apart.
import { type Static, type TProperties, Type } from 'typebox';
import { COMMON_MEANING, common, FITS, PART_DEFS, parts } from './common.ts';
import { motions } from './motion.ts';
import { byType, described, maybe, oneOf, ref, text, values, whole, within } from './values.ts';

const shared = {
  ...common,
  mask: maybe(Type.Unsafe<Mask>({ $ref: '#/$defs/Mask' })),
} as const;

const element = <N extends string, P extends TProperties>(type: N, description: string, own: P) =>
  described(description, { type: Type.Literal(type), ...shared, ...own });

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
    described('A line around the letters, behind their fill.', {
      color: values.color,
      width: within(0, 100),
    }),
  ),
  textShadow: maybe(parts.shadow),
} as const;
const TextStyle = described('How text looks. Defaults: Inter, 6vmin, weight 600, white.', textStyle);

const Run = described('A part of a text with a look of its own; what is left out is as in the element.', {
  text: text(2000),
  color: maybe(values.color),
  fontFamily: maybe(values.family),
  fontWeight: maybe(Type.Integer({ minimum: 100, maximum: 900, multipleOf: 100 })),
  italic: maybe(Type.Boolean()),
  size: maybe(within(0.2, 5, "A factor of the element's font size.")),
  underline: maybe(Type.Boolean()),
  highlight: maybe(values.color),
});

const Text = element('text', 'Words. They wrap to the width; with a height they can be made to fit.', {
  text: maybe(text(4000, 'Line breaks are kept. Either this or "runs".')),
  runs: maybe(Type.Array(ref('Run', Run), { minItems: 1, maxItems: 200 })),
  ...textStyle,
  vAlign: maybe(oneOf(['top', 'middle', 'bottom'], 'Within its height. Default middle.')),
  direction: maybe(oneOf(['auto', 'ltr', 'rtl'], 'Default auto: that of the first letter.')),
  fit: maybe(
    oneOf(
      ['none', 'shrink', 'grow'],
      'shrink: smaller letters until it fits width, height and maxLines; grow: also larger ones, up to maxSize. Default shrink when a height or maxLines is given.',
    ),
  ),
  minSize: maybe(values.length),
  maxSize: maybe(values.length),
  maxLines: maybe(whole(1, 100)),
  overflow: maybe(
    oneOf(
      ['ellipsis', 'clip', 'visible'],
      'What becomes of words beyond maxLines or the height. Default ellipsis.',
    ),
  ),
  textBackground: maybe(
    described('A plate behind the words: one for all lines, or one each.', {
      color: values.color,
      per: maybe(oneOf(['box', 'line'], 'Default line.')),
      padding: maybe(within(0, 3, 'In em. Default 0.3.')),
      radius: maybe(within(0, 3, 'In em. Default 0.15.')),
    }),
  ),
  split: maybe(motions.split),
});

const media = { asset: maybe(values.id), src: maybe(values.source) } as const;
const picture = {
  fit: maybe(oneOf(FITS, 'Default cover. contain-blur fills what is left with a blurred copy.')),
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
/** The role of a sound in the mix: other sounds are lowered under a voice. */
export const ROLES = ['voice', 'music', 'effect'] as const;
const sound = {
  role: maybe(oneOf(ROLES, 'Default effect.')),
  volume: maybe(values.number),
  pan: maybe(within(-1, 1)),
  fadeIn: maybe(values.time),
  fadeOut: maybe(values.time),
} as const;

const Image = element('image', 'A picture.', { ...media, ...picture });
const Video = element(
  'video',
  'A video clip, with its own sound unless muted. trim: where in the clip it begins. loop: from there again.',
  {
    ...media,
    ...picture,
    ...clipping,
    ...sound,
    muted: maybe(Type.Boolean()),
  },
);
const Audio = element(
  'audio',
  'A sound, heard while it lasts. trim: where in the file it begins. loop: from there again. speed: the pitch stays.',
  {
    ...media,
    ...clipping,
    ...sound,
  },
);
const Svg = element('svg', 'An SVG drawing: as markup, or a file.', {
  ...media,
  markup: maybe(text(200_000, 'Scripts, styles and outside references are taken out.')),
  fit: maybe(Type.Enum(['contain', 'cover', 'fill'])),
});
const Lottie = element('lottie', 'A Lottie animation.', {
  data: maybe(Type.Unsafe<Record<string, unknown>>({ type: 'object', description: 'The animation itself.' })),
  ...media,
  fit: maybe(Type.Enum(['contain', 'cover', 'fill'])),
  speed: maybe(within(0.1, 10)),
  loop: maybe(Type.Boolean({ description: 'Default true.' })),
});

const drawn = {
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
  'A figure that fills its box. trimStart and trimEnd (0 to 1) show that stretch of its outline.',
  {
    shape: Type.Enum(SHAPES),
    ...drawn,
    fillColor: maybe(values.animatedColor),
    sides: maybe(whole(3, 60, 'Of a polygon; points of a star. Default 5.')),
    inner: maybe(within(0, 1, 'Inner radius of a star or ring. Default 0.5.')),
    startAngle: maybe(values.number),
    endAngle: maybe(values.number),
  },
);
const Path = element('path', 'Any outline.', {
  path: parts.path,
  viewBox: maybe(
    Type.Array(Type.Number(), {
      minItems: 4,
      maxItems: 4,
      description: 'The part of the plane that fills the box; without it the path is in pixels.',
    }),
  ),
  ...drawn,
});
const Progress = element('progress', 'A bar, ring or pie that fills as time goes by, or as its value says.', {
  form: maybe(oneOf(['bar', 'ring', 'pie', 'segments'], 'Default bar.')),
  value: maybe(values.number),
  color: maybe(values.paint),
  trackColor: maybe(values.color),
  thickness: maybe(within(0, 2000, 'Of a ring.')),
  segments: maybe(whole(1, 60)),
  rounded: maybe(Type.Boolean()),
});
const Counter = element('counter', 'A number that runs from one value to another.', {
  from: maybe(Type.Number()),
  to: Type.Number(),
  decimals: maybe(whole(0, 6)),
  separator: maybe(text(3, 'Between thousands. Default ",".')),
  prefix: maybe(text(40)),
  suffix: maybe(text(40)),
  runFor: maybe(values.time),
  easing: maybe(values.easing),
  ...textStyle,
});
const Waveform = element(
  'waveform',
  'Bars that follow a sound file (asset or src) at the moment of it that is heard, or "peaks".',
  {
    ...media,
    peaks: maybe(
      Type.Array(within(0, 1), {
        minItems: 1,
        maxItems: 20_000,
        description: 'Loudness over its time, evenly spaced, instead of a file.',
      }),
    ),
    form: maybe(oneOf(['bars', 'mirror', 'line', 'dots'], 'Default mirror.')),
    color: maybe(values.paint),
    bars: maybe(whole(4, 400, 'Default 48.')),
    gap: maybe(within(0, 0.95, 'Share of a bar that is left free. Default 0.4.')),
  },
);

const groupOwn = {
  clipChildren: maybe(Type.Boolean({ description: 'true cuts off what stands out of its box.' })),
  speed: maybe(within(0.05, 20, 'Of its own timeline. Default 1.')),
} as const;
const GroupOwn = Type.Object({ type: Type.Literal('group'), ...shared, ...groupOwn });
const GROUP_DESCRIPTION = 'Elements that move, fade and are cut together, on a timeline of their own.';
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
const MaskDef = described('The masking element is laid out in the box of the one it masks.', {
  ...MaskOwn.properties,
  element: elementRef,
});

/** The definitions of all kinds, by the names that `Element` refers to. */
export const KINDS = {
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
  Object.keys(KINDS),
  `One element; "type" says which kind. All kinds take: ${Object.entries(COMMON_MEANING)
    .map(([name, meaning]) => `${name}: ${meaning}`)
    .join(' ')}`,
);

export const ELEMENT_DEFS = {
  ...PART_DEFS,
  Mask: MaskDef,
  TextStyle,
  Run,
  Element: ElementDef,
  ...KINDS,
} as const;
export const elements = {
  element: elementRef,
  list: elementList,
  textStyle: ref('TextStyle', TextStyle),
  fit: Type.Enum(FITS),
} as const;
