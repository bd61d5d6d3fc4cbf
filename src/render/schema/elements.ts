// The elements of a scene: what all have in common, and one definition a kind.
import { type Static, type TProperties, Type } from 'typebox';
import { motions } from './motion.ts';
import { byType, exact, maybe, ref, values } from './values.ts';

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
export const BLENDS = [
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
export const FILTERS = [
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
  description: 'Which point of the element stands at its x and y, and about which it turns. Default center.',
});
const Filter = Type.Object(
  { type: Type.Enum(FILTERS), amount: values.number },
  {
    ...exact,
    description:
      'blur: radius in pixels; hue-rotate: degrees; all others a factor, where 1 is the whole effect (brightness, contrast and saturate: 1 is unchanged).',
  },
);
const Shadow = Type.Object(
  {
    color: maybe(values.color),
    blur: maybe(Type.Number({ minimum: 0, maximum: 400 })),
    x: maybe(Type.Number({ minimum: -2000, maximum: 2000 })),
    y: maybe(Type.Number({ minimum: -2000, maximum: 2000 })),
  },
  { ...exact, description: 'A soft shadow, in pixels. Default: #00000066, blur 24, y 8.' },
);
const Border = Type.Object(
  { width: Type.Number({ minimum: 0, maximum: 500 }), color: values.color },
  { ...exact, description: 'A line inside the edge of the box, in pixels.' },
);
const Radius = Type.Union(
  [
    Type.Number({ minimum: 0, maximum: 10_000 }),
    Type.Array(Type.Number({ minimum: 0, maximum: 10_000 }), { minItems: 4, maxItems: 4 }),
  ],
  {
    description:
      'Of the corners, in pixels: one number, or upper left, upper right, lower right, lower left.',
  },
);
const PathData = Type.String({
  pattern: '^[MmLlHhVvCcSsQqTtAaZz0-9eE+\\-.,\\s]+$',
  maxLength: 100_000,
  description: 'The path as in the d attribute of SVG.',
});
const Clip = Type.Union(
  [
    Type.Enum(['box', 'circle', 'ellipse']),
    Type.Object({ inset: Type.Array(values.animatedLength, { minItems: 4, maxItems: 4 }) }, exact),
    Type.Object({ polygon: Type.Array(values.point, { minItems: 3, maxItems: 200 }) }, exact),
    Type.Object({ path: ref('PathData', PathData) }, exact),
  ],
  {
    description:
      'What is shown of the element: its box (with its corner radius), a circle or ellipse in the box, the box less insets from top, right, bottom and left (each may move), a polygon of points, or a path in pixels of the box.',
  },
);

const ref_ = {
  anchor: ref('Anchor', Anchor),
  filter: ref('Filter', Filter),
  shadow: ref('Shadow', Shadow),
  border: ref('Border', Border),
  radius: ref('Radius', Radius),
  clip: ref('Clip', Clip),
  path: ref('PathData', PathData),
} as const;

const common = {
  id: maybe(values.id),
  name: maybe(Type.String({ maxLength: 200 })),
  start: maybe(values.time),
  duration: maybe(values.time),
  hidden: maybe(Type.Boolean()),
  zIndex: maybe(Type.Integer({ minimum: -1000, maximum: 1000 })),
  x: maybe(values.animatedLength),
  y: maybe(values.animatedLength),
  width: maybe(values.animatedLength),
  height: maybe(values.animatedLength),
  anchor: maybe(ref_.anchor),
  rotation: maybe(values.number),
  scale: maybe(values.scale),
  skewX: maybe(values.number),
  skewY: maybe(values.number),
  flip: maybe(Type.Enum(['x', 'y', 'both'])),
  opacity: maybe(values.number),
  blend: maybe(Type.Enum(BLENDS)),
  filters: maybe(Type.Array(ref_.filter, { maxItems: 10 })),
  shadow: maybe(ref_.shadow),
  background: maybe(values.paint),
  border: maybe(ref_.border),
  radius: maybe(ref_.radius),
  clip: maybe(ref_.clip),
  mask: maybe(Type.Unsafe<Mask>({ $ref: '#/$defs/Mask' })),
  motion: maybe(motions.motion),
} as const;

/** What the common properties mean, for the guide and beside the schema's `Element`. */
export const COMMON_MEANING: Readonly<Record<keyof typeof common, string>> = {
  id: 'A name for messages.',
  name: 'A label for people.',
  start: 'When it appears, counted from the start of what contains it. Default 0.',
  duration: 'How long it is seen. Default: to the end of what contains it.',
  hidden: 'true leaves it out.',
  zIndex: 'Higher stands in front; equal ones in the order written. Default 0.',
  x: 'Of its anchor, from the left of what contains it. Default "50%".',
  y: 'Of its anchor, from the top. Default "50%".',
  width: "Default: the container's; of text 84 %.",
  height: "Default: the container's; of text as many lines as it has.",
  anchor: 'The point of it that stands at x and y. Default "center".',
  rotation: 'Degrees clockwise.',
  scale: 'A factor, or [x, y].',
  skewX: 'Degrees.',
  skewY: 'Degrees.',
  flip: 'Mirrored along an axis.',
  opacity: '0 to 1.',
  blend: 'How its colours meet those behind.',
  filters: 'Applied in order.',
  shadow: 'Cast by whatever is visible of it.',
  background: 'Fills its box, behind it.',
  border: 'A line inside the edge of its box.',
  radius: 'Rounds the corners of its box, which then also clips pictures.',
  clip: 'Cuts it to a form.',
  mask: 'Another element whose opacity or brightness says what is seen of this one.',
  motion: 'Entrance, exit, loop, slow zoom, by name.',
};

const element = <N extends string, P extends TProperties>(type: N, description: string, own: P) =>
  Type.Object({ type: Type.Literal(type), ...common, ...own }, { ...exact, description });

const textStyle = {
  fontFamily: maybe(values.family),
  fontSize: maybe(values.length),
  fontWeight: maybe(Type.Integer({ minimum: 100, maximum: 900, multipleOf: 100 })),
  italic: maybe(Type.Boolean()),
  color: maybe(values.paint),
  letterSpacing: maybe(Type.Number({ minimum: -0.5, maximum: 3, description: 'In em.' })),
  lineHeight: maybe(Type.Number({ minimum: 0.5, maximum: 4, description: 'In em. Default 1.2.' })),
  align: maybe(
    Type.Enum(['start', 'left', 'center', 'right', 'end', 'justify'], { description: 'Default center.' }),
  ),
  case: maybe(Type.Enum(['none', 'upper', 'lower'])),
  stroke: maybe(
    Type.Object(
      { color: values.color, width: Type.Number({ minimum: 0, maximum: 100 }) },
      {
        ...exact,
        description: 'A line around the letters, behind their fill.',
      },
    ),
  ),
  textShadow: maybe(ref_.shadow),
} as const;
const TextStyle = Type.Object(textStyle, {
  ...exact,
  description: 'How text looks. Defaults: Inter, 6vmin, weight 600, white.',
});

const Run = Type.Object(
  {
    text: Type.String({ maxLength: 2000 }),
    color: maybe(values.color),
    fontFamily: maybe(values.family),
    fontWeight: maybe(Type.Integer({ minimum: 100, maximum: 900, multipleOf: 100 })),
    italic: maybe(Type.Boolean()),
    size: maybe(
      Type.Number({ minimum: 0.2, maximum: 5, description: "A factor of the element's font size." }),
    ),
    underline: maybe(Type.Boolean()),
    highlight: maybe(values.color),
  },
  {
    ...exact,
    description: 'A part of a text with a look of its own; what is left out is as in the element.',
  },
);

const Text = element('text', 'Words. They wrap to the width; with a height they can be made to fit.', {
  text: maybe(Type.String({ maxLength: 4000, description: 'Line breaks are kept. Either this or "runs".' })),
  runs: maybe(Type.Array(ref('Run', Run), { minItems: 1, maxItems: 200 })),
  ...textStyle,
  vAlign: maybe(
    Type.Enum(['top', 'middle', 'bottom'], { description: 'Within its height. Default middle.' }),
  ),
  direction: maybe(
    Type.Enum(['auto', 'ltr', 'rtl'], { description: 'Default auto: that of the first letter.' }),
  ),
  fit: maybe(
    Type.Enum(['none', 'shrink', 'grow'], {
      description:
        'shrink: smaller letters until it fits width, height and maxLines; grow: also larger ones, up to maxSize. Default shrink when a height or maxLines is given.',
    }),
  ),
  minSize: maybe(values.length),
  maxSize: maybe(values.length),
  maxLines: maybe(Type.Integer({ minimum: 1, maximum: 100 })),
  overflow: maybe(
    Type.Enum(['ellipsis', 'clip', 'visible'], {
      description: 'What becomes of words beyond maxLines or the height. Default ellipsis.',
    }),
  ),
  textBackground: maybe(
    Type.Object(
      {
        color: values.color,
        per: maybe(Type.Enum(['box', 'line'], { description: 'Default line.' })),
        padding: maybe(Type.Number({ minimum: 0, maximum: 3, description: 'In em. Default 0.3.' })),
        radius: maybe(Type.Number({ minimum: 0, maximum: 3, description: 'In em. Default 0.15.' })),
      },
      { ...exact, description: 'A plate behind the words: one for all lines, or one each.' },
    ),
  ),
  split: maybe(motions.split),
});

const media = { asset: maybe(values.id), src: maybe(values.source) } as const;
const picture = {
  fit: maybe(
    Type.Enum(FITS, { description: 'Default cover. contain-blur fills what is left with a blurred copy.' }),
  ),
  focus: maybe(values.point),
  crop: maybe(
    Type.Array(Type.Number({ minimum: 0, maximum: 1 }), {
      minItems: 4,
      maxItems: 4,
      description: '[x, y, width, height] of the part that is used, as shares.',
    }),
  ),
} as const;
const clipping = {
  trim: maybe(values.time),
  speed: maybe(Type.Number({ minimum: 0.1, maximum: 10 })),
  loop: maybe(Type.Boolean()),
} as const;
const sound = {
  volume: maybe(values.number),
  fadeIn: maybe(values.time),
  fadeOut: maybe(values.time),
} as const;

const Image = element('image', 'A picture.', { ...media, ...picture });
const Video = element('video', 'A video clip. trim: where in the clip it begins.', {
  ...media,
  ...picture,
  ...clipping,
  ...sound,
  muted: maybe(Type.Boolean()),
});
const Audio = element('audio', 'A sound while it lasts.', {
  ...media,
  ...clipping,
  ...sound,
});
const Svg = element('svg', 'An SVG drawing: as markup, or a file.', {
  ...media,
  markup: maybe(
    Type.String({ maxLength: 200_000, description: 'Scripts, styles and outside references are taken out.' }),
  ),
  fit: maybe(Type.Enum(['contain', 'cover', 'fill'])),
});
const Lottie = element('lottie', 'A Lottie animation.', {
  data: maybe(Type.Unsafe<Record<string, unknown>>({ type: 'object', description: 'The animation itself.' })),
  ...media,
  fit: maybe(Type.Enum(['contain', 'cover', 'fill'])),
  speed: maybe(Type.Number({ minimum: 0.1, maximum: 10 })),
  loop: maybe(Type.Boolean({ description: 'Default true.' })),
});

const drawn = {
  fill: maybe(values.paint),
  stroke: maybe(values.animatedColor),
  strokeWidth: maybe(values.number),
  dash: maybe(Type.Array(Type.Number({ minimum: 0, maximum: 10_000 }), { minItems: 1, maxItems: 12 })),
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
    sides: maybe(
      Type.Integer({ minimum: 3, maximum: 60, description: 'Of a polygon; points of a star. Default 5.' }),
    ),
    inner: maybe(
      Type.Number({ minimum: 0, maximum: 1, description: 'Inner radius of a star or ring. Default 0.5.' }),
    ),
    startAngle: maybe(values.number),
    endAngle: maybe(values.number),
  },
);
const Path = element('path', 'Any outline.', {
  path: ref_.path,
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
  form: maybe(Type.Enum(['bar', 'ring', 'pie', 'segments'], { description: 'Default bar.' })),
  value: maybe(values.number),
  color: maybe(values.paint),
  trackColor: maybe(values.color),
  thickness: maybe(Type.Number({ minimum: 0, maximum: 2000, description: 'Of a ring.' })),
  segments: maybe(Type.Integer({ minimum: 1, maximum: 60 })),
  rounded: maybe(Type.Boolean()),
});
const Counter = element('counter', 'A number that runs from one value to another.', {
  from: maybe(Type.Number()),
  to: Type.Number(),
  decimals: maybe(Type.Integer({ minimum: 0, maximum: 6 })),
  separator: maybe(Type.String({ maxLength: 3, description: 'Between thousands. Default ",".' })),
  prefix: maybe(Type.String({ maxLength: 40 })),
  suffix: maybe(Type.String({ maxLength: 40 })),
  runFor: maybe(values.time),
  easing: maybe(values.easing),
  ...textStyle,
});
const Waveform = element('waveform', 'Bars that follow a sound.', {
  ...media,
  peaks: maybe(
    Type.Array(Type.Number({ minimum: 0, maximum: 1 }), {
      minItems: 1,
      maxItems: 20_000,
      description: 'Loudness over its time, evenly spaced.',
    }),
  ),
  form: maybe(Type.Enum(['bars', 'mirror', 'line', 'dots'], { description: 'Default mirror.' })),
  color: maybe(values.paint),
  bars: maybe(Type.Integer({ minimum: 4, maximum: 400, description: 'Default 48.' })),
  gap: maybe(
    Type.Number({ minimum: 0, maximum: 0.95, description: 'Share of a bar that is left free. Default 0.4.' }),
  ),
});

const groupOwn = {
  clipChildren: maybe(Type.Boolean({ description: 'true cuts off what stands out of its box.' })),
  speed: maybe(Type.Number({ minimum: 0.05, maximum: 20, description: 'Of its own timeline. Default 1.' })),
} as const;
const GroupOwn = Type.Object({ type: Type.Literal('group'), ...common, ...groupOwn });
const GROUP_DESCRIPTION = 'Elements that move, fade and are cut together, on a timeline of their own.';
const MaskOwn = Type.Object({
  mode: maybe(Type.Enum(['alpha', 'luma'], { description: 'Default alpha.' })),
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
export type Filter = Static<typeof Filter>;
export type Clip = Static<typeof Clip>;
export type Anchor = Static<typeof Anchor>;
export type Shadow = Static<typeof Shadow>;

const elementRef = Type.Unsafe<Element>({ $ref: '#/$defs/Element' });
const elementList = Type.Array(elementRef, { maxItems: 10_000 });
const Group = element('group', GROUP_DESCRIPTION, { ...groupOwn, elements: elementList });
const MaskDef = Type.Object(
  { ...MaskOwn.properties, element: elementRef },
  {
    ...exact,
    description: 'The masking element is laid out in the box of the one it masks.',
  },
);

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
  Anchor,
  Filter,
  Shadow,
  Border,
  Radius,
  PathData,
  Clip,
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
