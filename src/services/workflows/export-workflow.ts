// Exports a workflow as one file that any account of any service can import: its graph, the components that it calls,
// and their media.
import { Readable } from 'node:stream';
import { AppError } from '../../lib/errors.ts';
import { recordAuditAlone } from '../../store/audit/record-audit.ts';
import { listUsableMedia, type MediaRow } from '../../store/media/media.ts';
import { findMediaIds } from '../../store/workflows/versions.ts';
import { authorize, getWorkspaceId, roleAllows } from '../accounts/access.ts';
import type { Actor } from '../accounts/actor.ts';
import { collectComponents, type ExportedComponent } from '../components/exported-components.ts';
import type { Deps } from '../deps.ts';
import {
  chooseEmbedded,
  type ExportedMedia,
  MAX_EXPORTED_MEDIA,
  writeMedia,
} from '../media/exported-media.ts';
import { parseStoredGraph } from './graph-versions.ts';
import { performGraphWork } from './graph-work.ts';
import type { WorkflowView } from './present-workflow.ts';
import { getViewForReading, readGraphText } from './read-workflow.ts';
import { WORKFLOW_FORMAT } from './workflow-file.schema.ts';

export interface ExportedFile {
  readonly name: string;
  /** The size of the graphs, which stay in memory until the stream ends. */
  readonly characters: number;
  /** JSON. */
  readonly stream: Readable;
}

/** Exports the workflow without secrets, for users who may duplicate it. */
export async function exportWorkflow(deps: Deps, actor: Actor, id: string): Promise<ExportedFile> {
  const view = await getViewForReading(deps, actor, id);
  if (!roleAllows(view.role, 'edit')) authorize(view.actor, 'duplicate', view.workflow);
  const graph = await readGraphText(deps, view);
  const components = await collectComponents(deps, view.actor, graph);
  const rows = new Map<string, MediaRow>();
  for (const part of [{ view, text: graph }, ...components])
    for (const row of await listExportableMedia(deps, part.view, part.text)) rows.set(row.id, row);
  const media = chooseEmbedded([...rows.values()]);
  await recordExport(deps, actor, view);
  const stream = Readable.from(writeFile(deps, view, { graph, components, media }));
  const characters = components.reduce((sum, { text }) => sum + text.length, graph.length);
  return { name: getFileName(view), characters, stream };
}

/** Exports the graph of a `comfyui:workflow` node for ComfyUI. Throws 404 if there is no such node. */
export async function exportForComfyUi(
  deps: Deps,
  actor: Actor,
  id: string,
  nodeId: string | undefined,
): Promise<{ readonly name: string; readonly text: string }> {
  const view = await getViewForReading(deps, actor, id);
  if (!roleAllows(view.role, 'edit')) authorize(view.actor, 'duplicate', view.workflow);
  const stored = parseStoredGraph(await readGraphText(deps, view));
  const text = await performGraphWork<'comfyui'>(deps, { kind: 'comfyui', stored, nodeId });
  if (text === undefined) throw new AppError('not_found', 'The workflow has no such ComfyUI workflow node.');
  await recordExport(deps, actor, view);
  return { name: getFileName(view), text };
}

/** Exports by visitors are not recorded, because what they can read is public. */
async function recordExport(deps: Deps, actor: Actor, { workflow }: WorkflowView): Promise<void> {
  if (actor.kind !== 'user') return;
  await recordAuditAlone(deps.db, actor, {
    action: 'workflow.exported',
    target: workflow.id,
    name: workflow.name,
    teamId: workflow.team_id,
  });
}

/**
 * Lists the media in the graph that a run of the workflow could use. A graph may also contain ids of other users'
 * files, which must not be exported.
 */
function listExportableMedia(
  deps: Deps,
  { workflow, actor }: WorkflowView,
  graph: string,
): Promise<readonly MediaRow[]> {
  return listUsableMedia(deps.db, {
    ids: findMediaIds(graph).slice(0, MAX_EXPORTED_MEDIA),
    workspace: getWorkspaceId(workflow),
    userIds: [workflow.user_id, ...(actor.kind === 'user' ? [actor.userId] : [])],
  });
}

interface FileContent {
  readonly graph: string;
  readonly components: readonly ExportedComponent[];
  readonly media: readonly ExportedMedia[];
}

async function* writeFile(
  deps: Deps,
  { workflow }: WorkflowView,
  { graph, components, media }: FileContent,
): AsyncGenerator<string, void, undefined> {
  const head = JSON.stringify({
    format: WORKFLOW_FORMAT,
    formatVersion: 1,
    exportedAt: new Date(deps.now()).toISOString(),
    name: workflow.name,
    description: workflow.description,
    tags: workflow.tags,
  });
  yield `${head.slice(0, -1)},${graph}`;
  if (components.length > 0) {
    yield ',"components":[';
    for (const [index, component] of components.entries())
      yield `${index === 0 ? '' : ','}${writeComponent(component)}`;
    yield ']';
  }
  yield ',"media":[';
  yield* writeMedia(deps, media);
  yield ']}';
}

function writeComponent({ view: { workflow }, version, isLatest, text }: ExportedComponent): string {
  const { id, name, description, tags } = workflow;
  const head = JSON.stringify({ id, version, isLatest, name, description, tags });
  return `${head.slice(0, -1)},${text}}`;
}

function getFileName({ workflow }: WorkflowView): string {
  const name = workflow.name.replaceAll(/[^A-Za-z0-9]+/g, '-').replaceAll(/^-+|-+$/g, '');
  return `${name.slice(0, 80) || 'workflow'}.json`;
}
