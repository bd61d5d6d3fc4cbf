// Resolves the source of a preview: a scene graph, a template, or the renderer node of a workflow.
import type { GraphNode } from '../../graph/types.ts';
import { AppError } from '../../lib/errors.ts';
import { createPreviewSceneGraph, readRenderMode } from '../../nodes/renderer-mode.ts';
import { openScene } from '../../render/scene.ts';
import type { Timeline } from '../../render/timeline/compile.ts';
import { authorize, getPersonalWorkspaceId, getWorkspaceId } from '../accounts/access.ts';
import type { UserActor } from '../accounts/actor.ts';
import type { Deps } from '../deps.ts';
import { getViewForReading, readGraphText } from '../workflows/read-workflow.ts';
import type { RenderOwner } from './render-files.ts';
import type { PreviewBody } from './renderer.schema.ts';
import { requireTemplate } from './renderer-contracts.ts';

export interface PreviewSource {
  readonly graph: unknown;
  readonly timeline: Timeline;
  readonly owner: RenderOwner;
}

/** Opens the source, with placeholders for its ports. Throws `invalid_scene_graph` with JSON pointers, 404 and 403. */
export async function openPreviewSource(
  deps: Deps,
  user: UserActor,
  body: PreviewBody,
): Promise<PreviewSource> {
  const { sceneGraph, templateId, workflowId, nodeId, props = {} } = body;
  const selectors = [sceneGraph, templateId, workflowId].filter(value => value !== undefined);
  const isNodeMissing = workflowId !== undefined && nodeId === undefined;
  if (selectors.length !== 1 || isNodeMissing)
    throw new AppError(
      'invalid_request',
      'Send exactly one of sceneGraph, templateId, or workflowId with nodeId.',
    );
  const owner = { userId: user.userId, workspace: getPersonalWorkspaceId(user.userId) };
  if (workflowId !== undefined && nodeId !== undefined) return openNode(deps, user, workflowId, nodeId);
  if (templateId !== undefined) requireTemplate(templateId);
  return toSource(templateId === undefined ? { props: { sceneGraph } } : { templateId, props }, owner);
}

function toSource(config: Readonly<Record<string, unknown>>, owner: RenderOwner): PreviewSource {
  const mode = readRenderMode(config);
  if (mode.kind === 'none') throw new AppError('invalid_request', mode.problem);
  const graph = createPreviewSceneGraph(mode);
  return { graph, timeline: openScene(graph), owner };
}

async function openNode(
  deps: Deps,
  user: UserActor,
  workflowId: string,
  nodeId: string,
): Promise<PreviewSource> {
  const view = await getViewForReading(deps, user, workflowId);
  authorize(user, 'run', view.workflow);
  const { nodes }: { nodes: readonly GraphNode[] } = JSON.parse(`{${await readGraphText(deps, view)}}`);
  const node = nodes.find(({ id, data }) => id === nodeId && data.nodeType === 'video:renderer');
  if (node === undefined)
    throw new AppError('not_found', `The workflow has no video:renderer node with the id ${nodeId}.`);
  const { config, params } = node.data;
  return toSource(
    { ...config, ...params },
    { userId: user.userId, workspace: getWorkspaceId(view.workflow) },
  );
}
