// Charges runs, and notifies when the credits of a workspace run low or a monthly limit is nearly reached.
import { chargeNodes, type LowPool, type NodeCharge } from '../../store/credits.ts';
import type { Tx } from '../../store/db.ts';
import { insertNotice } from '../../store/notices.ts';
import { claimReachedLimits } from '../../store/spenders.ts';
import { notifyLimit } from './limit-notices.ts';

/** Charges runs for their nodes (see `chargeNodes`). */
export async function chargeRuns(tx: Tx, charges: readonly NodeCharge[]): Promise<void> {
  for (const pool of await chargeNodes(tx, charges)) await notifyLowCredits(tx, pool);
  const executionIds = [...new Set(charges.map(({ executionId }) => executionId))];
  for (const limit of await claimReachedLimits(tx, executionIds)) await notifyLimit(tx, limit);
}

function notifyLowCredits(tx: Tx, { workspace, team_name, remaining }: LowPool): Promise<void> {
  const owner = team_name === null ? 'Your workspace' : `“${team_name}”`;
  return insertNotice(tx, {
    kind: 'credits_low',
    cause: workspace,
    workspace,
    userId: null,
    title: `${team_name === null ? 'Your credits' : `The credits of ${owner}`} are low`,
    text: `${owner} has ${remaining} credits left, less than a tenth of what it had when credits were last added. Runs that cost more than is left are refused. Ask an administrator to add credits.`,
    link: '/settings/credits',
  });
}
