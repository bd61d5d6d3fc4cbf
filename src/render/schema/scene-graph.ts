// Defines the scene graph, with its fifteen top-level properties, and its JSON Schema.
import { type Static, Type } from 'typebox';
import { ELEMENT_DEFS, elements, ROLES } from './elements.ts';
import { MOTION_DEFS, motions } from './motion.ts';
import {
  byType,
  described,
  exact,
  GRADIENTS,
  type Gradient,
  maybe,
  oneOf,
  ref,
  text,
  VALUE_DEFS,
  values,
  whole,
  within,
} from './values.ts';

const behind = {
  fit: maybe(elements.fit),
  focus: maybe(values.point),
  blur: maybe(within(0, 200, 'In pixels.')),
  dim: maybe(within(0, 1, 'Darkens it: 0 not at all, 1 to black.')),
  zoom: maybe(within(1, 3, 'Slowly enlarged up to this over its time.')),
} as const;
const ImageBackground = exact({
  type: Type.Literal('image'),
  asset: maybe(values.id),
  src: maybe(values.source),
  ...behind,
});
const VideoBackground = exact({
  type: Type.Literal('video'),
  asset: maybe(values.id),
  src: maybe(values.source),
  ...behind,
  loop: maybe(Type.Boolean({ description: 'Default true; else its last frame stays.' })),
});
type MediaBackground = Static<typeof ImageBackground> | Static<typeof VideoBackground>;
const Background = Type.Union(
  [values.color, byType<Gradient | MediaBackground>([...GRADIENTS, 'ImageBackground', 'VideoBackground'])],
  {
    description:
      'What stands behind: a colour, a gradient, a picture or a video (blurred, darkened, slowly enlarged).',
  },
);
const background = ref('Background', Background);

const Scene = described(
  'A part of the video. Scenes follow one another; "transition" says how this one takes over from the one before. duration: default that of defaults.sceneDuration, else 4 s.',
  {
    id: maybe(values.id),
    name: maybe(text(200)),
    duration: maybe(values.time),
    background: maybe(background),
    elements: maybe(elements.list),
    transition: maybe(motions.transition),
    blockId: maybe(text(80, 'A ready-made scene instead of elements. Use the blockId you were given.')),
    props: maybe(
      Type.Unsafe<Record<string, unknown>>({
        type: 'object',
        maxProperties: 100,
        description: 'Texts, colours and pictures of the block.',
      }),
    ),
    hidden: maybe(Type.Boolean()),
  },
);
const Track = described('A row of elements in front of the scenes, timed against the whole video.', {
  id: maybe(values.id),
  name: maybe(text(200)),
  elements: elements.list,
  opacity: maybe(values.number),
  hidden: maybe(Type.Boolean()),
});

const Word = described('A word, or a whole line, with its times in seconds.', {
  text: Type.String({ minLength: 1, maxLength: 200 }),
  start: within(0, 86_400),
  end: within(0, 86_400),
});
const word = ref('Word', Word);
const CaptionTrack = described(
  'Subtitles, from one of: words with times, lines with times (cues), SRT text, WebVTT text.',
  {
    words: maybe(Type.Array(word, { maxItems: 20_000 })),
    cues: maybe(Type.Array(word, { maxItems: 5_000 })),
    srt: maybe(text(500_000)),
    vtt: maybe(text(500_000)),
    mode: maybe(
      oneOf(
        ['page', 'word', 'karaoke'],
        'page: a few words at a time; word: one word; karaoke: a page with the spoken word marked. Default page.',
      ),
    ),
    maxWords: maybe(whole(1, 30, 'On a page. Default 6.')),
    maxLines: maybe(whole(1, 6, 'Default 2.')),
    position: maybe(oneOf(['top', 'middle', 'bottom'], 'Default bottom.')),
    safeArea: maybe(within(0, 0.45, 'Share of the frame kept free at the edge. Default 0.12.')),
    style: maybe(elements.textStyle),
    background: maybe(values.color),
    active: maybe(
      described('How the spoken word looks in karaoke mode.', {
        color: maybe(values.color),
        background: maybe(values.color),
      }),
    ),
    offset: maybe(within(-3600, 3600, 'Seconds added to all times.')),
    hidden: maybe(Type.Boolean()),
  },
);

const AudioItem = described(
  'A sound on the timeline of the whole video. start: default 0. duration: default to its own end, or with loop to that of the video. trim: where in the file it begins, and where a loop begins again. speed: the pitch stays. volume: 0 to 4, default 1.',
  {
    asset: maybe(values.id),
    src: maybe(values.source),
    role: maybe(oneOf(ROLES, 'Default music.')),
    start: maybe(values.time),
    duration: maybe(values.time),
    trim: maybe(values.time),
    volume: maybe(values.number),
    pan: maybe(within(-1, 1, '-1 is left, 1 right.')),
    fadeIn: maybe(values.time),
    fadeOut: maybe(values.time),
    speed: maybe(within(0.5, 4)),
    loop: maybe(Type.Boolean()),
  },
);
const AudioTrack = described(
  'Voice, music and effects, mixed into one track with the sounds of elements. volume: of the whole, after its loudness was set.',
  {
    items: Type.Array(ref('AudioItem', AudioItem), { maxItems: 200 }),
    duck: maybe(
      described(
        'Lowers music and effects while a voice is heard. attack: default 0.2 s, over by the time the voice begins. release: default 0.6 s, from its end.',
        {
          by: maybe(within(0, 60, 'Decibels. Default 12.')),
          attack: maybe(values.time),
          release: maybe(values.time),
        },
      ),
    ),
    loudness: maybe(
      Type.Union([within(-40, -5), Type.Literal('off')], {
        description:
          'The whole is made this loud, in LUFS; default -14. "off" leaves volumes as they are. Peaks stay below -1 dB either way.',
      }),
    ),
    volume: maybe(values.number),
  },
);

const Asset = described('A file with a name, for elements to refer to by "asset".', {
  type: Type.Enum(['image', 'video', 'audio', 'svg', 'lottie']),
  src: maybe(values.source),
  mediaId: maybe(
    Type.String({
      pattern: '^med_[0-9a-z]{1,64}$',
      description: 'A file of the media library instead of src.',
    }),
  ),
});
const Names = <T extends ReturnType<typeof Type.Unsafe>>(value: T, description: string) =>
  Type.Record(Type.String({ pattern: '^[A-Za-z][\\w-]{0,79}$' }), value, {
    additionalProperties: false,
    maxProperties: 1000,
    description,
  });

const Font = described('A family name of your own that stands for a bundled one.', {
  family: Type.String({ pattern: '^[A-Za-z][A-Za-z0-9 _-]*$', maxLength: 80 }),
  use: Type.Enum(['Inter', 'Playfair Display', 'Anton', 'JetBrains Mono']),
});
const Theme = described('Colours and fonts by name, so that a look can be changed in one place.', {
  colors: maybe(Names(values.color, 'Colours by token: { "accent": "#ff5a36" } is written "$accent".')),
  fonts: maybe(Names(values.family, 'Families by token: { "heading": "Anton" } is written "$heading".')),
});
const Defaults = described(
  'What is taken where a scene or element says nothing: sceneDuration and transition of scenes, text of texts and counters, motion of elements, easing of keyframes.',
  {
    sceneDuration: maybe(values.time),
    transition: maybe(motions.transition),
    text: maybe(elements.textStyle),
    motion: maybe(motions.motion),
    easing: maybe(values.easing),
  },
);

const properties = {
  fps: whole(1, 120, 'Frames a second; 30 suits most.'),
  width: whole(16, 4096, 'Of the video, in pixels.'),
  height: whole(16, 4096, 'Of the video, in pixels.'),
  scenes: Type.Array(ref('Scene', Scene), { minItems: 1, maxItems: 500, description: 'In order of time.' }),
  background: maybe(background),
  tracks: maybe(
    Type.Array(ref('Track', Track), { maxItems: 50, description: 'In front of the scenes, last on top.' }),
  ),
  overlays: maybe(
    Type.Array(elements.element, {
      maxItems: 1000,
      description: 'In front of everything: logos, progress bars.',
    }),
  ),
  captionTrack: maybe(ref('CaptionTrack', CaptionTrack)),
  audioTrack: maybe(ref('AudioTrack', AudioTrack)),
  durationInFrames: maybe(whole(1, 432_000, 'Of the whole. Default: what the scenes add up to.')),
  fonts: maybe(Type.Array(ref('Font', Font), { maxItems: 50 })),
  theme: maybe(ref('Theme', Theme)),
  assets: maybe(Names(ref('Asset', Asset), 'Files by name.')),
  defaults: maybe(ref('Defaults', Defaults)),
  metadata: maybe(
    Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      maxProperties: 100,
      description: 'Anything of yours; it is not drawn.',
    }),
  ),
} as const;
const Graph = exact(properties);

export type SceneGraph = Static<typeof Graph>;
export type Scene = Static<typeof Scene>;
export type Background = Static<typeof Background>;
export type CaptionTrack = Static<typeof CaptionTrack>;
export type Word = Static<typeof Word>;
export type AudioItem = Static<typeof AudioItem>;
export type Asset = Static<typeof Asset>;

/** The JSON Schema (2020-12) of a scene graph, which also validates it when it is run. */
export const SCENE_GRAPH_SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'https://graphwright.dev/schemas/scene-graph.json',
  title: 'Scene graph',
  description:
    'A video as data: scenes in sequence, tracks and overlays in front of them, every value still or moving. Frames are drawn from it alone, so the same graph always gives the same pictures.',
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
