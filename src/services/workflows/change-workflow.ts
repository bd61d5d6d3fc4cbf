// Changes the fields or the graph of a stored workflow in one transaction. Writes nothing if nothing changes.
import { isDeepStrictEqual } from 'node:util';
import type { Graph } from '../../graph/types.ts';
import { AppError } from '../../lib/errors.ts';
import type { Tx } from '../../store/db.ts';
import type { ReadWorkflowRow, WorkflowRow } from '../../store/workflows/workflows.ts';
import { isRunImage } from '../../store/workflows/writes.ts';
import { type Actor, requireScope, type UserActor } from '../accounts/actor.ts';
import type { Deps } from '../deps.ts';
import { parseMediaUrl } from '../media/media-record.ts';
import {
  type CommittedWorkflow,
  commitChange,
  deleteReplacedAutosaves,
  lockForEdit,
  mergeSentFields,
  prepareReplacement,
  presentCommitted,
  type WorkflowChange,
} from './commit-workflow.ts';
import { editTransaction, type GraphTaskRunner } from './edit-transaction.ts';
import { type PresentedWorkflow, presentMembers, toRevision } from './present-workflow.ts';
import { recordWorkflowAudit } from './record-workflow-audit.ts';
import { checkSentFields } from './sent-fields.ts';
import type { UpdateWorkflowBody } from './workflow.schema.ts';
import { resolveMove } from './workflow-location.ts';
import { changeSecrets, decryptSecrets } from './workflow-secrets.ts';

export interface ChangeWorkflowInput {
  readonly body: UpdateWorkflowBody;
  readonly ifMatch?: string | undefined;
  readonly saving?: WorkflowChange['saving'];
  readonly mayBreakApp?: WorkflowChange['mayBreakApp'];
}

/**
 * Changes the fields of a workflow. Throws 400 `invalid_graph`, `field_not_writable`, `folder_workspace_mismatch`, 403,
 * 404, 409 `stale_write`, `app_would_break`.
 */
export async function changeWorkflow(
  deps: Deps,
  actor: Actor,
  id: string,
  { body, ifMatch, saving = 'manual', mayBreakApp }: ChangeWorkflowInput,
): Promise<PresentedWorkflow> {
  const user = requireScope(actor, 'workflows:write');
  const committed = await editTransaction(deps, user, async (tx, runTask) => {
    const view = await lockForEdit(tx, user, id);
    const { workflow } = view;
    requireIfMatch(workflow, ifMatch);
    const ignored = checkSentFields(body, presentMembers(deps, view));
    const isMoved = body.folderId !== undefined && body.folderId !== workflow.folder_id;
    const location = isMoved ? await resolveMove(tx, user, workflow, body.folderId ?? null) : undefined;
    const { secrets, warnings: secretWarnings } = await changeSecrets(deps, tx, user, workflow, body.secrets);
    const poster = await choosePoster(tx, deps, workflow, body.poster);
    const fields = {
      ...mergeSentFields(body, workflow),
      webhook_url: body.webhookUrl === undefined ? workflow.webhook_url : body.webhookUrl,
      ...location,
      secrets,
      pinned_poster: poster.pinned,
    };
    const warnings = [...ignored, ...secretWarnings, ...poster.warnings];
    if (location !== undefined && location.team_id !== workflow.team_id)
      recordWorkflowAudit(
        tx,
        user,
        'workflow.moved',
        { ...workflow, team_id: workflow.team_id ?? location.team_id },
        { before: { teamId: workflow.team_id }, after: { teamId: location.team_id } },
      );
    if (
      body.secrets !== undefined &&
      !isDeepStrictEqual(decryptSecrets(deps, workflow.secrets), body.secrets)
    )
      recordWorkflowAudit(tx, user, 'workflow.secrets_changed', workflow, {
        after: { names: Object.keys(body.secrets ?? {}) },
      });
    // The policy of the team to which it moves applies.
    const moved = { ...view, workflow: { ...workflow, ...location } };
    const write = await prepareReplacement(deps, tx, moved, { ...body, runTask });
    return commitChange(deps, tx, view, { fields, write, warnings, saving, mayBreakApp });
  });
  if (saving === 'auto' && committed.write.isChanged) await deleteReplacedAutosaves(deps, id);
  return presentCommitted(deps, committed);
}

/**
 * Returns the poster to pin, which must be the current poster or another image of the workflow's runs. Returns null if
 * the workflow should show its newest image.
 */
async function choosePoster(
  tx: Tx,
  deps: Deps,
  workflow: ReadWorkflowRow,
  sent: string | null | undefined,
): Promise<{ readonly pinned: string | null; readonly warnings: readonly string[] }> {
  if (sent === undefined || sent === null) return { pinned: null, warnings: [] };
  const { id: mediaId = '', name = '' } = parseMediaUrl(deps, sent) ?? {};
  const poster = `${mediaId}/${name}`;
  if (poster === workflow.poster || (await isRunImage(tx, workflow.id, { mediaId, name }))) {
    return { pinned: poster, warnings: [] };
  }
  return {
    pinned: workflow.pinned_poster,
    warnings: ['Ignored: poster. Only the current poster, or another image of a run, can be pinned.'],
  };
}

/**
 * Throws 409 `stale_write` if the workflow was written since the client read it. Compares only the revision at the
 * start of the ETags: views, heartbeats and posters change the rest of an ETag, and must not cause a rejection.
 */
function requireIfMatch(workflow: WorkflowRow, ifMatch: string | undefined): void {
  if (ifMatch === undefined || ifMatch.trim() === '*') return;
  const current = `"${toRevision(workflow)}.`;
  if (ifMatch.split(',').some(etag => etag.trim().startsWith(current))) return;
  throw new AppError(
    'stale_write',
    'The workflow changed after you read it (If-Match). Read it again and reapply your changes.',
  );
}

export interface GraphEdit {
  /** The version that the change is based on. Default: the stored version. */
  readonly baseVersion?: number | undefined;
  readonly ifMatch?: string | undefined;
  /** A pure function that changes the graph. Throws if the change does not apply to the graph. */
  readonly change: (graph: Graph) => EditedGraph;
  readonly autoLayout?: 'always' | undefined;
  readonly mayBreakApp?: WorkflowChange['mayBreakApp'];
}

/** The result of a change. Its nodes and edges are validated like those of a PUT. */
export interface EditedGraph {
  readonly nodes: readonly unknown[];
  readonly edges: readonly unknown[];
  /** A new name for the workflow. */
  readonly name?: string | undefined;
}

/** Applies a change to the graph. Throws what `change` throws, 400 `invalid_graph`, 403, 404, 409 `stale_write`. */
export async function editGraph(
  deps: Deps,
  actor: Actor,
  id: string,
  edit: GraphEdit,
): Promise<PresentedWorkflow> {
  const user = requireScope(actor, 'workflows:write');
  const committed = await editTransaction(deps, user, (tx, runTask) =>
    applyEdit(deps, { tx, user, runTask }, id, edit),
  );
  return presentCommitted(deps, committed);
}

/** Checks that `editGraph` would succeed, without storing anything. Throws the errors of `editGraph`. */
export async function checkEdit(deps: Deps, actor: Actor, id: string, edit: GraphEdit): Promise<void> {
  const user = requireScope(actor, 'workflows:write');
  try {
    await editTransaction(deps, user, async (tx, runTask) => {
      await applyEdit(deps, { tx, user, runTask }, id, edit);
      throw new CheckPassedError();
    });
  } catch (err) {
    if (!(err instanceof CheckPassedError)) throw err;
  }
}

/** Thrown after a successful check, so that the transaction is rolled back. */
class CheckPassedError extends Error {}

interface EditContext {
  readonly tx: Tx;
  readonly user: UserActor;
  readonly runTask: GraphTaskRunner;
}

async function applyEdit(
  deps: Deps,
  { tx, user, runTask }: EditContext,
  id: string,
  { baseVersion, ifMatch, change, autoLayout, mayBreakApp }: GraphEdit,
): Promise<CommittedWorkflow> {
  const view = await lockForEdit(tx, user, id);
  const { workflow } = view;
  requireIfMatch(workflow, ifMatch);
  if (baseVersion !== undefined && baseVersion !== workflow.version)
    throw createStaleWriteError(workflow.version, baseVersion);
  const current = await deps.versions.get(tx, id, workflow.version);
  const { name = workflow.name, ...graph } = change(current.graph);
  const replacement = { ...graph, runTask, ...(autoLayout === undefined ? {} : { autoLayout }) };
  const write = await prepareReplacement(deps, tx, view, replacement);
  return commitChange(deps, tx, view, { fields: { name }, write, warnings: [], mayBreakApp });
}

function createStaleWriteError(version: number, baseVersion: number): AppError {
  return new AppError(
    'stale_write',
    `The workflow is at version ${version}, not ${baseVersion}. Read it again and reapply your changes.`,
    { details: { version } },
  );
}
