// Removing one execution before its time.
import { AppError } from '../lib/errors.ts';
import { deleteExecution } from '../store/retention.ts';
import { findWorkflow } from '../store/workflows.ts';
import { authorize } from './access.ts';
import type { Actor } from './actor.ts';
import { requireScope } from './actor.ts';
import type { Deps } from './deps.ts';
import { getExecutionRow } from './executions.ts';

/** Its record, states and deliveries; its pictures stay in the media. Throws 409 where it has not ended. */
export async function removeExecution(deps: Deps, actor: Actor, id: string): Promise<{ success: true }> {
  const user = requireScope(actor, 'workflows:execute');
  const row = await getExecutionRow(deps, actor, id);
  const workflow = await findWorkflow(deps.db, row.workflow_id, user.userId);
  if (workflow !== undefined) authorize(user, 'run', workflow);
  if (!(await deps.db.transaction(tx => deleteExecution(tx, id))))
    throw new AppError('conflict', 'The execution has not ended: cancel it first.');
  return { success: true };
}
