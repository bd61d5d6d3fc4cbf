// Names the motions: entrances, exits, loops, letter animations, and transitions between scenes.
import { type Static, Type } from 'typebox';
import { described, maybe, oneOf, ref, values, within } from './values.ts';

/** Entrances and exits. `timeline/presets.ts` has a row for each. */
const PRESETS = [
  'fade',
  'slide-up',
  'slide-down',
  'slide-left',
  'slide-right',
  'rise',
  'drop',
  'zoom-in',
  'zoom-out',
  'pop',
  'spin',
  'swing',
  'flip-x',
  'flip-y',
  'grow-x',
  'grow-y',
  'blur',
  'wipe-left',
  'wipe-right',
  'wipe-up',
  'wipe-down',
  'iris',
] as const;
export const LOOPS = ['pulse', 'float', 'sway', 'spin', 'shake', 'blink', 'breathe', 'drift'] as const;
const SPLIT_PRESETS = ['fade', 'rise', 'drop', 'pop', 'slide', 'blur', 'typewriter', 'wave'] as const;
export const TRANSITIONS = [
  'cut',
  'fade',
  'slide',
  'push',
  'cover',
  'reveal',
  'wipe',
  'split',
  'blinds',
  'zoom',
  'iris',
  'clock-wipe',
  'blur',
  'dip',
  'flip',
  'spin',
] as const;
const DIRECTIONS = ['left', 'right', 'up', 'down'] as const;

const Entrance = described(
  'A named animation. duration: default 0.6 s. delay: an entrance starts later, or an exit ends earlier, by this time. easing: default expo-out in, cubic-in out. distance: how far a sliding preset travels; default 12vmin.',
  {
    preset: Type.Enum(PRESETS),
    duration: maybe(values.time),
    delay: maybe(values.time),
    easing: maybe(values.easing),
    distance: maybe(values.length),
  },
);
const entrance = ref('Entrance', Entrance);

const Motion = described('Entrance, exit, loop and slow zoom by name, in addition to keyframes.', {
  in: maybe(entrance),
  out: maybe(entrance),
  loop: maybe(
    described('A repeated animation. period: default 2 s.', {
      preset: Type.Enum(LOOPS),
      period: maybe(values.time),
      amount: maybe(within(0, 10, 'Strength. Default 1.')),
    }),
  ),
  kenBurns: maybe(
    described('A slow zoom inside the frame of an image or video, over its whole duration.', {
      from: maybe(within(1, 4, 'Scale at the start. Default 1.')),
      to: maybe(within(1, 4, 'Scale at the end. Default 1.15.')),
      focus: maybe(values.point),
      pan: maybe(oneOf(DIRECTIONS, 'The image also moves in this direction.')),
    }),
  ),
});

const Split = described(
  'Text that appears part by part. duration: of each part, default 0.5 s. stagger: between one part and the next, default 0.04 s. delay: before the first.',
  {
    by: Type.Enum(['letter', 'word', 'line']),
    preset: maybe(oneOf(SPLIT_PRESETS, 'Default rise.')),
    duration: maybe(values.time),
    stagger: maybe(values.time),
    delay: maybe(values.time),
    easing: maybe(values.easing),
    order: maybe(oneOf(['forward', 'backward', 'center'], 'Default forward.')),
  },
);

const Transition = described(
  'The transition from the previous scene. Both scenes are visible for its duration (default 0.6 s), which shortens the video. color: of a dip, default black. easing: default cubic-in-out.',
  {
    type: Type.Enum(TRANSITIONS),
    duration: maybe(values.time),
    direction: maybe(oneOf(DIRECTIONS, 'The direction of movement. Default left.')),
    easing: maybe(values.easing),
    color: maybe(values.color),
  },
);

export const MOTION_DEFS = { Entrance, Motion, Split, Transition } as const;
export const motions = {
  motion: ref('Motion', Motion),
  split: ref('Split', Split),
  transition: ref('Transition', Transition),
} as const;

export type Preset = (typeof PRESETS)[number];
export type Entrance = Static<typeof Entrance>;
export type Motion = Static<typeof Motion>;
export type Split = Static<typeof Split>;
export type Direction = (typeof DIRECTIONS)[number];
