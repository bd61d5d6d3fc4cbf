// Describes the errors and warnings of a preview by the names of layers, in place of JSON pointers.
import { ApiError } from '../../../../sdk/src/errors.ts';
import type { JsonObject } from '../../../../src/graph/types.ts';
import { messages } from '../../../flow-messages.ts';
import { type Layer, listLayers } from './layers.ts';

const { preview: previewMessages, scene: sceneMessages } = messages.flow;

/**
 * Describes why a scene could not be drawn, or returns undefined for other errors. `graph` is the scene graph, or undefined
 * for a template.
 */
export function describePreviewError(error: unknown, graph: JsonObject | undefined): string | undefined {
  if (!(error instanceof ApiError) || error.code !== 'invalid_scene_graph') return undefined;
  const path = error.issues[0]?.path;
  if (graph === undefined || path === undefined) return previewMessages.unfit;
  const { layer, field } = findPlace(graph, path);
  return previewMessages.invalid(sceneMessages.layer(layer), field && sceneMessages.label(field));
}

/** A warning that begins with a JSON pointer. */
const POINTER = /^(\/[^\s:]*):?\s*/;

/** Describes what could not be drawn. */
export function describeWarning(warning: string, graph: JsonObject | undefined): string {
  const [start, path] = POINTER.exec(warning) ?? [];
  if (start === undefined || path === undefined) return warning;
  const text = warning.slice(start.length);
  if (graph === undefined) return previewMessages.warning(text);
  return previewMessages.warningOf(sceneMessages.layer(findPlace(graph, path).layer), text);
}

/** Returns the innermost layer at the pointer, and the field of this layer. */
function findPlace(
  graph: JsonObject,
  pointer: string,
): { readonly layer: Layer; readonly field: string | undefined } {
  const keys = pointer.split('/').slice(1);
  const layers = listLayers(graph).filter(({ path }) =>
    path.every((key, index) => String(key) === keys[index]),
  );
  const layer = layers.reduce((inner, each) => (each.path.length > inner.path.length ? each : inner));
  return { layer, field: keys[layer.path.length] };
}
