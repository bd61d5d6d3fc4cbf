// Resolves the source of a preview: a scene graph, a template, or the renderer node of a workflow.
import { type GraphNode, isJsonObject } from '../../graph/types.ts';
import { AppError } from '../../lib/errors.ts';
import { NodeError } from '../../nodes/define.ts';
import { createPreviewSceneGraph, readRenderMode } from '../../nodes/renderer-mode.ts';
import { openScene } from '../../render/scene.ts';
import type { Timeline } from '../../render/timeline/compile.ts';
import { findMedia } from '../../store/media/media.ts';
import { authorize, getPersonalWorkspaceId, getWorkspaceId } from '../accounts/access.ts';
import type { UserActor } from '../accounts/actor.ts';
import type { Deps } from '../deps.ts';
import { getMediaUrl } from '../media/media-record.ts';
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
  const values = await resolveMedia(deps, body.values ?? {});
  const selectors = [sceneGraph, templateId, workflowId].filter(value => value !== undefined);
  const isNodeMissing = workflowId !== undefined && nodeId === undefined;
  if (selectors.length !== 1 || isNodeMissing)
    throw new AppError(
      'invalid_request',
      'Send exactly one of sceneGraph, templateId, or workflowId with nodeId.',
    );
  const owner = { userId: user.userId, workspace: getPersonalWorkspaceId(user.userId) };
  if (workflowId !== undefined && nodeId !== undefined)
    return openNode(deps, user, { workflowId, nodeId, values });
  if (templateId !== undefined) requireTemplate(templateId);
  const config = templateId === undefined ? { props: { sceneGraph } } : { templateId, props };
  return toSource(config, values, owner);
}

type PortValues = Readonly<Record<string, unknown>>;

/** Returns the values with the URLs of media in place of their ids. Reading checks who may use them. */
async function resolveMedia(deps: Deps, values: PortValues): Promise<PortValues> {
  const resolved: Record<string, unknown> = { ...values };
  for (const [port, value] of Object.entries(values)) {
    if (!isJsonObject(value) || typeof value.mediaId !== 'string') continue;
    const row = await findMedia(deps.db, value.mediaId);
    resolved[port] = row && getMediaUrl(deps, row);
  }
  return resolved;
}

function toSource(
  config: Readonly<Record<string, unknown>>,
  values: PortValues,
  owner: RenderOwner,
): PreviewSource {
  const mode = readRenderMode(config);
  if (mode.kind === 'none') throw new AppError('invalid_request', mode.problem);
  const graph = fill(mode, values);
  return { graph, timeline: openScene(graph), owner };
}

function fill(mode: Parameters<typeof createPreviewSceneGraph>[0], values: PortValues): unknown {
  try {
    return createPreviewSceneGraph(mode, values);
  } catch (err) {
    if (err instanceof NodeError) throw new AppError('invalid_request', err.message, { cause: err });
    throw err;
  }
}

async function openNode(
  deps: Deps,
  user: UserActor,
  {
    workflowId,
    nodeId,
    values,
  }: { readonly workflowId: string; readonly nodeId: string; readonly values: PortValues },
): Promise<PreviewSource> {
  const view = await getViewForReading(deps, user, workflowId);
  authorize(user, 'run', view.workflow);
  const { nodes }: { nodes: readonly GraphNode[] } = JSON.parse(`{${await readGraphText(deps, view)}}`);
  const node = nodes.find(({ id, data }) => id === nodeId && data.nodeType === 'video:renderer');
  if (node === undefined)
    throw new AppError('not_found', `The workflow has no video:renderer node with the id ${nodeId}.`);
  const { config, params } = node.data;
  return toSource({ ...config, ...params }, values, {
    userId: user.userId,
    workspace: getWorkspaceId(view.workflow),
  });
}
