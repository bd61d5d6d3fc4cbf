// Performs the steps that all writes of a stored workflow share: locks the workflow, prepares the graph, writes what
// changed, and presents the result.
import { mergeIssues } from '../../graph/issues.ts';
import { getFirstIdAt } from '../../lib/ids.ts';
import type { Tx } from '../../store/db.ts';
import { notifyFollowers } from '../../store/workflows/followers.ts';
import {
  closeAutosave,
  deleteSuperseded,
  insertAutosave,
  insertVersion,
} from '../../store/workflows/versions.ts';
import type { ReadWorkflowRow, WorkflowRow } from '../../store/workflows/workflows.ts';
import { findWorkflow, lockWorkflow } from '../../store/workflows/workflows.ts';
import { pinPoster, updateWorkflow } from '../../store/workflows/writes.ts';
import { authorize, getWorkspaceId, type WorkflowAction } from '../accounts/access.ts';
import type { UserActor } from '../accounts/actor.ts';
import { loadPolicy } from '../accounts/team-policy.ts';
import { recordCalls } from '../components/record-calls.ts';
import type { Deps } from '../deps.ts';
import { requireStorageForGraph } from '../media/storage-quota.ts';
import { findAssigneeIssues } from './assignee-warnings.ts';
import type { GraphTaskRunner } from './edit-transaction.ts';
import { withMediaWarnings } from './missing-media.ts';
import { isBeingEdited } from './presence/heartbeat.ts';
import { type PresentedWorkflow, presentWorkflow, type WorkflowView } from './present-workflow.ts';
import { removeSupplied } from './supplied-warnings.ts';
import type { UpdateWorkflowBody } from './workflow.schema.ts';
import { type GraphWrite, getWrittenGraph, reuseStoredText } from './write-graph.ts';

/** A workflow as seen by a user who may write it. */
export interface WritableView extends WorkflowView {
  readonly actor: UserActor;
}

/** Locks the workflow until the transaction ends and returns it. Throws 404, 403. */
export async function lockForEdit(
  tx: Tx,
  user: UserActor,
  id: string,
  action: WorkflowAction = 'edit',
): Promise<WritableView> {
  const { workflow, role } = authorize(user, action, await lockWorkflow(tx, id, user.userId));
  return { workflow, role, actor: user };
}

type SentFields = Pick<UpdateWorkflowBody, 'name' | 'description' | 'tags' | 'isActive' | 'webhookId'>;

/** Returns the columns that every write can change, with the sent values or the stored ones. */
export function mergeSentFields(body: SentFields, workflow: WorkflowRow): Partial<WorkflowRow> {
  return {
    name: body.name ?? workflow.name,
    description: body.description === undefined ? workflow.description : body.description,
    tags: body.tags ?? workflow.tags,
    is_active: body.isActive ?? workflow.is_active,
    webhook_id: body.webhookId === undefined ? workflow.webhook_id : body.webhookId,
  };
}

export interface SentGraph {
  /** Nodes and edges stay unchanged if they are undefined. */
  readonly nodes?: unknown;
  readonly edges?: unknown;
  readonly autoLayout?: boolean | 'always';
}

/** Prepares the sent graph to replace the stored one. Throws 400 `invalid_graph`. */
export async function prepareReplacement(
  deps: Deps,
  tx: Tx,
  { workflow }: WritableView,
  { nodes, edges, autoLayout, runTask }: SentGraph & { readonly runTask: GraphTaskRunner },
): Promise<GraphWrite> {
  const stored = await deps.versions.get(tx, workflow.id, workflow.version);
  if (nodes === undefined && edges === undefined) return reuseStoredText(stored.text);
  const owner = { workspace: getWorkspaceId(workflow), workflowId: workflow.id };
  const policy = await loadPolicy(tx, owner.workspace);
  const write = runTask<'write'>(
    workflow.version,
    {
      kind: 'write',
      input: { nodes, edges, autoLayout, policy, isBeingEdited: isBeingEdited(deps, workflow) },
      stored,
    },
    { id: workflow.id, versions: [workflow.version] },
  );
  if (!write.isChanged) return write;
  const assigneeIssues = await findAssigneeIssues(tx, deps.settings, write.text, owner);
  return withMediaWarnings(tx, { ...write, issueList: mergeIssues(write.issueList, assigneeIssues) });
}

export interface WorkflowChange {
  readonly fields: Partial<WorkflowRow>;
  readonly write: GraphWrite;
  readonly warnings: readonly string[];
  /** Default: `manual`. */
  readonly saving?: 'auto' | 'manual';
  /** Whether the graph may break the app of the workflow. */
  readonly mayBreakApp?: boolean | undefined;
  /** The version whose graph is restored, if any. */
  readonly restoredVersion?: number;
}

/** The result of a write. */
export interface CommittedWorkflow {
  readonly view: WorkflowView;
  readonly write: GraphWrite;
  readonly warnings: readonly string[];
}

/** Writes what changed: a new version if the graph changed, and the row if the version or a field changed. */
export async function commitChange(
  deps: Deps,
  tx: Tx,
  view: WritableView,
  {
    fields,
    write: prepared,
    warnings,
    saving = 'manual',
    mayBreakApp = false,
    restoredVersion,
  }: WorkflowChange,
): Promise<CommittedWorkflow> {
  const { workflow, actor } = view;
  const owner = { workspace: getWorkspaceId(workflow), workflowId: workflow.id };
  const write = { ...prepared, issueList: await removeSupplied(deps, tx, prepared.issueList, owner) };
  if (write.isChanged && !mayBreakApp)
    await deps.requireAppCompatible(tx, workflow.id, () => getWrittenGraph(write));
  const next = { ...workflow, ...fields, version: workflow.version + Number(write.isChanged) };
  const { pinned_poster: pinnedPoster, ...columns } = next;
  await storeVersion(tx, view, { write, saving, base: restoredVersion ?? workflow.version });
  if (write.isChanged) {
    await recordCalls(tx, actor, {
      workflowId: workflow.id,
      version: next.version,
      replaced: [workflow.version, ...(restoredVersion === undefined ? [] : [restoredVersion])],
      write,
    });
    await requireStorageForGraph(tx, deps.settings, actor, write.text);
  }
  if (differs(columns, workflow)) {
    await updateWorkflow(tx, workflow.id, { ...fields, version: next.version, ...toWriter(actor) });
    await notifyFollowers(tx, workflow.id);
  } else if (pinnedPoster !== workflow.pinned_poster) await pinPoster(tx, workflow.id, pinnedPoster);
  else return { view, write, warnings };
  return { view: { ...view, workflow: await getWrittenWorkflow(tx, workflow.id, actor) }, write, warnings };
}

const toWriter = ({ userId, credential }: UserActor) => ({
  written_by: userId,
  written_by_session: credential.kind === 'session' ? credential.id : null,
});

/** Maximum difference between the clocks of two processes. */
const CLOCK_SLACK_MS = 60_000;

interface StoredChange extends Required<Pick<WorkflowChange, 'write' | 'saving'>> {
  /** The version from which the write's `nodeChanges` differ. */
  readonly base: number;
}

async function storeVersion(
  tx: Tx,
  { workflow: { id, version, user_id: creatorId }, actor: { userId, credential } }: WritableView,
  { write, saving, base }: StoredChange,
): Promise<void> {
  const next = {
    workflowId: id,
    version: version + 1,
    graph: write.text,
    userId,
    changes: { ...write.nodeChanges, base, creatorId },
  };
  if (saving === 'auto') {
    if (!write.isChanged) return;
    const runsFromId = getFirstIdAt('execution', Date.now() - CLOCK_SLACK_MS);
    await insertAutosave(tx, next, { editorId: credential.id, runsFromId });
  } else if (write.isChanged) await insertVersion(tx, next);
  else await closeAutosave(tx, id, version);
}

const MAX_DELETED = 100;

/**
 * Deletes autosaves that were replaced over a minute ago. Must be called after the transaction of the save: a transaction
 * that counts its own graph and then those of other authors could form a deadlock with another one. Throws nothing, because
 * the daily cleanup deletes what remains.
 */
export async function deleteReplacedAutosaves({ db, log }: Deps, workflowId: string): Promise<void> {
  await db
    .transaction(tx => deleteSuperseded(tx, workflowId, MAX_DELETED))
    .catch((err: unknown) => log.warn({ err, workflowId }, 'replaced autosaves are deleted later'));
}

/** Returns a workflow that this transaction has written, as the writer sees it. */
export async function getWrittenWorkflow(tx: Tx, id: string, user: UserActor): Promise<ReadWorkflowRow> {
  const row = await findWorkflow(tx, id, user.userId);
  if (row === undefined) throw new Error(`Workflow ${id} was not found in the transaction that wrote it.`);
  return row;
}

/** Returns whether any member differs. Compares encrypted secrets by identity. */
function differs(next: object, before: ReadWorkflowRow): boolean {
  return Object.entries(next).some(([key, value]) => {
    const previousValue = before[key as keyof ReadWorkflowRow];
    if (Array.isArray(value)) return JSON.stringify(value) !== JSON.stringify(previousValue);
    return value !== previousValue;
  });
}

/** Caches a graph that has been committed. */
export function cacheCommitted(deps: Deps, { view: { workflow }, write }: CommittedWorkflow): void {
  if (write.isChanged) deps.versions.cache(workflow.id, workflow.version, write.text, write.graph);
}

/** Presents a committed workflow to its writer, with the complete graph. Caches the graph. */
export function presentCommitted(deps: Deps, committed: CommittedWorkflow): PresentedWorkflow {
  cacheCommitted(deps, committed);
  const { view, write, warnings } = committed;
  const meta = { issueList: write.issueList, warnings: [...write.warnings, ...warnings] };
  return presentWorkflow(deps, view, write.text, meta);
}
