// The daily cleanup: ended executions, deliveries, idempotency keys, kept results, ended sessions, counters.
import { newId } from '../lib/ids.ts';
import { deleteRendersBefore } from '../store/renders/renders.ts';
import { deleteExecutionsBefore, deleteOld } from '../store/retention.ts';
import { removeSuperseded } from '../store/workflows/versions.ts';
import type { RunDeps } from './deps.ts';

const DAY_MS = 86_400_000;
const BATCH = 500;

/** Stops between two batches where the signal is aborted; the next day goes on. */
export async function sweepRuns(deps: RunDeps, signal: AbortSignal): Promise<void> {
  const { KEEP_EXECUTIONS_DAYS, KEEP_DELIVERIES_DAYS } = deps.settings;
  const daysAgo = (days: number): Date => new Date(deps.now() - days * DAY_MS);
  const counts = {
    // Before the executions, whose keys are then gone already.
    idempotencyKeys: await inBatches(signal, () => deleteOld(deps.db, 'idempotency_keys', daysAgo(1), BATCH)),
    deliveries: await inBatches(signal, () =>
      deleteOld(deps.db, 'deliveries', daysAgo(KEEP_DELIVERIES_DAYS), BATCH),
    ),
    executions: await inBatches(signal, () => {
      const finishedBefore = daysAgo(KEEP_EXECUTIONS_DAYS);
      // Ids begin with their time, so the index of the primary key finds the old ones.
      const beforeId = newId('execution', finishedBefore.getTime());
      return deps.db.transaction(tx =>
        deleteExecutionsBefore(tx, { beforeId, finishedBefore, limit: BATCH }),
      );
    }),
    nodeResults: await inBatches(signal, () =>
      deleteOld(deps.db, 'node_cache', daysAgo(KEEP_EXECUTIONS_DAYS), BATCH),
    ),
    renders: await inBatches(signal, () =>
      deleteRendersBefore(deps.db, daysAgo(KEEP_EXECUTIONS_DAYS), BATCH),
    ),
    // Their files were orphans from the first, and are gone by now.
    renderParts: await inBatches(signal, () => deleteOld(deps.db, 'render_parts', daysAgo(2), BATCH)),
    autosaves: await inBatches(signal, () => removeSuperseded(deps.db, null, BATCH)),
    sessions: await inBatches(signal, () => deleteOld(deps.db, 'sessions', daysAgo(1), BATCH)),
    passwordLinks: await inBatches(signal, () => deleteOld(deps.db, 'password_links', daysAgo(1), BATCH)),
    // An expired one can be sent again for as long.
    invitations: await inBatches(signal, () => deleteOld(deps.db, 'team_invitations', daysAgo(30), BATCH)),
    rateWindows: await inBatches(signal, () => deleteOld(deps.db, 'rate_windows', daysAgo(2), BATCH)),
  };
  deps.log.info({ counts }, 'old runs were swept');
}

async function inBatches(signal: AbortSignal, sweep: () => Promise<number>): Promise<number> {
  let total = 0;
  for (let count = BATCH; count === BATCH; total += count) {
    signal.throwIfAborted();
    count = await sweep();
  }
  return total;
}
