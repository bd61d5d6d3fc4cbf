// Lists the layers of a scene graph (scenes, tracks, overlays, audio and their elements) and changes them.
import type { Json, JsonObject } from '../../../../src/graph/types.ts';
import { isObject } from './json-schema.ts';

/** Keys and indexes from the root; empty: the video itself. */
export type Path = readonly (string | number)[];

export interface Layer {
  readonly path: Path;
  readonly kind: 'video' | 'scene' | 'track' | 'sound' | 'element';
  /** Element type, such as text or image. */
  readonly type: string;
  /** Its given name, or the beginning of its text. */
  readonly name: string;
  readonly depth: number;
  /** When it is visible, in seconds of the whole video. */
  readonly start: number;
  readonly end: number;
}

const MAX_LAYERS = 500;
const MAX_DEPTH = 8;
const NAME_CHARS = 40;
const SCENE_SECONDS = 4;
const TRANSITION_SECONDS = 0.6;

/** All layers in source order, at most MAX_LAYERS. */
export function listLayers(graph: JsonObject): readonly Layer[] {
  const total = secondsOf(graph);
  const layers: Layer[] = [
    { path: [], kind: 'video', type: 'video', name: '', depth: 0, start: 0, end: total },
  ];
  const add = (layer: Layer): boolean => layers.length < MAX_LAYERS && layers.push(layer) > 0;
  const walk = (list: readonly JsonObject[], at: Path, depth: number, within: Span): void => {
    for (const [index, item] of list.entries()) {
      const path = [...at, index];
      const span = spanOf(item, within, graph);
      const type = typeof item.type === 'string' ? item.type : '?';
      if (!add({ path, kind: 'element', type, name: nameOf(item), depth, ...span })) return;
      if (depth < MAX_DEPTH) walk(objectsOf(item.elements), [...path, 'elements'], depth + 1, span);
    }
  };
  const spans = sceneSpans(graph);
  for (const [index, scene] of objectsOf(graph.scenes).entries()) {
    const span = spans[index] ?? { start: 0, end: 0 };
    add({ path: ['scenes', index], kind: 'scene', type: 'scene', name: nameOf(scene), depth: 1, ...span });
    walk(objectsOf(scene.elements), ['scenes', index, 'elements'], 2, span);
  }
  const whole = { start: 0, end: total };
  for (const [index, track] of objectsOf(graph.tracks).entries()) {
    add({ path: ['tracks', index], kind: 'track', type: 'track', name: nameOf(track), depth: 1, ...whole });
    walk(objectsOf(track.elements), ['tracks', index, 'elements'], 2, whole);
  }
  walk(objectsOf(graph.overlays), ['overlays'], 1, whole);
  const sounds = isObject(graph.audioTrack) ? objectsOf(graph.audioTrack.items) : [];
  for (const [index, item] of sounds.entries()) {
    const path = ['audioTrack', 'items', index];
    add({ path, kind: 'sound', type: 'audio', name: nameOf(item), depth: 1, ...spanOf(item, whole, graph) });
  }
  return layers;
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** Uses the service's rule: a transition overlaps two scenes by at most half of either. */
export function sceneSpans(graph: JsonObject): readonly Span[] {
  const defaults = isObject(graph.defaults) ? graph.defaults : {};
  const spans: Span[] = [];
  let clock = 0;
  let before = 0;
  for (const scene of objectsOf(graph.scenes)) {
    if (scene.hidden === true) {
      spans.push({ start: clock, end: clock });
      continue;
    }
    const seconds = toSeconds(scene.duration ?? defaults.sceneDuration, SCENE_SECONDS, graph);
    const length = seconds ?? SCENE_SECONDS;
    const transition = scene.transition ?? defaults.transition;
    const isShared = isObject(transition) && transition.type !== 'cut' && before > 0;
    const wanted = isShared ? (toSeconds(transition.duration, length, graph) ?? TRANSITION_SECONDS) : 0;
    const start = clock - Math.min(wanted, length / 2, before / 2);
    spans.push({ start, end: start + length });
    clock = start + length;
    before = length;
  }
  return spans;
}

/** Of the whole video. */
export function secondsOf(graph: JsonObject): number {
  const { durationInFrames } = graph;
  if (typeof durationInFrames === 'number') return durationInFrames / fpsOf(graph);
  return sceneSpans(graph).at(-1)?.end ?? 0;
}

export function fpsOf({ fps }: JsonObject): number {
  return typeof fps === 'number' && fps > 0 ? fps : 30;
}

function spanOf({ start, duration }: JsonObject, within: Span, graph: JsonObject): Span {
  const whole = within.end - within.start;
  const from = within.start + (toSeconds(start, whole, graph) ?? 0);
  const length = toSeconds(duration, whole, graph);
  return { start: from, end: Math.min(within.end, length === undefined ? within.end : from + length) };
}

/** Parses a time of a scene graph to seconds, or returns undefined. */
export function toSeconds(time: Json | undefined, whole: number, graph: JsonObject): number | undefined {
  if (typeof time === 'number') return time;
  const [, digits = '', unit] =
    typeof time === 'string' ? (/^(\d+(?:\.\d+)?)(s|ms|f|%)$/.exec(time) ?? []) : [];
  const number = Number(digits);
  if (unit === 's') return number;
  if (unit === 'ms') return number / 1000;
  if (unit === 'f') return number / fpsOf(graph);
  return unit === '%' ? (number / 100) * whole : undefined;
}

function nameOf({ name, id, text, src, asset, blockId }: JsonObject): string {
  const found = [name, id, text, asset, blockId, src].find(it => typeof it === 'string' && it !== '');
  const [line = ''] = String(found ?? '').split('\n');
  return line.length > NAME_CHARS ? `${line.slice(0, NAME_CHARS - 1)}…` : line;
}

/** Non-objects count as empty objects, so that indexes stay valid. */
const objectsOf = (value: Json | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? (value as readonly Json[]).map(item => (isObject(item) ? item : {})) : [];

export function getAt(graph: JsonObject, path: Path): Json | undefined {
  let value: Json | undefined = graph;
  for (const key of path) {
    if (Array.isArray(value) && typeof key === 'number') value = (value as readonly Json[])[key];
    else if (isObject(value) && Object.hasOwn(value, key)) value = value[key];
    else return undefined;
  }
  return value;
}

/** Returns the graph with another value at the path; undefined removes the key. Missing parents are created. */
export function setAt(graph: JsonObject, path: Path, value: Json | undefined): JsonObject {
  return replace(graph, path, value) as JsonObject;
}

function replace(at: Json | undefined, [key, ...rest]: Path, value: Json | undefined): Json | undefined {
  if (key === undefined) return value;
  if (typeof key === 'number') {
    const list = Array.isArray(at) ? (at as readonly Json[]) : [];
    return list.toSpliced(key, 1, replace(list[key], rest, value) ?? null);
  }
  const { [key]: before, ...others } = isObject(at) ? at : {};
  const after = replace(before, rest, value);
  // Replaces in place to keep the order of keys.
  if (after === undefined) return others;
  return isObject(at) ? { ...at, [key]: after } : { [key]: after };
}

/** Inserts an item into the list at `path`, before its index. */
export function insertAt(graph: JsonObject, path: Path, item: Json): JsonObject {
  const { list, index, at } = placeOf(graph, path);
  return setAt(graph, at, list.toSpliced(index, 0, item));
}

export function removeAt(graph: JsonObject, path: Path): JsonObject {
  const { list, index, at } = placeOf(graph, path);
  return setAt(graph, at, list.toSpliced(index, 1));
}

/** Moves an item up or down in its list. Returns the same graph at the end of the list. */
export function moveBy(graph: JsonObject, path: Path, by: 1 | -1): JsonObject {
  const { list, index, at } = placeOf(graph, path);
  const item = list[index];
  if (item === undefined || index + by < 0 || index + by >= list.length) return graph;
  return setAt(graph, at, list.toSpliced(index, 1).toSpliced(index + by, 0, item));
}

/** Number of items in the list that the path points into. */
export function siblingCount(graph: JsonObject, path: Path): number {
  return placeOf(graph, path).list.length;
}

function placeOf(graph: JsonObject, path: Path) {
  const at = path.slice(0, -1);
  const list = getAt(graph, at);
  const index = Number(path.at(-1) ?? 0);
  return { at, index, list: Array.isArray(list) ? (list as readonly Json[]) : [] };
}
