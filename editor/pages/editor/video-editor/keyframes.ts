// Reads, changes and draws the keyframes of an animated value.
import { type Easing, ease } from '../../../../src/graph/easing.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../../src/graph/types.ts';
import { resolveRef, type Schema } from './json-schema.ts';
import { parseSeconds } from './layers.ts';

export interface Keyframe {
  readonly time: Json;
  readonly value: Json;
  /** Of the change from the previous keyframe. If absent, the default of the scene graph. */
  readonly easing?: Json;
}

export const DEFAULT_EASING = 'cubic-in-out';
export const MAX_KEYFRAMES = 200;

/** Returns the schema of the value of a keyframe, or undefined if the property cannot be animated. */
export function findKeyframeValue(root: Schema, { anyOf = [] }: Schema): Schema | undefined {
  for (const branch of anyOf) {
    const { keyframes } = resolveRef(root, branch).properties ?? {};
    if (keyframes?.items !== undefined) return resolveRef(root, keyframes.items).properties?.value;
  }
  return undefined;
}

/** Returns the keyframes of the value, or undefined if it is constant. */
export function readKeyframes(value: Json | undefined): readonly Keyframe[] | undefined {
  const list = isJsonObject(value) ? value.keyframes : undefined;
  if (!Array.isArray(list) || !list.every(item => isJsonObject(item) && 'time' in item && 'value' in item))
    return undefined;
  return list as unknown as readonly Keyframe[];
}

export const toAnimation = (keyframes: readonly Keyframe[]): JsonObject => ({
  keyframes: keyframes as unknown as Json,
});

/** Returns the animation of a value that was constant: it stays the same for a second. */
export const animate = (value: Json): JsonObject =>
  toAnimation([
    { time: 0, value },
    { time: 1, value },
  ]);

/** Adds a keyframe a second after the last one, with its value. */
export function addKeyframe(keyframes: readonly Keyframe[]): readonly Keyframe[] {
  const last = sortKeyframes(keyframes).at(-1);
  return [...keyframes, { time: last === undefined ? 0 : round(last.seconds + 1), value: last?.value ?? 0 }];
}

const round = (seconds: number): number => Math.round(seconds * 1000) / 1000;

interface TimedKeyframe extends Keyframe {
  readonly seconds: number;
}

/** The graph of a strip has no frame rate of its own. Percentages count as parts of a second. */
const STRIP_GRAPH: JsonObject = { fps: 30 };

const sortKeyframes = (keyframes: readonly Keyframe[]): readonly TimedKeyframe[] =>
  keyframes
    .map(keyframe => ({ ...keyframe, seconds: parseSeconds(keyframe.time, 1, STRIP_GRAPH) ?? 0 }))
    .sort((a, b) => a.seconds - b.seconds);

export interface Strip {
  /** The value over time, from the top left (0, 0) to the bottom right (1, 1). */
  readonly points: readonly (readonly [x: number, y: number])[];
  /** The positions of the keyframes. */
  readonly marks: readonly { readonly x: number; readonly y: number }[];
}

const POINTS_PER_CHANGE = 24;

/** Computes the curve of the keyframes. A value that is no number counts as one more than the value before. */
export function drawStrip(keyframes: readonly Keyframe[]): Strip {
  const sorted = sortKeyframes(keyframes);
  const isNumeric = sorted.every(({ value }) => typeof value === 'number');
  const heights = sorted.map(({ value }, index) => (isNumeric ? Number(value) : index));
  const total = Math.max(sorted.at(-1)?.seconds ?? 0, 0.001);
  const points: (readonly [number, number])[] = [];
  for (const [index, { seconds, easing }] of sorted.entries()) {
    const before = sorted[index - 1];
    const [from, to] = [heights[index - 1] ?? heights[index] ?? 0, heights[index] ?? 0];
    if (before === undefined) points.push([0, to]);
    else
      for (let step = 0; step <= POINTS_PER_CHANGE; step++) {
        const share = step / POINTS_PER_CHANGE;
        const time = before.seconds + (seconds - before.seconds) * share;
        points.push([time / total, from + (to - from) * computeShare(easing, share)]);
      }
  }
  const values = points.map(([, value]) => value);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const toY = (value: number): number => (high === low ? 0.5 : 1 - (value - low) / (high - low));
  return {
    points: points.map(([x, value]) => [x, toY(value)]),
    marks: sorted.map((keyframe, index) => ({
      x: keyframe.seconds / total,
      y: toY(heights[index] ?? 0),
    })),
  };
}

/** Returns the progress with the easing. An easing that is being edited may be invalid. */
function computeShare(easing: Json | undefined, share: number): number {
  try {
    const progress = ease((easing ?? DEFAULT_EASING) as Easing, share);
    return Number.isFinite(progress) ? progress : share;
  } catch {
    return share;
  }
}
