// Reads workflows: complete for editors, redacted for other readers, and in the published version for visitors of a
// publication.
import type { Graph } from '../../graph/types.ts';
import { requireFound } from '../../lib/errors.ts';
import { isId } from '../../lib/ids.ts';
import { createLru } from '../../lib/lru.ts';
import { openShares } from '../../store/permissions.ts';
import type { ReadWorkflowRow, WorkflowLookup } from '../../store/workflows/workflows.ts';
import { findPublished, findWorkflow } from '../../store/workflows/workflows.ts';
import { authorize, getWorkspaceId, roleAllows } from '../accounts/access.ts';
import { type Actor, ANONYMOUS, hasScope } from '../accounts/actor.ts';
import { listReadableComponents } from '../components/readable-components.ts';
import type { Deps } from '../deps.ts';
import { type GraphVersion, parseStoredGraph } from './graph-versions.ts';
import { performGraphWork } from './graph-work.ts';
import { type PresentedWorkflow, presentWorkflow, type WorkflowView } from './present-workflow.ts';

/** Returns the workflow as the caller may see it. A key without `workflows:read` reads like an anonymous visitor. */
export async function readWorkflow(deps: Deps, actor: Actor, id: string): Promise<PresentedWorkflow> {
  const view = await getViewForReading(deps, actor, id);
  if (!roleAllows(view.role, 'edit')) deps.views.count(id);
  return presentWorkflow(deps, view, await readGraphText(deps, view));
}

export interface ReadableGraph {
  readonly view: WorkflowView;
  readonly version: number;
  readonly graph: Graph;
  /** The workspace of the workflow; undefined if the reader may not edit and run it. */
  readonly workspace: string | undefined;
}

/** Returns the parsed graph as the caller may see it. Throws 404, 403. */
export async function readWorkflowGraph(deps: Deps, actor: Actor, id: string): Promise<ReadableGraph> {
  const view = await getViewForReading(deps, actor, id);
  const number = getVisibleVersion(view);
  const version = await deps.versions.get(deps.db, id, number);
  if (roleAllows(view.role, 'edit'))
    return { view, version: number, graph: version.graph, workspace: getWorkspaceId(view.workflow) };
  deps.views.count(id);
  const { graph } = parseStoredGraph(await toRedactedText(deps, view, version, number));
  return { view, version: number, graph, workspace: undefined };
}

/** Returns the published version of a workflow, as any visitor sees it. Throws 404. */
export async function readPublished(deps: Deps, slug: string): Promise<PresentedWorkflow> {
  const view = await getPublishedView(deps, slug);
  return presentWorkflow(deps, view, await readGraphText(deps, view, getPublishedVersion(view)));
}

/** Returns the published workflow as any visitor sees it, and counts the view. Throws 404. */
export async function getPublishedView(deps: Deps, slug: string): Promise<WorkflowView> {
  const message = 'No published workflow has this slug.';
  const workflow = requireFound(await findPublished(deps.db, slug, null), message);
  deps.views.count(workflow.id);
  return { workflow, actor: ANONYMOUS, role: 'ANONYMOUS' };
}

/**
 * Returns the workflow and the caller's role. If the workflow is shared with the caller, records that the caller
 * has opened it. Throws 404, 403, and 401 for an anonymous caller.
 */
export async function getViewForReading(deps: Deps, actor: Actor, id: string): Promise<WorkflowView> {
  const reader = hasScope(actor, 'workflows:read') ? actor : ANONYMOUS;
  const userId = reader.kind === 'user' ? reader.userId : null;
  const { workflow, role } = authorize(reader, 'read', await findWorkflowGrouped(deps, { id, userId }));
  if (workflow.is_share_new && userId !== null) await openShares(deps.db, id, userId);
  return { workflow, role, actor: reader };
}

/** Returns the workflow and the reader's roles. Concurrent reads share a statement. */
export function findWorkflowGrouped(
  { db, findWorkflowInGroup }: Pick<Deps, 'db' | 'findWorkflowInGroup'>,
  reading: WorkflowLookup,
): Promise<ReadWorkflowRow | undefined> {
  // A malformed id could make the shared statement fail for all of its reads.
  return isId('workflow', reading.id)
    ? findWorkflowInGroup(reading)
    : findWorkflow(db, reading.id, reading.userId);
}

/** Returns the graph as the reader may see it: '"nodes":[…],"edges":[…]'. */
export async function readGraphText(
  deps: Deps,
  view: WorkflowView,
  number = getVisibleVersion(view),
): Promise<string> {
  const version = await deps.versions.get(deps.db, view.workflow.id, number);
  return roleAllows(view.role, 'edit') ? version.text : toRedactedText(deps, view, version, number);
}

/** Redacted texts by version and by the components that a reader may read, of which there are many combinations. */
const redactions = createLru<Promise<string>>(8_000_000);

/**
 * Returns the text for a reader who may not edit. Redacts the version once for all readers with access to the same
 * components.
 */
async function toRedactedText(
  deps: Deps,
  { workflow, actor }: WorkflowView,
  version: GraphVersion,
  number: number,
): Promise<string> {
  const readableIds = await listReadableComponents(deps, actor, version);
  const key = `${workflow.id}@${number} ${readableIds.join()}`;
  const cached = redactions.get(key);
  if (cached !== undefined) return cached;
  const text = performGraphWork<'redact'>(deps, {
    kind: 'redact',
    stored: version,
    readableIds,
  });
  redactions.set(key, text, version.characters + key.length);
  text.catch(() => redactions.delete(key));
  return text;
}

/** Returns the number of the version that the reader sees. */
export function getVisibleVersion(view: WorkflowView): number {
  return isPublicationOnly(view) ? getPublishedVersion(view) : view.workflow.version;
}

export function getPublishedVersion({ workflow }: Pick<WorkflowView, 'workflow'>): number {
  return workflow.published_version ?? workflow.version;
}

/** Returns whether the reader has access only through the publication, and therefore sees only its version. */
export function isPublicationOnly({ workflow, role }: WorkflowView): boolean {
  const { is_published, link_permission, share_role, team_role } = workflow;
  return (
    !roleAllows(role, 'edit') &&
    is_published &&
    link_permission === 'PRIVATE' &&
    share_role === null &&
    team_role === null
  );
}
