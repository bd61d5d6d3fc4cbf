// Notifies the creator of a batch, and the owners of its workspace, that the service stopped the batch.

import type { Tx } from '../../store/db.ts';
import { insertNotice } from '../../store/notices.ts';
import { findWorkflowName } from '../../store/workflows/workflows.ts';
import type { StoredBatch } from './store/batches.ts';

/** Texts by the reason of the stop. Reasons that are not listed here are codes of refused runs. */
const EXPLANATIONS: Readonly<Record<string, string>> = {
  max_credits: 'The next row would cost more than is left of its limit. Resume it with a higher limit.',
  failures_in_a_row:
    'Too many rows in a row failed. Fix the workflow or the rows, then retry the failed rows.',
  insufficient_credits: 'The workspace has too few credits for the next row. Add credits, then resume it.',
  daily_budget_exceeded:
    'The daily budget of the workflow is used up. Resume it tomorrow, or raise the budget.',
  daily_limit_exceeded:
    'The daily limit of the provider key is used up. Resume it tomorrow, or raise the limit of the key.',
  member_limit_exceeded:
    'The monthly limit of the member who started it is used up. Resume it next month, or raise the limit.',
  key_limit_exceeded:
    'The monthly limit of the API key that started it is used up. Resume it next month, or raise the limit.',
  not_allowed_by_policy:
    'The policy of the team does not allow a provider or model that the workflow uses. Change the workflow or the policy, then resume it.',
  daily_execution_limit: 'You have started as many runs as your plan allows in a day. Resume it tomorrow.',
  provider_not_configured: 'A provider that the workflow uses has no credential. Add one, then resume it.',
  comfyui_missing:
    'No ComfyUI server has the node types and model files of the workflow. Install them, then resume it.',
  local_nodes_off:
    'A node that runs on this machine is turned off or not installed. Ask the operator, then resume it.',
};

/** Notifies people, unless a user stopped the batch. */
export async function notifyStop(tx: Tx, batch: StoredBatch): Promise<void> {
  const { id, reason, total, counts, workflow_id, user_id, workspace } = batch;
  if (reason === null) return;
  const name = await findWorkflowName(tx, workflow_id);
  const explanation =
    EXPLANATIONS[reason] ?? `Its next run was refused (${reason}). Solve this, then resume it.`;
  await insertNotice(tx, {
    kind: 'batch_stopped',
    cause: id,
    workspace,
    userId: user_id,
    title: `The batch of “${name}” stopped`,
    text: `${counts.completed} of ${total} rows are completed. ${explanation}`,
    link: `/batches/${id}`,
  });
}
