// Executions read, listed and stopped.
import type { Step } from '../engine/types.ts';
import { AppError } from '../lib/errors.ts';
import { authorize, canDo, hasOwnRole, isTeam, roleOf } from '../services/accounts/access.ts';
import { type Actor, requireScope, type Scope, type UserActor } from '../services/accounts/actor.ts';
import { byId, parseTimeFilter, readPage } from '../services/paging.ts';
import { listExecutions } from '../store/execution-lists.ts';
import { EXECUTION_STATUSES, type ExecutionRow, findExecution } from '../store/executions.ts';
import { listStepsOfNode } from '../store/steps.ts';
import { hasLeft } from '../store/teams.ts';
import { findWorkflow, type ReadWorkflowRow } from '../store/workflows/workflows.ts';
import type { RunDeps } from './deps.ts';
import { endingUnleased } from './end-run.ts';
import { planOf, stepsOf } from './executed-graph.ts';
import type { ExecutionRecord, Reader } from './present-execution.ts';
import { presentExecution, presentListedExecution, presentStep } from './present-execution.ts';
import type { ListExecutionsQuery } from './run.schema.ts';

/** The execution, for whoever may edit its workflow, or started it and has not left its team since. Throws 404, 403. */
export async function getExecutionRow(
  deps: RunDeps,
  actor: Actor,
  id: string,
  scope: Scope = 'workflows:read',
): Promise<ExecutionRow> {
  const user = requireScope(actor, scope);
  return authorizeExecution(deps, user, await findExecution(deps.db, id));
}

async function authorizeExecution(
  deps: RunDeps,
  user: UserActor,
  row: ExecutionRow | undefined,
): Promise<ExecutionRow> {
  if (row === undefined) throw new AppError('not_found', 'There is no execution with this id.');
  const isStarter = row.user_id === user.userId;
  if (isStarter && !(isTeam(row.workspace) && (await hasLeft(deps.db, row.workspace, user.userId))))
    return row;
  const workflow = await findWorkflow(deps.db, row.workflow_id, user.userId);
  // Whoever starts a run of a team's workflow by a share is not in the team.
  const reads = isStarter ? hasOwnRole : mayEdit;
  if (workflow !== undefined && reads(user, workflow)) return row;
  throw new AppError(
    'forbidden',
    'You may not see this execution: it is of a workflow that you cannot edit, and you did not start it.',
  );
}

const mayEdit = (user: UserActor, workflow: ReadWorkflowRow): boolean =>
  canDo(roleOf(user, workflow), 'edit');

/** More than any node of a run records today; older runs may have more. */
const MAX_OUTPUT_BYTES = 64_000_000;

/** The state of one node with its values whole. Throws 404 for a node that the run has not. */
export async function getNodeOutputs(deps: RunDeps, actor: Actor, id: string, nodeId: string) {
  const row = await getExecutionRow(deps, actor, id);
  const node = (await planOf(deps, row)).nodes.find(candidate => candidate.id === nodeId);
  if (node === undefined)
    throw new AppError('not_found', `The execution has no node ${JSON.stringify(nodeId)}.`);
  const rows = await listStepsOfNode(deps.db, row.id, nodeId, MAX_OUTPUT_BYTES);
  const step = rows.at(-1)?.step as Step | undefined;
  return presentStep(node, step, await readerOf(deps, actor, row));
}

export async function getExecution(deps: RunDeps, actor: Actor, id: string): Promise<ExecutionRecord> {
  return recordOf(deps, actor, await getExecutionRow(deps, actor, id));
}

/** The record of a row whose access is settled. */
export async function recordOf(deps: RunDeps, actor: Actor, row: ExecutionRow): Promise<ExecutionRecord> {
  const steps = await stepsOf(deps.db, row.id);
  const hasProviderSteps = [...steps.values()].some(({ provider }) => provider !== undefined);
  const reader = hasProviderSteps ? await readerOf(deps, actor, row) : { isOwner: false };
  return presentExecution(row, await planOf(deps, row), steps, reader);
}

/** What the caller is to the workflow of the run; of a deleted one nobody is the owner. */
export async function readerOf(deps: RunDeps, actor: Actor, row: ExecutionRow): Promise<Reader> {
  if (actor.kind === 'anonymous') return { isOwner: false };
  const workflow = await findWorkflow(deps.db, row.workflow_id, actor.userId);
  return { isOwner: workflow !== undefined && roleOf(actor, workflow) === 'OWNER' };
}

/** The graph as it ran. */
export async function getExecutionGraph(deps: RunDeps, actor: Actor, id: string): Promise<string> {
  const row = await getExecutionRow(deps, actor, id);
  const { text } = await deps.versions.get(deps.db, row.workflow_id, row.workflow_version);
  return `{"workflowId":${JSON.stringify(row.workflow_id)},"workflowVersion":${row.workflow_version},${text}}`;
}

/** Newest first: of one workflow that the caller may edit, or all that the caller started and may still read. */
export async function listRuns(deps: RunDeps, actor: Actor, query: ListExecutionsQuery, workflowId?: string) {
  const user = requireScope(actor, 'workflows:read');
  if (workflowId !== undefined)
    authorize(actor, 'edit', await findWorkflow(deps.db, workflowId, user.userId));
  const filter = {
    workflowId: workflowId ?? null,
    userId: user.userId,
    statuses: query.status === undefined ? EXECUTION_STATUSES : [query.status],
    createdAfter: parseTimeFilter('createdAfter', query.createdAfter),
    createdBefore: parseTimeFilter('createdBefore', query.createdBefore),
    idempotencyKey: query.idempotencyKey ?? null,
  };
  return readPage(
    query,
    byId('execution'),
    ({ after: before, limit }) => listExecutions(deps.db, { ...filter, before, limit }),
    presentListedExecution,
  );
}

/**
 * Stops a run, wherever it is: at once where no worker executes it, else by asking the worker, which has 30 s.
 * A run that has ended stays as it is.
 */
export async function cancelRun(deps: RunDeps, actor: Actor, id: string): Promise<ExecutionRecord> {
  const user = requireScope(actor, 'workflows:execute');
  const row = await authorizeCancel(deps, user, await findExecution(deps.db, id));
  if (row.finished_at === null) {
    await deps.commit.change([id], (run, tx) =>
      run.worker_id === null ? endingUnleased(deps, tx, run, CANCELLED) : { kind: 'cancel' },
    );
    deps.runNotifier.notify(id);
  }
  return getExecution(deps, actor, id);
}

const CANCELLED = {
  status: 'CANCELLED',
  error: { code: 'cancelled', message: 'The run was cancelled.', nodeId: null },
} as const;

/** Whoever may run the workflow may stop its runs; those of a deleted one, whoever started them. */
async function authorizeCancel(
  deps: RunDeps,
  user: UserActor,
  row: ExecutionRow | undefined,
): Promise<ExecutionRow> {
  const found = await authorizeExecution(deps, user, row);
  const workflow = await findWorkflow(deps.db, found.workflow_id, user.userId);
  if (workflow !== undefined) authorize(user, 'run', workflow);
  return found;
}
