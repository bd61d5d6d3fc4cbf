// The daily cleanup: ended executions, deliveries, idempotency keys, kept results, ended sessions, counters.
import { setTimeout as sleep } from 'node:timers/promises';
import { firstIdOf } from '../lib/ids.ts';
import { isOutage } from '../store/db.ts';
import { KNOWN_DAYS } from '../store/people/sign-in-networks.ts';
import { deleteRendersBefore } from '../store/renders/renders.ts';
import { deleteExecutionsBefore, deleteOld } from '../store/retention/old-rows.ts';
import { listLongHistories, removeOldVersions } from '../store/retention/old-versions.ts';
import {
  dropStepPartitions,
  endOfFirstPartition,
  makeStepPartitions,
  spanOf,
} from '../store/retention/step-partitions.ts';
import { removeSuperseded } from '../store/workflows/versions.ts';
import type { RunDeps } from './deps.ts';

const DAY_MS = 86_400_000;
// Seven statements a batch of runs: 2,000 of them take 35 ms, where four times 500 take 56.
const BATCH = 2000;
/** Of the time that a batch took. */
const REST = 1;

/** Stops between two batches where the signal is aborted; the next day goes on. */
export async function sweepRuns(deps: RunDeps, signal: AbortSignal): Promise<void> {
  const { KEEP_EXECUTIONS_DAYS, KEEP_DELIVERIES_DAYS } = deps.settings;
  const daysAgo = (days: number): Date => new Date(deps.now() - days * DAY_MS);
  const sweepOld = (table: Parameters<typeof deleteOld>[1], days: number): Promise<number> =>
    inBatches(signal, () => deleteOld(deps.db, table, daysAgo(days), BATCH));
  const counts = {
    // Before the executions, whose keys are then gone already.
    idempotencyKeys: await sweepOld('idempotency_keys', 1),
    deliveries: await sweepOld('deliveries', KEEP_DELIVERIES_DAYS),
    ...(await sweepExecutions(deps, daysAgo(KEEP_EXECUTIONS_DAYS), signal)),
    nodeResults: await sweepOld('node_cache', KEEP_EXECUTIONS_DAYS),
    renders: await inBatches(signal, () =>
      deleteRendersBefore(deps.db, daysAgo(KEEP_EXECUTIONS_DAYS), BATCH),
    ),
    // Their files were orphans from the first, and are gone by now.
    renderParts: await sweepOld('render_parts', 2),
    versions: await sweepVersions(deps, signal),
    autosaves: await inBatches(signal, () => removeSuperseded(deps.db, null, BATCH)),
    sessions: await sweepOld('sessions', 1),
    signInNetworks: await sweepOld('sign_in_networks', KNOWN_DAYS),
    passwordLinks: await sweepOld('password_links', 1),
    // An expired one can be sent again for as long.
    invitations: await sweepOld('team_invitations', 30),
    rateWindows: await sweepOld('rate_windows', 2),
  };
  deps.log.info({ counts }, 'old runs were swept');
}

/** Ended executions row by row, to the day; then the partitions of their node states. */
async function sweepExecutions(deps: RunDeps, finishedBefore: Date, signal: AbortSignal) {
  const { db, log, settings } = deps;
  const beforeId = firstIdOf('execution', finishedBefore.getTime());
  const stepsBefore = await endOfFirstPartition(db);
  let afterId = '';
  const executions = await inBatches(signal, async () => {
    const batch = { afterId, beforeId, finishedBefore, stepsBefore, limit: BATCH };
    const ids = await db.transaction(tx => deleteExecutionsBefore(tx, batch));
    afterId = ids.at(-1) ?? afterId;
    return ids.length;
  });
  // A backup that runs holds the lock that these take; the next night there is another chance.
  const later = (err: unknown) => {
    if (!isOutage(err)) throw err;
    log.warn({ err }, 'partitions of node states are left for the next night');
    return undefined;
  };
  const steps = await dropStepPartitions(db, beforeId).catch(later);
  await makeStepPartitions(db, deps.now(), spanOf(settings.KEEP_EXECUTIONS_DAYS)).catch(later);
  return { executions, stepPartitions: steps?.length ?? 0 };
}

/** After the runs, whose versions are kept. */
async function sweepVersions({ db, settings }: RunDeps, signal: AbortSignal): Promise<number> {
  const { KEEP_VERSIONS } = settings;
  if (KEEP_VERSIONS === undefined) return 0;
  let removed = 0;
  let afterId = '';
  await inBatches(signal, async () => {
    const ids = await listLongHistories(db, { afterId, most: KEEP_VERSIONS, limit: BATCH });
    for (const id of ids) {
      signal.throwIfAborted();
      removed += await removeOldVersions(db, id, KEEP_VERSIONS);
    }
    afterId = ids.at(-1) ?? afterId;
    return ids.length;
  });
  return removed;
}

/** Rests between two batches as long as one took, so that what else is asked of the database has its turn. */
async function inBatches(signal: AbortSignal, sweep: () => Promise<number>): Promise<number> {
  let total = 0;
  for (let count = BATCH; count === BATCH; total += count) {
    signal.throwIfAborted();
    const began = performance.now();
    count = await sweep();
    if (count === BATCH) await sleep((performance.now() - began) * REST, undefined, { signal });
  }
  return total;
}
