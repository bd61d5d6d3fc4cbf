// Creates new layers: their kinds, initial values, and positions in the scene graph.
import { isJsonObject, type Json, type JsonObject } from '../../../../src/graph/types.ts';
import { createInitialValue, type Schema } from './json-schema.ts';
import { getAt, type Path } from './layers.ts';

/** The scene graph of a new video. */
export const MINIMAL_GRAPH: JsonObject = {
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
const INITIAL_ELEMENTS: Readonly<Record<string, JsonObject>> = {
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

/** Returns the element types, in schema order. */
export function listElementTypes(root: Schema): readonly string[] {
  return (root.$defs?.Element?.oneOf ?? []).flatMap(({ $ref }) => {
    const kind = root.$defs?.[$ref?.split('/').at(-1) ?? '']?.properties?.type?.const;
    return typeof kind === 'string' ? [kind] : [];
  });
}

/** Returns the definition of an element type. */
export function findElementSchema(root: Schema, type: string): Schema | undefined {
  return Object.values(root.$defs ?? {}).find(({ properties }) => properties?.type?.const === type);
}

export function createElement(root: Schema, type: string): Json {
  return INITIAL_ELEMENTS[type] ?? createInitialValue(root, findElementSchema(root, type) ?? {});
}

export interface NewLayer {
  readonly path: Path;
  readonly item: Json;
}

/** Creates a layer next to or inside the selected one. `kind` is an element type, or scene, track or sound. */
export function createLayer(root: Schema, graph: JsonObject, selectedPath: Path, kind: string): NewLayer {
  if (kind === 'scene') {
    const index = selectedPath[0] === 'scenes' ? Number(selectedPath[1]) + 1 : getLength(graph, ['scenes']);
    return { path: ['scenes', index], item: { duration: 3, background: '#15100d', elements: [] } };
  }
  if (kind === 'track') return { path: ['tracks', getLength(graph, ['tracks'])], item: { elements: [] } };
  if (kind === 'sound') {
    const list = ['audioTrack', 'items'];
    // Music is an input of the node, so that each run may have its own.
    const item = { role: 'music', src: `{{${findFreeInput(graph, 'music')}}}`, loop: true, fadeOut: 1.5 };
    return { path: [...list, getLength(graph, list)], item };
  }
  const list = findElementList(graph, selectedPath);
  const lastKey = selectedPath.at(-1);
  const isSibling = selectedPath.length === list.length + 1 && typeof lastKey === 'number';
  return {
    path: [...list, isSibling ? lastKey + 1 : getLength(graph, list)],
    item: createElement(root, kind),
  };
}

/** Returns a name of an input that the scene graph does not have. */
function findFreeInput(graph: JsonObject, stem: string): string {
  const text = JSON.stringify(graph);
  const isTaken = (name: string): boolean => text.includes(`{{${name}}}`);
  let name = stem;
  for (let number = 2; isTaken(name); number++) name = `${stem}${number}`;
  return name;
}

/**
 * Returns the path of the list for a new element: the list of the selected layer if it has elements, the list that
 * contains the selected element, or else the list of the first scene.
 */
function findElementList(graph: JsonObject, selectedPath: Path): Path {
  const layer = getAt(graph, selectedPath);
  if (isJsonObject(layer) && selectedPath.length > 0) {
    const isGroup = layer.type === 'group' || selectedPath.length === 2;
    if (isGroup && selectedPath[0] !== 'overlays' && selectedPath[0] !== 'audioTrack')
      return [...selectedPath, 'elements'];
  }
  const isElement = selectedPath.includes('elements') || selectedPath[0] === 'overlays';
  return isElement ? selectedPath.slice(0, -1) : ['scenes', 0, 'elements'];
}

function getLength(graph: JsonObject, path: Path): number {
  const list = getAt(graph, path);
  return Array.isArray(list) ? list.length : 0;
}
