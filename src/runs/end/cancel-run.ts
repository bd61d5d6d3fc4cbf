// Cancels runs.
import { authorize } from '../../services/accounts/access.ts';
import { type Actor, requireScope, type UserActor } from '../../services/accounts/actor.ts';
import { type ExecutionRow, findExecution } from '../../store/executions.ts';
import { findWorkflow } from '../../store/workflows/workflows.ts';
import type { RunDeps } from '../deps.ts';
import { authorizeExecution, readExecution } from '../read/executions.ts';
import type { ExecutionRecord } from '../read/present-execution.ts';
import { buildUnleasedEnd, CANCELLED } from './end-run.ts';

/**
 * Cancels a run. A run without a worker ends immediately. Otherwise the worker is notified and has 30 s to end the run.
 * A run that has ended does not change.
 */
export async function cancelRun(deps: RunDeps, actor: Actor, id: string): Promise<ExecutionRecord> {
  const user = requireScope(actor, 'workflows:execute');
  const row = await authorizeCancel(deps, user, await findExecution(deps.db, id));
  if (row.finished_at === null) await cancelRuns(deps, [id]);
  return readExecution(deps, actor, id);
}

/** Cancels runs without checking access. */
export async function cancelRuns(deps: RunDeps, ids: readonly string[]): Promise<void> {
  await deps.commit.change(ids, (run, tx) =>
    run.worker_id === null ? buildUnleasedEnd(deps, tx, run, CANCELLED) : { kind: 'cancel' },
  );
  for (const id of ids) deps.changeHub.notify(id);
}

/**
 * Returns the execution if the user may cancel it. Besides access to the execution, this requires permission to run the
 * workflow, unless the workflow is deleted.
 */
async function authorizeCancel(
  deps: RunDeps,
  user: UserActor,
  row: ExecutionRow | undefined,
): Promise<ExecutionRow> {
  const execution = await authorizeExecution(deps, user, row);
  const workflow = await findWorkflow(deps.db, execution.workflow_id, user.userId);
  if (workflow !== undefined) authorize(user, 'run', workflow);
  return execution;
}
