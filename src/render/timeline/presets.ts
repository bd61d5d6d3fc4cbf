// Defines the named motions, which compute the pose of an element from the progress of its entrance, exit or loop.

import { ease } from '../../graph/easing.ts';
import type { Entrance, LOOPS, Motion, Preset } from '../schema/motion.ts';
import { clampToUnit, type Scope, toPixels, toSeconds } from './scope.ts';

/** How an element differs from its resting state. Lengths are in pixels, insets in fractions of the box. */
export interface Pose {
  readonly dx: number;
  readonly dy: number;
  readonly scaleX: number;
  readonly scaleY: number;
  readonly rotate: number;
  readonly skew: number;
  readonly opacity: number;
  readonly blur: number;
  /** Top, right, bottom, left. */
  readonly inset: readonly [number, number, number, number];
  /** Radius of a circular reveal, as a fraction of the radius that shows everything. */
  readonly iris: number;
}

const RESTING_POSE: Pose = {
  dx: 0,
  dy: 0,
  scaleX: 1,
  scaleY: 1,
  rotate: 0,
  skew: 0,
  opacity: 1,
  blur: 0,
  inset: [0, 0, 0, 0],
  iris: 1,
};

/** `v` is the eased progress (0 away, 1 arrived), `t` the linear progress, `distance` the distance in pixels. */
type EntrancePose = (v: number, t: number, distance: number) => Partial<Pose>;

const fadeIn = (t: number): number => clampToUnit(t * 1.6);
const scaleBoth = (scale: number): Pick<Pose, 'scaleX' | 'scaleY'> => ({ scaleX: scale, scaleY: scale });

const ENTRANCE_POSES: Readonly<Record<Preset, EntrancePose>> = {
  fade: v => ({ opacity: v }),
  'slide-up': (v, t, distance) => ({ dy: (1 - v) * distance, opacity: fadeIn(t) }),
  'slide-down': (v, t, distance) => ({ dy: (v - 1) * distance, opacity: fadeIn(t) }),
  'slide-left': (v, t, distance) => ({ dx: (1 - v) * distance, opacity: fadeIn(t) }),
  'slide-right': (v, t, distance) => ({ dx: (v - 1) * distance, opacity: fadeIn(t) }),
  rise: (v, t, distance) => ({
    dy: (1 - v) * distance * 0.5,
    ...scaleBoth(0.96 + 0.04 * v),
    opacity: fadeIn(t),
    blur: (1 - v) * 6,
  }),
  drop: (v, t, distance) => ({ dy: (v - 1) * distance * 1.6, opacity: fadeIn(t * 2) }),
  'zoom-in': (v, t) => ({ ...scaleBoth(0.7 + 0.3 * v), opacity: fadeIn(t) }),
  'zoom-out': (v, t) => ({ ...scaleBoth(1.35 - 0.35 * v), opacity: fadeIn(t) }),
  pop: (v, t) => ({ ...scaleBoth(Math.max(0, v)), opacity: fadeIn(t * 2.5) }),
  spin: (v, t) => ({ rotate: (v - 1) * 180, ...scaleBoth(0.3 + 0.7 * v), opacity: fadeIn(t) }),
  swing: (v, t) => ({ rotate: (1 - v) * -24, dy: (1 - v) * 20, opacity: fadeIn(t) }),
  'flip-x': (v, t) => ({ scaleX: v, skew: (1 - v) * 8, opacity: fadeIn(t * 2) }),
  'flip-y': (v, t) => ({ scaleY: v, skew: (1 - v) * 8, opacity: fadeIn(t * 2) }),
  'grow-x': v => ({ scaleX: v }),
  'grow-y': v => ({ scaleY: v }),
  blur: (v, t) => ({ blur: (1 - v) * 28, ...scaleBoth(1.06 - 0.06 * v), opacity: fadeIn(t) }),
  'wipe-left': v => ({ inset: [0, 0, 0, 1 - v] }),
  'wipe-right': v => ({ inset: [0, 1 - v, 0, 0] }),
  'wipe-up': v => ({ inset: [1 - v, 0, 0, 0] }),
  'wipe-down': v => ({ inset: [0, 0, 1 - v, 0] }),
  iris: v => ({ iris: Math.max(0, v) }),
};

/** Entrances that overshoot by default. */
const OVERSHOOTING_PRESETS: ReadonlySet<Preset> = new Set(['pop', 'swing', 'drop']);

const sineWave = (phase: number): number => Math.sin(phase * 2 * Math.PI);

const LOOP_POSES: Readonly<
  Record<(typeof LOOPS)[number], (phase: number, amount: number, distance: number) => Partial<Pose>>
> = {
  pulse: (p, a) => scaleBoth(1 + 0.06 * a * (0.5 - 0.5 * Math.cos(p * 2 * Math.PI))),
  float: (p, a, distance) => ({ dy: -sineWave(p) * distance * 0.12 * a }),
  sway: (p, a) => ({ rotate: sineWave(p) * 4 * a }),
  spin: (p, a) => ({ rotate: p * 360 * Math.sign(a) }),
  shake: (p, a, distance) => ({
    dx: Math.sin(p * 10 * Math.PI) * distance * 0.05 * a,
    rotate: Math.sin(p * 14 * Math.PI) * a,
  }),
  blink: (p, a) => ({ opacity: p < 0.5 ? 1 : Math.max(0, 1 - a) }),
  breathe: (p, a) => ({ opacity: 1 - 0.35 * Math.min(1, a) * (0.5 - 0.5 * Math.cos(p * 2 * Math.PI)) }),
  drift: (p, a, distance) => ({
    dx: sineWave(p) * distance * 0.2 * a,
    dy: Math.cos(p * 2 * Math.PI) * distance * 0.12 * a,
  }),
};

const DEFAULT_DURATION = 0.6;
const DEFAULT_DISTANCE = '12vmin';

/**
 * Returns the combined pose of entrance, exit and loop. `scope.now` counts from the element's start, and `scope.span`
 * is its duration.
 */
export function getPose(motion: Motion | undefined, scope: Scope): Pose {
  if (motion === undefined) return RESTING_POSE;
  const loop = motion.loop;
  return [
    motion.in === undefined ? RESTING_POSE : getEntrancePose(motion.in, scope.now, 'in', scope),
    motion.out === undefined
      ? RESTING_POSE
      : getEntrancePose(motion.out, scope.span - scope.now, 'out', scope),
    loop === undefined ? RESTING_POSE : { ...RESTING_POSE, ...getLoopPose(loop, scope) },
  ].reduce(combine);
}

function getEntrancePose(entrance: Entrance, elapsed: number, side: 'in' | 'out', scope: Scope): Pose {
  const duration = Math.max(1e-6, toSeconds(entrance.duration ?? DEFAULT_DURATION, scope.span, scope.fps));
  const delay = entrance.delay === undefined ? 0 : toSeconds(entrance.delay, scope.span, scope.fps);
  const t = clampToUnit((elapsed - delay) / duration);
  if (t >= 1) return RESTING_POSE;
  const defaultEasing = OVERSHOOTING_PRESETS.has(entrance.preset) && side === 'in' ? 'back-out' : 'expo-out';
  // An exit runs backwards, so its curve is the mirrored entrance curve.
  const v = ease(entrance.easing ?? (side === 'in' ? defaultEasing : 'cubic-out'), t);
  const distance = toPixels(
    entrance.distance ?? DEFAULT_DISTANCE,
    Math.min(scope.frame.width, scope.frame.height),
    scope,
  );
  const pose = ENTRANCE_POSES[entrance.preset](v, t, distance);
  // Like an entrance, an exit moves in the direction of its name. Backwards, the entrance would move the other way.
  const exitOffset = side === 'out' ? { dx: -(pose.dx ?? 0), dy: -(pose.dy ?? 0) } : {};
  return { ...RESTING_POSE, ...pose, ...exitOffset };
}

function getLoopPose(loop: NonNullable<Motion['loop']>, scope: Scope): Partial<Pose> {
  const period = Math.max(0.02, toSeconds(loop.period ?? 2, scope.span, scope.fps));
  const distance = toPixels(DEFAULT_DISTANCE, 0, scope);
  return LOOP_POSES[loop.preset]((scope.now / period) % 1, loop.amount ?? 1, distance);
}

function combine(a: Pose, b: Pose): Pose {
  const [t, r, d, l] = a.inset;
  return {
    dx: a.dx + b.dx,
    dy: a.dy + b.dy,
    scaleX: a.scaleX * b.scaleX,
    scaleY: a.scaleY * b.scaleY,
    rotate: a.rotate + b.rotate,
    skew: a.skew + b.skew,
    opacity: a.opacity * b.opacity,
    blur: a.blur + b.blur,
    inset: [t + b.inset[0], r + b.inset[1], d + b.inset[2], l + b.inset[3]],
    iris: Math.min(a.iris, b.iris),
  };
}
