// Names the motions: entrances, exits, loops, letter animations, and transitions between scenes.
import { type Static, Type } from 'typebox';
import { describedObject, numberBetween, oneOf, optional, ref, values } from './values.ts';

/** Entrances and exits, which `timeline/presets.ts` defines. */
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

const Entrance = describedObject(
  'A named animation. duration: default 0.6 s. delay: an entrance starts later, or an exit ends earlier, by this time. easing: default expo-out in, cubic-in out. distance: how far a sliding preset travels; default 12vmin.',
  {
    preset: Type.Enum(PRESETS),
    duration: optional(values.time),
    delay: optional(values.time),
    easing: optional(values.easing),
    distance: optional(values.length),
  },
);
const entrance = ref('Entrance', Entrance);

const Motion = describedObject('Entrance, exit, loop and slow zoom by name, in addition to keyframes.', {
  in: optional(entrance),
  out: optional(entrance),
  loop: optional(
    describedObject('A repeated animation. period: default 2 s.', {
      preset: Type.Enum(LOOPS),
      period: optional(values.time),
      amount: optional(numberBetween(0, 10, 'Strength. Default 1.')),
    }),
  ),
  kenBurns: optional(
    describedObject('A slow zoom inside the frame of an image or video, over its whole duration.', {
      from: optional(numberBetween(1, 4, 'Scale at the start. Default 1.')),
      to: optional(numberBetween(1, 4, 'Scale at the end. Default 1.15.')),
      focus: optional(values.point),
      pan: optional(oneOf(DIRECTIONS, 'The image also moves in this direction.')),
    }),
  ),
});

const Split = describedObject(
  'Text that appears part by part. duration: the time that each part takes, default 0.5 s. stagger: the time from one part to the next, default 0.04 s. delay: the time before the first part.',
  {
    by: Type.Enum(['letter', 'word', 'line']),
    preset: optional(oneOf(SPLIT_PRESETS, 'Default rise.')),
    duration: optional(values.time),
    stagger: optional(values.time),
    delay: optional(values.time),
    easing: optional(values.easing),
    order: optional(oneOf(['forward', 'backward', 'center'], 'Default forward.')),
  },
);

const Transition = describedObject(
  'The transition from the previous scene. Both scenes are visible for its duration (default 0.6 s), which shortens the video. color: the color of a dip, default black. easing: default cubic-in-out.',
  {
    type: Type.Enum(TRANSITIONS),
    duration: optional(values.time),
    direction: optional(oneOf(DIRECTIONS, 'The direction of movement. Default left.')),
    easing: optional(values.easing),
    color: optional(values.color),
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
