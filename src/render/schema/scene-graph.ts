// Defines the scene graph and its JSON Schema.
import { type Static, Type } from 'typebox';
import { ELEMENT_DEFS, elements, ROLES } from './elements.ts';
import { MOTION_DEFS, motions } from './motion.ts';
import {
  byType,
  describedObject,
  GRADIENTS,
  type Gradient,
  integer,
  numberBetween,
  oneOf,
  optional,
  ref,
  strictObject,
  text,
  VALUE_DEFS,
  values,
} from './values.ts';

const backgroundProperties = {
  fit: optional(elements.fit),
  focus: optional(values.point),
  blur: optional(numberBetween(0, 200, 'In pixels.')),
  dim: optional(numberBetween(0, 1, 'Darkens the background, from 0 (no change) to 1 (black).')),
  zoom: optional(numberBetween(1, 3, 'Slowly zooms to this scale.')),
} as const;
const ImageBackground = strictObject({
  type: Type.Literal('image'),
  asset: optional(values.id),
  src: optional(values.source),
  ...backgroundProperties,
});
const VideoBackground = strictObject({
  type: Type.Literal('video'),
  asset: optional(values.id),
  src: optional(values.source),
  ...backgroundProperties,
  loop: optional(Type.Boolean({ description: 'Default true. If false, the last frame stays.' })),
});
type MediaBackground = Static<typeof ImageBackground> | Static<typeof VideoBackground>;
const Background = Type.Union(
  [values.color, byType<Gradient | MediaBackground>([...GRADIENTS, 'ImageBackground', 'VideoBackground'])],
  {
    description:
      'The background: a color, a gradient, an image or a video (optionally blurred, darkened, zoomed).',
  },
);
const background = ref('Background', Background);

const Scene = describedObject(
  'A part of the video. Scenes play in sequence; "transition" is the transition from the previous scene. duration: default defaults.sceneDuration, or 4 s.',
  {
    id: optional(values.id),
    name: optional(text(200)),
    duration: optional(values.time),
    background: optional(background),
    elements: optional(elements.list),
    transition: optional(motions.transition),
    blockId: optional(
      text(80, 'A predefined scene instead of elements. Use the blockId that you were given.'),
    ),
    props: optional(
      Type.Unsafe<Record<string, unknown>>({
        type: 'object',
        maxProperties: 100,
        description: 'Texts, colors and images of the block.',
      }),
    ),
    hidden: optional(Type.Boolean()),
  },
);
const Track = describedObject('Elements in front of the scenes, timed from the start of the video.', {
  id: optional(values.id),
  name: optional(text(200)),
  elements: elements.list,
  opacity: optional(values.number),
  hidden: optional(Type.Boolean()),
});

const Word = describedObject('A word, or a whole line, with its times in seconds.', {
  text: Type.String({ minLength: 1, maxLength: 200 }),
  start: numberBetween(0, 86_400),
  end: numberBetween(0, 86_400),
});
const word = ref('Word', Word);
const CaptionTrack = describedObject(
  'Subtitles, from one of: words with times, lines with times (cues), SRT text, WebVTT text.',
  {
    words: optional(Type.Array(word, { maxItems: 20_000 })),
    cues: optional(Type.Array(word, { maxItems: 5_000 })),
    srt: optional(text(500_000)),
    vtt: optional(text(500_000)),
    mode: optional(
      oneOf(
        ['page', 'word', 'karaoke'],
        'page: a few words at a time. word: one word at a time. karaoke: a page with the spoken word highlighted. Default page.',
      ),
    ),
    maxWords: optional(integer(1, 30, 'Words per page. Default: 6 with words, and whole lines otherwise.')),
    maxLines: optional(integer(1, 6, 'Default 2.')),
    position: optional(oneOf(['top', 'middle', 'bottom'], 'Default bottom.')),
    safeArea: optional(
      numberBetween(0, 0.45, 'Fraction of the frame to keep free at the edge. Default 0.12.'),
    ),
    style: optional(elements.textStyle),
    background: optional(values.color),
    active: optional(
      describedObject('How the spoken word looks in karaoke mode.', {
        color: optional(values.color),
        background: optional(values.color),
      }),
    ),
    offset: optional(numberBetween(-3600, 3600, 'Seconds added to all times.')),
    hidden: optional(Type.Boolean()),
  },
);

const AudioItem = describedObject(
  'Audio on the timeline of the video. start: default 0. duration: default until the file ends, or with loop until the video ends. trim: the start time in the file, to which a loop returns. speed: keeps the pitch. volume: 0 to 4, default 1.',
  {
    asset: optional(values.id),
    src: optional(values.source),
    role: optional(oneOf(ROLES, 'Default music.')),
    start: optional(values.time),
    duration: optional(values.time),
    trim: optional(values.time),
    volume: optional(values.number),
    pan: optional(numberBetween(-1, 1, '-1 is left, 1 right.')),
    fadeIn: optional(values.time),
    fadeOut: optional(values.time),
    speed: optional(numberBetween(0.5, 4)),
    loop: optional(Type.Boolean()),
  },
);
const AudioTrack = describedObject(
  'Voice, music and effects, mixed into one track with the audio of elements. volume: the volume of the whole mix, applied after the loudness is normalized.',
  {
    items: Type.Array(ref('AudioItem', AudioItem), { maxItems: 200 }),
    duck: optional(
      describedObject(
        'Lowers music and effects while a voice plays. attack: the time before the voice in which they are lowered, default 0.2 s. release: the time after the voice in which they return, default 0.6 s.',
        {
          by: optional(numberBetween(0, 60, 'Decibels. Default 12.')),
          attack: optional(values.time),
          release: optional(values.time),
        },
      ),
    ),
    loudness: optional(
      Type.Union([numberBetween(-40, -5), Type.Literal('off')], {
        description:
          'The loudness of the whole mix in LUFS, default -14. "off" keeps the volumes. Peaks stay below -1 dB in both cases.',
      }),
    ),
    volume: optional(values.number),
  },
);

const Asset = describedObject('A file with a name, for elements to refer to by "asset".', {
  type: Type.Enum(['image', 'video', 'audio', 'svg', 'lottie']),
  src: optional(values.source),
  mediaId: optional(
    Type.String({
      pattern: '^med_[0-9a-z]{1,64}$',
      description: 'A file from the media library instead of src.',
    }),
  ),
});
const namedValues = <T extends ReturnType<typeof Type.Unsafe>>(value: T, description: string) =>
  Type.Record(Type.String({ pattern: '^[A-Za-z][\\w-]{0,79}$' }), value, {
    additionalProperties: false,
    maxProperties: 1000,
    description,
  });

const Font = describedObject('A custom family name for a bundled font.', {
  family: Type.String({ pattern: '^[A-Za-z][A-Za-z0-9 _-]*$', maxLength: 80 }),
  use: Type.Enum(['Inter', 'Playfair Display', 'Anton', 'JetBrains Mono']),
});
const Theme = describedObject('Colors and fonts by name, to change the style in one place.', {
  colors: optional(
    namedValues(values.color, 'Colors by token: { "accent": "#ff5a36" } is written "$accent".'),
  ),
  fonts: optional(
    namedValues(values.family, 'Families by token: { "heading": "Anton" } is written "$heading".'),
  ),
});
const Defaults = describedObject(
  'Defaults for scenes and elements: sceneDuration and transition of scenes, text of texts and counters, motion of elements, easing of keyframes.',
  {
    sceneDuration: optional(values.time),
    transition: optional(motions.transition),
    text: optional(elements.textStyle),
    motion: optional(motions.motion),
    easing: optional(values.easing),
  },
);

const properties = {
  fps: integer(1, 120, 'Frames per second, usually 30.'),
  width: integer(16, 4096, 'In pixels.'),
  height: integer(16, 4096, 'In pixels.'),
  scenes: Type.Array(ref('Scene', Scene), { minItems: 1, maxItems: 500, description: 'In playback order.' }),
  background: optional(background),
  tracks: optional(
    Type.Array(ref('Track', Track), {
      maxItems: 50,
      description: 'In front of the scenes. The last is on top.',
    }),
  ),
  overlays: optional(
    Type.Array(elements.element, {
      maxItems: 1000,
      description: 'In front of everything: logos, progress bars.',
    }),
  ),
  captionTrack: optional(ref('CaptionTrack', CaptionTrack)),
  audioTrack: optional(ref('AudioTrack', AudioTrack)),
  durationInFrames: optional(integer(1, 432_000, 'Length of the video. Default: until the last scene ends.')),
  fonts: optional(Type.Array(ref('Font', Font), { maxItems: 50 })),
  theme: optional(ref('Theme', Theme)),
  assets: optional(namedValues(ref('Asset', Asset), 'Files by name.')),
  defaults: optional(ref('Defaults', Defaults)),
  metadata: optional(
    Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      maxProperties: 100,
      description: 'Custom data. Not rendered.',
    }),
  ),
} as const;
const Graph = strictObject(properties);

export type SceneGraph = Static<typeof Graph>;
export type Scene = Static<typeof Scene>;
export type Background = Static<typeof Background>;
export type CaptionTrack = Static<typeof CaptionTrack>;
export type Word = Static<typeof Word>;
export type AudioItem = Static<typeof AudioItem>;
export type Asset = Static<typeof Asset>;

/** The JSON Schema (2020-12) of a scene graph, for documentation and validation. */
export const SCENE_GRAPH_SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'https://graphwright.dev/schemas/scene-graph.json',
  title: 'Scene graph',
  description:
    'A video as data: scenes in sequence, with tracks and overlays in front. Values can be constant or animated. Rendering is deterministic: the same graph always gives the same frames.',
  ...Graph,
  $defs: {
    ...VALUE_DEFS,
    ...MOTION_DEFS,
    ...ELEMENT_DEFS,
    ImageBackground,
    VideoBackground,
    Background,
    Scene,
    Track,
    Word,
    CaptionTrack,
    AudioItem,
    AudioTrack,
    Asset,
    Font,
    Theme,
    Defaults,
  },
} as const;
