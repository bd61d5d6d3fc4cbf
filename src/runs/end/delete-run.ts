// Deletes runs that have ended.
import { AppError } from '../../lib/errors.ts';
import { authorize } from '../../services/accounts/access.ts';
import { type Actor, requireScope } from '../../services/accounts/actor.ts';
import { recordAudit } from '../../store/audit/record-audit.ts';
import { deleteExecutionRow } from '../../store/retention/old-rows.ts';
import { findWorkflow } from '../../store/workflows/workflows.ts';
import type { RunDeps } from '../deps.ts';
import { getExecutionRow } from '../read/executions.ts';

const DELETE_SCOPE = 'workflows:write';

/** Deletes the record, steps and deliveries. Media are kept. Throws 409 if the execution has not ended. */
export async function deleteExecution(deps: RunDeps, actor: Actor, id: string): Promise<{ success: true }> {
  const user = requireScope(actor, DELETE_SCOPE);
  const row = await getExecutionRow(deps, actor, id, DELETE_SCOPE);
  const workflow = await findWorkflow(deps.db, row.workflow_id, user.userId);
  if (workflow !== undefined) authorize(user, 'run', workflow);
  await deps.db.transaction(async tx => {
    if (!(await deleteExecutionRow(tx, id)))
      throw new AppError('conflict', 'The execution has not ended. Cancel it first.');
    recordAudit(tx, user, {
      action: 'run.deleted',
      target: id,
      teamId: workflow?.team_id,
      before: { workflowId: row.workflow_id, startedBy: row.user_id },
    });
  });
  return { success: true };
}
