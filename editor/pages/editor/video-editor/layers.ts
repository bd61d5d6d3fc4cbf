// Lists the layers of a scene graph (scenes, tracks, overlays, audio and their elements) and changes them.

import { isJsonObject, type Json, type JsonObject } from '../../../../src/graph/types.ts';
import { shorten } from '../../../lib/cut-text.ts';

/** Keys and indexes from the root of the scene graph. Empty for the video. */
export type Path = readonly (string | number)[];

export interface Layer {
  readonly path: Path;
  readonly kind: 'video' | 'scene' | 'track' | 'sound' | 'element';
  /** Element type, such as text or image. */
  readonly type: string;
  /** The name, or the beginning of the text. */
  readonly name: string;
  readonly depth: number;
  /** When the layer is visible, in seconds from the start of the video. */
  readonly start: number;
  readonly end: number;
}

const MAX_LAYERS = 500;
const MAX_DEPTH = 8;
const MAX_NAME_CHARS = 40;
const SCENE_SECONDS = 4;
const TRANSITION_SECONDS = 0.6;

/** Returns the layers in source order, at most MAX_LAYERS. */
export function listLayers(graph: JsonObject): readonly Layer[] {
  const total = getDurationSeconds(graph);
  const layers: Layer[] = [
    { path: [], kind: 'video', type: 'video', name: '', depth: 0, start: 0, end: total },
  ];
  const add = (layer: Layer): boolean => layers.length < MAX_LAYERS && layers.push(layer) > 0;
  const addElements = (list: readonly JsonObject[], listPath: Path, depth: number, parent: Span): void => {
    for (const [index, item] of list.entries()) {
      const path = [...listPath, index];
      const span = toSpan(item, parent, graph);
      const type = typeof item.type === 'string' ? item.type : '?';
      if (!add({ path, kind: 'element', type, name: getName(item), depth, ...span })) return;
      if (depth < MAX_DEPTH) addElements(toObjects(item.elements), [...path, 'elements'], depth + 1, span);
    }
  };
  const spans = computeSceneSpans(graph);
  for (const [index, scene] of toObjects(graph.scenes).entries()) {
    const span = spans[index] ?? { start: 0, end: 0 };
    add({ path: ['scenes', index], kind: 'scene', type: 'scene', name: getName(scene), depth: 1, ...span });
    addElements(toObjects(scene.elements), ['scenes', index, 'elements'], 2, span);
  }
  const wholeVideo = { start: 0, end: total };
  for (const [index, track] of toObjects(graph.tracks).entries()) {
    add({
      path: ['tracks', index],
      kind: 'track',
      type: 'track',
      name: getName(track),
      depth: 1,
      ...wholeVideo,
    });
    addElements(toObjects(track.elements), ['tracks', index, 'elements'], 2, wholeVideo);
  }
  addElements(toObjects(graph.overlays), ['overlays'], 1, wholeVideo);
  const audioItems = isJsonObject(graph.audioTrack) ? toObjects(graph.audioTrack.items) : [];
  for (const [index, item] of audioItems.entries()) {
    const path = ['audioTrack', 'items', index];
    add({
      path,
      kind: 'sound',
      type: 'audio',
      name: getName(item),
      depth: 1,
      ...toSpan(item, wholeVideo, graph),
    });
  }
  return layers;
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** Computes when scenes start and end. As in the service, a transition overlaps two scenes by at most half of either. */
export function computeSceneSpans(graph: JsonObject): readonly Span[] {
  const defaults = isJsonObject(graph.defaults) ? graph.defaults : {};
  const spans: Span[] = [];
  let clock = 0;
  let previousLength = 0;
  for (const scene of toObjects(graph.scenes)) {
    if (scene.hidden === true) {
      spans.push({ start: clock, end: clock });
      continue;
    }
    const seconds = parseSeconds(scene.duration ?? defaults.sceneDuration, SCENE_SECONDS, graph);
    const length = seconds ?? SCENE_SECONDS;
    const transition = scene.transition ?? defaults.transition;
    const hasTransition = isJsonObject(transition) && transition.type !== 'cut' && previousLength > 0;
    const overlap = hasTransition
      ? (parseSeconds(transition.duration, length, graph) ?? TRANSITION_SECONDS)
      : 0;
    const start = clock - Math.min(overlap, length / 2, previousLength / 2);
    spans.push({ start, end: start + length });
    clock = start + length;
    previousLength = length;
  }
  return spans;
}

/** Returns the duration of the whole video. */
export function getDurationSeconds(graph: JsonObject): number {
  const { durationInFrames } = graph;
  if (typeof durationInFrames === 'number') return durationInFrames / getFps(graph);
  return computeSceneSpans(graph).at(-1)?.end ?? 0;
}

export function getFps({ fps }: JsonObject): number {
  return typeof fps === 'number' && fps > 0 ? fps : 30;
}

function toSpan({ start, duration }: JsonObject, parent: Span, graph: JsonObject): Span {
  const parentSeconds = parent.end - parent.start;
  const absoluteStart = parent.start + (parseSeconds(start, parentSeconds, graph) ?? 0);
  const length = parseSeconds(duration, parentSeconds, graph);
  return {
    start: absoluteStart,
    end: Math.min(parent.end, length === undefined ? parent.end : absoluteStart + length),
  };
}

/** Parses a time of a scene graph to seconds, or returns undefined. */
export function parseSeconds(
  time: Json | undefined,
  parentSeconds: number,
  graph: JsonObject,
): number | undefined {
  if (typeof time === 'number') return time;
  const [, digits = '', unit] =
    typeof time === 'string' ? (/^(\d+(?:\.\d+)?)(s|ms|f|%)$/.exec(time) ?? []) : [];
  const number = Number(digits);
  if (unit === 's') return number;
  if (unit === 'ms') return number / 1000;
  if (unit === 'f') return number / getFps(graph);
  return unit === '%' ? (number / 100) * parentSeconds : undefined;
}

function getName({ name, id, text, src, asset, blockId }: JsonObject): string {
  const title = [name, id, text, asset, blockId, src].find(
    candidate => typeof candidate === 'string' && candidate !== '',
  );
  const [line = ''] = String(title ?? '').split('\n');
  return line.length > MAX_NAME_CHARS ? shorten(line, MAX_NAME_CHARS - 1) : line;
}

/** Replaces items that are not objects by empty objects, so that indexes stay valid. */
const toObjects = (value: Json | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? (value as readonly Json[]).map(item => (isJsonObject(item) ? item : {})) : [];

export function getAt(graph: JsonObject, path: Path): Json | undefined {
  let value: Json | undefined = graph;
  for (const key of path) {
    if (Array.isArray(value) && typeof key === 'number') value = (value as readonly Json[])[key];
    else if (isJsonObject(value) && Object.hasOwn(value, key)) value = value[key];
    else return undefined;
  }
  return value;
}

/** Returns the graph with `value` at the path. Creates missing parents. `undefined` removes the key. */
export function setAt(graph: JsonObject, path: Path, value: Json | undefined): JsonObject {
  return replaceAt(graph, path, value) as JsonObject;
}

function replaceAt(
  node: Json | undefined,
  [key, ...remaining]: Path,
  value: Json | undefined,
): Json | undefined {
  if (key === undefined) return value;
  if (typeof key === 'number') {
    const list = Array.isArray(node) ? (node as readonly Json[]) : [];
    return list.toSpliced(key, 1, replaceAt(list[key], remaining, value) ?? null);
  }
  const { [key]: before, ...otherFields } = isJsonObject(node) ? node : {};
  const after = replaceAt(before, remaining, value);
  // The spread keeps the order of the keys.
  if (after === undefined) return otherFields;
  return isJsonObject(node) ? { ...node, [key]: after } : { [key]: after };
}

/** Inserts an item into a list. The last key of `path` is the new item's index. */
export function insertAt(graph: JsonObject, path: Path, item: Json): JsonObject {
  const { list, index, listPath } = locateItem(graph, path);
  return setAt(graph, listPath, list.toSpliced(index, 0, item));
}

export function removeAt(graph: JsonObject, path: Path): JsonObject {
  const { list, index, listPath } = locateItem(graph, path);
  return setAt(graph, listPath, list.toSpliced(index, 1));
}

/** Returns which layer to select after a removal: the one before it in its list, or else the layer that contains it. */
export function findNextSelection(graph: JsonObject, path: Path): Path {
  const { listPath, index, list } = locateItem(graph, path);
  if (list.length > 1) return [...listPath, Math.max(0, index - 1)];
  const parentPath = listPath.slice(0, -1);
  // Layers are items of lists, unlike an object that only contains a list. Otherwise selects the video.
  return typeof parentPath.at(-1) === 'number' ? parentPath : [];
}

/** Moves an item by one position in its list. Returns the same graph if the item cannot move further. */
export function moveLayer(graph: JsonObject, path: Path, offset: 1 | -1): JsonObject {
  const { list, index, listPath } = locateItem(graph, path);
  const item = list[index];
  if (item === undefined || index + offset < 0 || index + offset >= list.length) return graph;
  return setAt(graph, listPath, list.toSpliced(index, 1).toSpliced(index + offset, 0, item));
}

/** Returns the number of items in the list that contains the item. */
export function countSiblings(graph: JsonObject, path: Path): number {
  return locateItem(graph, path).list.length;
}

function locateItem(graph: JsonObject, path: Path) {
  const listPath = path.slice(0, -1);
  const list = getAt(graph, listPath);
  const index = Number(path.at(-1) ?? 0);
  return { listPath, index, list: Array.isArray(list) ? (list as readonly Json[]) : [] };
}
