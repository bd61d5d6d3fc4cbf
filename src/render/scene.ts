// The doors to a scene: a value from outside, or a template with props → a timeline that can be drawn.
import { invalidSceneGraph, parseSceneGraph } from './schema/validate.ts';
import type { Props } from './templates/bind.ts';
import { BLOCKS, expandBlocks } from './templates/blocks.ts';
import { fillTemplate, type Template } from './templates/template.ts';
import { compileTimeline, type Timeline } from './timeline/compile.ts';

/** Checks, writes out block scenes and compiles. Throws `invalid_scene_graph` with issues by JSON pointer. */
export function openScene(value: unknown): Timeline {
  const graph = parseSceneGraph(value);
  if (graph.scenes.every(({ blockId }) => blockId === undefined)) return compileTimeline(graph);
  const expanded = expandBlocks(graph);
  if (expanded.unknown.length > 0) {
    const message = `names no block; there are ${BLOCKS.map(({ id }) => id).join(', ')}`;
    throw invalidSceneGraph(expanded.unknown.map(path => ({ path, code: 'unknown_block', message })));
  }
  return compileTimeline(parseSceneGraph(expanded.graph));
}

/** The template filled with props over its own. */
export function openTemplate(template: Template, props: Props): Timeline {
  return openScene(fillTemplate(template, props));
}
