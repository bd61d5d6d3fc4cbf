// Tells the creator of a batch, and the owners of its workspace, that it stopped by itself.
import { type BatchRow, findBatch } from '../../store/automation/batches.ts';
import type { Tx } from '../../store/db.ts';
import { insertNotice } from '../../store/notices.ts';
import { findWorkflowName } from '../../store/workflows/workflows.ts';

/** Why a batch stopped, and what to do. Other reasons are the codes of refused runs. */
const REASONS: Readonly<Record<string, string>> = {
  max_credits: 'The next row would cost more than is left of its limit. Resume it with a higher limit.',
  failures_in_a_row:
    'Too many rows in a row failed. Fix the workflow or the rows, then retry the failed rows.',
  insufficient_credits: 'The workspace has too few credits for the next row. Add credits, then resume it.',
  daily_budget_exceeded:
    'The daily budget of the workflow is used up. Resume it tomorrow, or raise the budget.',
  daily_execution_limit: 'You have started as many runs as your plan allows in a day. Resume it tomorrow.',
  provider_not_configured: 'A provider that the workflow uses has no credential. Add one, then resume it.',
};

/** Does nothing if a user stopped the batch. */
export async function noticeStop(tx: Tx, batch: BatchRow): Promise<void> {
  const { id, reason, total, workflow_id, user_id, workspace } = batch;
  if (reason === null) return;
  const { counts } = (await findBatch(tx, id)) ?? batch;
  const name = await findWorkflowName(tx, workflow_id);
  const why = REASONS[reason] ?? `Its next run was refused (${reason}). Resume it once that is solved.`;
  await insertNotice(tx, {
    kind: 'batch_stopped',
    cause: id,
    workspace,
    userId: user_id,
    title: `The batch of “${name}” stopped`,
    text: `${counts.completed} of ${total} rows are completed. ${why}`,
    link: `/batches/${id}`,
  });
}
