// Resolves times and lengths to numbers in the context of an element: its container's size, its time, and the graph's
// names.
import type { Asset, SceneGraph } from '../schema/scene-graph.ts';
import type { Animated, Easing, Length, Paint, Time } from '../schema/values.ts';
import { mixColors, parseColor } from './color.ts';
import type { Corners, Fill, Rgba } from './draw-list.ts';
import { ease } from './easing.ts';

export interface Names {
  readonly colors: ReadonlyMap<string, Rgba>;
  /** Family as written → bundled family. */
  readonly families: ReadonlyMap<string, string>;
  readonly assets: Readonly<Record<string, Asset>>;
  readonly defaults: NonNullable<SceneGraph['defaults']>;
}

/** The peaks of a file over time. */
export interface Peaks {
  readonly perSecond: number;
  /** 0 to 1. */
  readonly values: Float32Array;
  /** When the video plays the file; empty if never. */
  readonly played: readonly PlayedInterval[];
}

/** An interval of the video in which a file plays, and the part of the file, in seconds. */
export interface PlayedInterval {
  readonly start: number;
  readonly end: number;
  readonly trim: number;
  readonly speed: number;
  /** After this many seconds of the file, playback loops to `trim`. */
  readonly period?: number;
}

export interface Scope {
  readonly names: Names;
  /** Of the frame. */
  readonly frame: { readonly width: number; readonly height: number };
  /** Of the element's container. */
  readonly width: number;
  readonly height: number;
  readonly fps: number;
  /** Seconds since the container appeared, and its duration in seconds. */
  readonly now: number;
  readonly span: number;
  /** Seconds that pass here per second of the video: the combined speed of the surrounding groups. */
  readonly rate: number;
  /** Seconds since the video started. */
  readonly clock: number;
  /** Element, background or item of the audio track → key of its resource. */
  readonly keys: ReadonlyMap<object, string>;
  /** Peaks of the sound files that waveforms follow, by key. */
  readonly peaks: ReadonlyMap<string, Peaks>;
}

/** The box of an element and its scope. `now` counts from the element's start. */
export interface ElementContext {
  readonly scope: Scope;
  readonly width: number;
  readonly height: number;
  readonly radius: Corners;
  /** Key of the element's file or markup. */
  readonly resource: string;
}

const TIME_UNITS = { s: 1, ms: 0.001 } as const;

/** Converts a time to seconds. `span` is 100 %. */
export function toSeconds(time: Time, span: number, fps: number): number {
  if (typeof time === 'number') return time;
  const [, number = '0', unit = 's'] = /^([\d.]+)(s|ms|f|%)$/.exec(time) ?? [];
  const value = Number(number);
  if (unit === '%') return (value / 100) * span;
  if (unit === 'f') return value / fps;
  return value * TIME_UNITS[unit as keyof typeof TIME_UNITS];
}

/** Converts a length to pixels. `total` is 100 %. */
export function toPixels(length: Length, total: number, { frame }: Pick<Scope, 'frame'>): number {
  if (typeof length === 'number') return length;
  const [, number = '0', unit = 'px'] = /^(-?[\d.]+)(px|%|vw|vh|vmin|vmax)$/.exec(length) ?? [];
  const { width, height } = frame;
  const pixelsPerHundred: Readonly<Record<string, number>> = {
    px: 100,
    '%': total,
    vw: width,
    vh: height,
    vmin: Math.min(width, height),
    vmax: Math.max(width, height),
  };
  return (Number(number) / 100) * (pixelsPerHundred[unit] ?? 100);
}

/** Returns the value at this moment. `now` counts from the element's start, and `span` is its duration. */
export function animate<T, R>(
  value: Animated<T>,
  scope: Scope,
  read: (constant: T) => R,
  mix: (from: R, to: R, share: number) => R,
): R {
  if (typeof value !== 'object' || value === null || !('keyframes' in value)) return read(value as T);
  return interpolate(toKeyframes(value.keyframes, scope), scope, read, mix);
}

interface Keyframe<T> {
  readonly seconds: number;
  readonly value: T;
  readonly easing: Easing | undefined;
}

/** Returns the keyframes sorted and in seconds, for callers that evaluate many moments. */
export function toKeyframes<T>(
  keyframes: readonly { readonly time: Time; readonly value: T; readonly easing?: Easing }[],
  { span, fps }: Pick<Scope, 'span' | 'fps'>,
): readonly Keyframe<T>[] {
  return keyframes
    .map(({ time, value, easing }) => ({ seconds: toSeconds(time, span, fps), value, easing }))
    .sort((a, b) => a.seconds - b.seconds);
}

/** Returns the value at this moment, interpolated between keyframes. */
export function interpolate<T, R>(
  frames: readonly Keyframe<T>[],
  scope: Pick<Scope, 'now' | 'names'>,
  read: (constant: T) => R,
  mix: (from: R, to: R, share: number) => R,
): R {
  const nextIndex = frames.findIndex(({ seconds }) => seconds > scope.now);
  const lastFrame = frames.at(-1) as (typeof frames)[number];
  if (nextIndex === -1) return read(lastFrame.value);
  const to = frames[nextIndex] as (typeof frames)[number];
  const from = frames[nextIndex - 1];
  if (from === undefined) return read(to.value);
  const progress = (scope.now - from.seconds) / (to.seconds - from.seconds);
  const curve: Easing = to.easing ?? scope.names.defaults.easing ?? 'cubic-in-out';
  return mix(read(from.value), read(to.value), ease(curve, progress));
}

/** Clamps to 0 to 1. */
export const clampToUnit = (share: number): number => Math.min(1, Math.max(0, share));

export const mixNumbers = (from: number, to: number, share: number): number => from + (to - from) * share;

export function animateNumber(value: Animated<number> | undefined, fallback: number, scope: Scope): number {
  return value === undefined ? fallback : animate(value, scope, constant => constant, mixNumbers);
}

export function animateLength(
  value: Animated<Length> | undefined,
  fallback: Length,
  total: number,
  scope: Scope,
): number {
  return animate(value ?? fallback, scope, constant => toPixels(constant, total, scope), mixNumbers);
}

const DEFAULT_COLOR: Rgba = [255, 255, 255, 1];

/** Resolves a color or theme token. The graph was validated, so every token exists. */
export function resolveColor(text: string, { colors }: Names): Rgba {
  return (text.startsWith('$') ? colors.get(text) : parseColor(text)) ?? DEFAULT_COLOR;
}

export function animateColor(value: Animated<string>, scope: Scope): Rgba {
  return animate(value, scope, value => resolveColor(value, scope.names), mixColors);
}

export const solid = (color: Rgba): Fill => ({ type: 'color', color });

export function toFill(paint: Paint, names: Names): Fill {
  if (typeof paint === 'string') return solid(resolveColor(paint, names));
  const stops = paint.stops
    .map(({ offset, color }) => ({ offset, color: resolveColor(color, names) }))
    .sort((a, b) => a.offset - b.offset);
  if (paint.type === 'linear') return { type: 'linear', angle: paint.angle ?? 180, stops };
  if (paint.type === 'radial')
    return { type: 'radial', center: paint.center ?? [0.5, 0.5], radius: paint.radius ?? 0.7, stops };
  return { type: 'conic', center: paint.center ?? [0.5, 0.5], angle: paint.angle ?? 0, stops };
}
