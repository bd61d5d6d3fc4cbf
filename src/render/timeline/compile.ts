// Compiles a scene graph into a timeline: resolves names, converts times to frames and lists files.
import { createHash } from 'node:crypto';
import type { Issue } from '../../lib/errors.ts';
import type { Element } from '../schema/elements.ts';
import type { Asset, AudioItem, Background, Scene, SceneGraph } from '../schema/scene-graph.ts';
import { createInvalidSceneGraphError } from '../schema/validate.ts';
import { type CaptionPage, readCaptionPages } from './captions.ts';
import { resolveNames } from './names.ts';
import { type Names, type Peaks, toSeconds } from './scope.ts';

export interface SceneSpan {
  readonly scene: Scene;
  readonly pointer: string;
  /** Frames [start, end). */
  readonly start: number;
  readonly end: number;
  /** Number of frames shared with the previous scene, during the transition to this scene. */
  readonly overlap: number;
}

const RESOURCE_KINDS = ['image', 'svg', 'lottie', 'video', 'audio'] as const;
export type ResourceKind = (typeof RESOURCE_KINDS)[number];

/** A file or markup that the graph needs. */
export interface Resource {
  readonly key: string;
  readonly kind: ResourceKind;
  /** JSON pointer of its first use. */
  readonly pointer: string;
  readonly source:
    | { readonly src: string }
    | { readonly mediaId: string }
    | { readonly markup: string }
    | { readonly data: object };
}

export interface Timeline {
  readonly graph: SceneGraph;
  readonly names: Names;
  readonly fps: number;
  readonly width: number;
  readonly height: number;
  readonly durationInFrames: number;
  readonly scenes: readonly SceneSpan[];
  readonly captionPages: readonly CaptionPage[];
  /** The resource key of each element, background and item of the audio track. */
  readonly keys: ReadonlyMap<object, string>;
  readonly resources: ReadonlyMap<string, Resource>;
  /** Peaks of the files that waveforms show, by resource key. Empty until `readPeaks` has read them. */
  readonly peaks: ReadonlyMap<string, Peaks>;
  readonly warnings: readonly string[];
}

const MAX_ELEMENTS = 10_000;
const SCENE_SECONDS = 4;
const TRANSITION_SECONDS = 0.6;

/** Throws `invalid_scene_graph` for unknown names or a graph that is too large. The graph must match its schema. */
export function compileTimeline(graph: SceneGraph): Timeline {
  const elements = listElements(graph);
  if (elements.length > MAX_ELEMENTS)
    throw createInvalidSceneGraphError([
      { path: '', code: 'too_many_elements', message: `has over ${MAX_ELEMENTS} elements` },
    ]);
  const { names, issues, warnings } = resolveNames(graph);
  const keys = new Map<object, string>();
  const resources = new Map<string, Resource>();
  const problems = [...issues];
  for (const { element, pointer } of elements)
    problems.push(...addResource(element, pointer, names, keys, resources));
  if (problems.length > 0) throw createInvalidSceneGraphError(problems.slice(0, 20));
  const scenes = placeScenes(graph);
  return {
    graph,
    names,
    fps: graph.fps,
    width: graph.width,
    height: graph.height,
    durationInFrames: graph.durationInFrames ?? Math.max(1, scenes.at(-1)?.end ?? 1),
    scenes,
    captionPages: graph.captionTrack === undefined ? [] : readCaptionPages(graph.captionTrack),
    keys,
    resources,
    peaks: new Map(),
    warnings: warnings.slice(0, 50),
  };
}

/**
 * Places the scenes on the timeline. Scenes overlap during a transition. A transition is at most half as long as either
 * scene, so that at most two scenes are visible in a frame.
 */
function placeScenes(graph: SceneGraph): readonly SceneSpan[] {
  const { fps, defaults } = graph;
  const visibleScenes = graph.scenes
    .map((scene, index) => ({ scene, pointer: `/scenes/${index}` }))
    .filter(({ scene }) => scene.hidden !== true);
  const lengths = visibleScenes.map(({ scene }) => {
    const length = scene.duration ?? defaults?.sceneDuration ?? SCENE_SECONDS;
    return Math.max(1, Math.round(toSeconds(length, SCENE_SECONDS, fps) * fps));
  });
  const spans: SceneSpan[] = [];
  let previousEnd = 0;
  for (const [index, { scene, pointer }] of visibleScenes.entries()) {
    const [length = 1, previousLength = 0] = [lengths[index], lengths[index - 1]];
    const transition = scene.transition ?? defaults?.transition;
    const requestedOverlap =
      transition === undefined || transition.type === 'cut' || index === 0
        ? 0
        : Math.round(toSeconds(transition.duration ?? TRANSITION_SECONDS, length / fps, fps) * fps);
    const overlap = Math.min(requestedOverlap, Math.floor(length / 2), Math.floor(previousLength / 2));
    const start = previousEnd - overlap;
    spans.push({ scene, pointer, start, end: start + length, overlap });
    previousEnd = start + length;
  }
  return spans;
}

interface LocatedElement {
  readonly element: Element | Exclude<Background, string> | AudioItem;
  readonly pointer: string;
}

/** Lists all elements of the graph, also in groups and masks, and its backgrounds and audio. Does not recurse. */
function listElements(graph: SceneGraph): readonly LocatedElement[] {
  const elements: LocatedElement[] = [];
  const pending: { element: Element; pointer: string }[] = [];
  const queue = (list: readonly Element[] | undefined, pointer: string): void => {
    for (const [index, element] of (list ?? []).entries())
      pending.push({ element, pointer: `${pointer}/${index}` });
  };
  const addBackground = (background: Background | undefined, pointer: string): void => {
    if (typeof background === 'object') elements.push({ element: background, pointer });
  };
  addBackground(graph.background, '/background');
  for (const [index, scene] of graph.scenes.entries()) {
    addBackground(scene.background, `/scenes/${index}/background`);
    queue(scene.elements, `/scenes/${index}/elements`);
  }
  for (const [index, track] of (graph.tracks ?? []).entries())
    queue(track.elements, `/tracks/${index}/elements`);
  queue(graph.overlays, '/overlays');
  for (const [index, element] of (graph.audioTrack?.items ?? []).entries())
    elements.push({ element, pointer: `/audioTrack/items/${index}` });
  for (
    let entry = pending.pop();
    entry !== undefined && elements.length <= MAX_ELEMENTS;
    entry = pending.pop()
  ) {
    elements.push(entry);
    if (entry.element.type === 'group') queue(entry.element.elements, `${entry.pointer}/elements`);
    if (entry.element.mask !== undefined)
      pending.push({ element: entry.element.mask.element, pointer: `${entry.pointer}/mask/element` });
  }
  return elements;
}

function getResourceKind(element: LocatedElement['element']): ResourceKind | undefined {
  if (!('type' in element)) return 'audio';
  if (element.type !== 'waveform') return RESOURCE_KINDS.find(kind => kind === element.type);
  const showsFile = element.peaks === undefined && (element.asset ?? element.src) !== undefined;
  return showsFile ? 'audio' : undefined;
}

function addResource(
  element: LocatedElement['element'],
  pointer: string,
  names: Names,
  keys: Map<object, string>,
  resources: Map<string, Resource>,
): readonly Issue[] {
  const isText = 'type' in element && element.type === 'text';
  if (isText && element.text === undefined && element.runs === undefined)
    return [{ path: pointer, code: 'empty_text', message: 'is a text without "text" or "runs"' }];
  const kind = getResourceKind(element);
  if (kind === undefined) return [];
  const source = findSource(element as SourceFields, names);
  if (source === undefined) {
    const description = kind === 'audio' ? 'a sound' : `a ${kind}`;
    return [{ path: pointer, code: 'no_source', message: `is ${description} without "asset" or "src"` }];
  }
  const key = `${kind}-${createHash('sha1').update(JSON.stringify(source)).digest('base64url').slice(0, 16)}`;
  keys.set(element, key);
  if (!resources.has(key)) resources.set(key, { key, kind, pointer, source });
  return [];
}

interface SourceFields {
  readonly asset?: string;
  readonly src?: string;
  readonly markup?: string;
  readonly data?: object;
}

function findSource(
  { asset, src, markup, data }: SourceFields,
  names: Names,
): Resource['source'] | undefined {
  if (markup !== undefined) return { markup };
  if (data !== undefined) return { data };
  if (src !== undefined) return { src };
  const namedAsset: Asset | undefined = asset === undefined ? undefined : names.assets[asset];
  if (namedAsset?.mediaId !== undefined) return { mediaId: namedAsset.mediaId };
  return namedAsset?.src === undefined ? undefined : { src: namedAsset.src };
}
