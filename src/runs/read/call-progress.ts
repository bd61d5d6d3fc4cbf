// Presents the progress that the servers of running calls report, and their previews.
import type { Plan } from '../../graph/plan.ts';
import { AppError } from '../../lib/errors.ts';
import type { Actor } from '../../services/accounts/actor.ts';
import { findPreview, listProgress, type PreviewRow } from '../../store/call-progress.ts';
import type { RunDeps } from '../deps.ts';
import { readPlan } from '../prepare/stored-run.ts';
import { getExecutionRow, getViewer } from './executions.ts';
import { isHidden, type Viewer } from './present-execution.ts';

export interface NodeProgress {
  readonly nodeId: string;
  readonly progress: number;
  readonly detail?: string;
  readonly previewUrl?: string;
}

/** The types whose calls report their progress. */
const REPORTING_TYPES: ReadonlySet<string> = new Set([
  'comfyui:workflow',
  'generate:comfyui',
  'video:comfyui',
]);

/** Creates a function that returns what has changed since its last call, whichever process follows the calls. */
export function createProgressReader(
  { db, settings }: RunDeps,
  executionId: string,
  plan: Plan,
  viewer: Viewer,
): () => Promise<readonly NodeProgress[]> {
  const nodes = new Map(plan.nodes.map(node => [node.id, node]));
  const reportsProgress = plan.nodes.some(({ nodeType }) => REPORTING_TYPES.has(nodeType));
  const sentVersions = new Map<string, number>();
  const baseUrl = `${settings.BASE_URL}/api/v1/executions/${executionId}/previews/`;
  return async () => {
    if (!reportsProgress) return [];
    const rows = await listProgress(db, executionId);
    return rows.flatMap(({ node_id: nodeId, item, fraction, detail, has_preview, version }) => {
      const node = nodes.get(nodeId);
      const key = `${item} ${nodeId}`;
      if (node === undefined || sentVersions.get(key) === version) return [];
      sentVersions.set(key, version);
      const progress = { nodeId, progress: fraction };
      if (isHidden(node, viewer)) return [progress];
      const previewUrl = `${baseUrl}${encodeURIComponent(nodeId)}?version=${version}`;
      return [{ ...progress, ...(detail !== null && { detail }), ...(has_preview && { previewUrl }) }];
    });
  };
}

/** Returns the preview of a node that runs. Throws 404 if it has none. */
export async function readPreview(
  deps: RunDeps,
  actor: Actor,
  { id, nodeId }: { readonly id: string; readonly nodeId: string },
): Promise<PreviewRow> {
  const execution = await getExecutionRow(deps, actor, id);
  const plan = await readPlan(deps, execution);
  const node = plan.nodes.find(candidate => candidate.id === nodeId);
  const isShown = node !== undefined && !isHidden(node, await getViewer(deps, actor, execution, plan));
  const preview = isShown ? await findPreview(deps.db, id, nodeId) : undefined;
  if (preview === undefined)
    throw new AppError('not_found', 'Preview not found. A node has one only while it runs.');
  return preview;
}
