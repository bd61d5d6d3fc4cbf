// Finds the limits that will stop a batch before its last row, so that its author learns of them before it starts.
import type { RunDeps } from '../../runs/deps.ts';
import { describeExceededLimits } from '../../runs/payments/spender-limit.ts';
import { getWorkspaceId } from '../../services/accounts/access.ts';
import { toSpender, type UserActor } from '../../services/accounts/actor.ts';
import { countRemainingExecutions } from '../../services/accounts/execution-limits.ts';
import { getPool, listSpendingToday } from '../../store/credits.ts';
import { listLimits } from '../../store/spenders.ts';
import type { ReadWorkflowRow } from '../../store/workflows/workflows.ts';
import type { BatchEstimate } from './prepare-batch.ts';

interface BatchToCheck {
  readonly workflow: ReadWorkflowRow;
  /** The number of rows, and their price. */
  readonly estimate: BatchEstimate;
}

/** Returns a sentence for each limit that does not suffice for all rows, as of now. */
export async function describeExpectedStops(
  deps: RunDeps,
  user: UserActor,
  { workflow, estimate: { rows, credits } }: BatchToCheck,
): Promise<readonly string[]> {
  const workspace = getWorkspaceId(workflow);
  const isPaid = credits > 0;
  const [executions, pool, workflowDay, workspaceDay, limits] = await Promise.all([
    countRemainingExecutions(deps, user),
    isPaid ? getPool(deps.db, workspace) : undefined,
    isPaid ? listSpendingToday(deps.db, 'workflow', [workflow.id]) : undefined,
    isPaid ? listSpendingToday(deps.db, 'workspace', [workspace]) : undefined,
    isPaid ? listLimits(deps.db, [{ workspace, ...toSpender(user) }], 'read') : [],
  ]);
  const price = `All rows cost ${credits} credits`;
  const warnings: string[] = [];
  if (executions !== undefined && executions.remaining < rows)
    warnings.push(
      `Only ${executions.remaining} of ${rows} rows can start today (UTC), because your plan allows ${executions.limit} executions a day.`,
    );
  if (pool !== undefined && credits > pool.balance)
    warnings.push(`${price}, but ${pool.balance} are available.`);
  for (const [owner, day] of [
    ['workflow', workflowDay?.get(workflow.id)],
    ['workspace', workspaceDay?.get(workspace)],
  ] as const) {
    if (day === undefined || day.budget === null || day.spent + credits <= day.budget) continue;
    warnings.push(
      `${price}, but the ${owner} has spent or reserved ${day.spent} of its daily budget of ${day.budget} (UTC).`,
    );
  }
  warnings.push(...describeExceededLimits(limits, credits, 'The batch'));
  return warnings;
}
