// Turns an unvalidated scene graph, or a template with props, into a timeline that can be drawn.
import { createInvalidSceneGraphError, parseSceneGraph } from './schema/validate.ts';
import type { Props } from './templates/bind.ts';
import { BLOCKS, expandBlocks } from './templates/blocks.ts';
import { fillTemplate, type Template } from './templates/template.ts';
import { compileTimeline, type Timeline } from './timeline/compile.ts';

/** Validates, expands block scenes and compiles. Throws `invalid_scene_graph` with issues by JSON pointer. */
export function openScene(value: unknown): Timeline {
  const graph = parseSceneGraph(value);
  if (graph.scenes.every(({ blockId }) => blockId === undefined)) return compileTimeline(graph);
  const expanded = expandBlocks(graph);
  if (expanded.unknownPaths.length > 0) {
    const message = `is not the id of a block. The blocks are ${BLOCKS.map(({ id }) => id).join(', ')}`;
    throw createInvalidSceneGraphError(
      expanded.unknownPaths.map(path => ({ path, code: 'unknown_block', message })),
    );
  }
  return compileTimeline(parseSceneGraph(expanded.graph));
}

/** Opens a template with props merged over its defaults. */
export function openTemplateScene(template: Template, props: Props): Timeline {
  return openScene(fillTemplate(template, props));
}
