// Defines what can be added to a video, where it goes, and its initial values.
import type { Json, JsonObject } from '../../../../src/graph/types.ts';
import { blank, isObject, type Schema } from './json-schema.ts';
import { getAt, type Path } from './layers.ts';

/** A minimal video. */
export const FIRST_SCENE: JsonObject = {
  fps: 30,
  width: 1080,
  height: 1080,
  scenes: [
    {
      duration: 3,
      background: '#15100d',
      elements: [{ type: 'text', text: 'Hello', fontSize: '14vmin', motion: { in: { preset: 'fade' } } }],
    },
  ],
};

/** Initial values of elements whose minimal value would be invisible. */
const FIRST: Readonly<Record<string, JsonObject>> = {
  text: { type: 'text', text: 'Text', fontSize: '10vmin' },
  image: { type: 'image', src: 'sample:picture', width: '60%', height: '60%' },
  video: { type: 'video', src: 'sample:video', width: '60%', height: '60%' },
  shape: { type: 'shape', shape: 'rectangle', width: '40%', height: '20%', fill: '#ffffff' },
  path: {
    type: 'path',
    path: 'M0 50 L50 0 L100 50 Z',
    viewBox: [0, 0, 100, 100],
    width: '30%',
    height: '30%',
    fill: '#ffffff',
  },
  counter: { type: 'counter', to: 100, fontSize: '14vmin' },
  progress: { type: 'progress', width: '80%', height: 12, y: '94%' },
};

/** The element types in schema order. */
export function elementTypes(root: Schema): readonly string[] {
  return (root.$defs?.Element?.oneOf ?? []).flatMap(({ $ref }) => {
    const kind = root.$defs?.[$ref?.split('/').at(-1) ?? '']?.properties?.type?.const;
    return typeof kind === 'string' ? [kind] : [];
  });
}

/** Returns the definition of an element type. */
export function elementSchema(root: Schema, type: string): Schema | undefined {
  return Object.values(root.$defs ?? {}).find(({ properties }) => properties?.type?.const === type);
}

export function newElement(root: Schema, type: string): Json {
  return FIRST[type] ?? blank(root, elementSchema(root, type) ?? {});
}

export interface Addition {
  readonly path: Path;
  readonly item: Json;
}

/** Adds next to or inside the selected layer; `what` is an element type, or scene, track, sound. */
export function addition(root: Schema, graph: JsonObject, selected: Path, what: string): Addition {
  if (what === 'scene') {
    const index = selected[0] === 'scenes' ? Number(selected[1]) + 1 : lengthAt(graph, ['scenes']);
    return { path: ['scenes', index], item: { duration: 3, background: '#15100d', elements: [] } };
  }
  if (what === 'track') return { path: ['tracks', lengthAt(graph, ['tracks'])], item: { elements: [] } };
  if (what === 'sound') {
    const at = ['audioTrack', 'items'];
    return { path: [...at, lengthAt(graph, at)], item: { role: 'music' } };
  }
  const list = listFor(graph, selected);
  const last = selected.at(-1);
  const isSibling = selected.length === list.length + 1 && typeof last === 'number';
  return {
    path: [...list, isSibling ? last + 1 : lengthAt(graph, list)],
    item: newElement(root, what),
  };
}

/** Returns the elements of the layer or of its parent; for the video and audio, those of the first scene. */
function listFor(graph: JsonObject, selected: Path): Path {
  const layer = getAt(graph, selected);
  if (isObject(layer) && selected.length > 0) {
    const isGroup = layer.type === 'group' || selected.length === 2;
    if (isGroup && selected[0] !== 'overlays' && selected[0] !== 'audioTrack')
      return [...selected, 'elements'];
  }
  const isElement = selected.includes('elements') || selected[0] === 'overlays';
  return isElement ? selected.slice(0, -1) : ['scenes', 0, 'elements'];
}

function lengthAt(graph: JsonObject, path: Path): number {
  const list = getAt(graph, path);
  return Array.isArray(list) ? list.length : 0;
}
