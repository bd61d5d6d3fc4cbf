// Resolves times, lengths, colors and keyframes in the scope of an element: its time, its container's size, and the names
// of the graph.

import { ease } from '../../graph/easing.ts';
import type { Asset, SceneGraph } from '../schema/scene-graph.ts';
import type { Animated, Easing, Length, Paint, Time } from '../schema/values.ts';
import { mixColors, parseColor } from './color.ts';
import type { Corners, Fill, Rgba } from './draw-list.ts';

export interface Names {
  readonly colors: ReadonlyMap<string, Rgba>;
  /** The bundled family for each name. */
  readonly families: ReadonlyMap<string, string>;
  readonly assets: Readonly<Record<string, Asset>>;
  readonly defaults: NonNullable<SceneGraph['defaults']>;
}

/** The peaks of a file over time. */
export interface Peaks {
  readonly perSecond: number;
  /** 0 to 1. */
  readonly values: Float32Array;
  /** When the video plays the file. */
  readonly playedIntervals: readonly PlayedInterval[];
}

/** An interval of the video in which a part of a file plays, in seconds. */
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
  /** Size of the frame. */
  readonly frame: { readonly width: number; readonly height: number };
  /** Size of the element's container. */
  readonly width: number;
  readonly height: number;
  readonly fps: number;
  /** Seconds since the container appeared, and its duration in seconds. */
  readonly now: number;
  readonly span: number;
  /** Seconds of this scope per second of the video: the combined speed of the surrounding groups. */
  readonly rate: number;
  /** Seconds since the video started. */
  readonly clock: number;
  /** The resource key of each element, background and item of the audio track. */
  readonly keys: ReadonlyMap<object, string>;
  /** Peaks of the files that waveforms show, by resource key. */
  readonly peaks: ReadonlyMap<string, Peaks>;
}

/** The box and scope of an element. `scope.now` counts from the element's start. */
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
  keyframes: readonly Keyframe<T>[],
  scope: Pick<Scope, 'now' | 'names'>,
  read: (constant: T) => R,
  mix: (from: R, to: R, share: number) => R,
): R {
  const nextIndex = keyframes.findIndex(({ seconds }) => seconds > scope.now);
  if (nextIndex === -1) return read((keyframes.at(-1) as Keyframe<T>).value);
  const to = keyframes[nextIndex] as Keyframe<T>;
  const from = keyframes[nextIndex - 1];
  if (from === undefined) return read(to.value);
  const progress = (scope.now - from.seconds) / (to.seconds - from.seconds);
  const curve: Easing = to.easing ?? scope.names.defaults.easing ?? 'cubic-in-out';
  return mix(read(from.value), read(to.value), ease(curve, progress));
}

/** Clamps to the range from 0 to 1. */
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
