// Runs the daily cleanup of executions, deliveries, idempotency keys, cached results, sessions and counters.
import { setTimeout as sleep } from 'node:timers/promises';
import { getFirstIdAt } from '../lib/ids.ts';
import type { Logger } from '../lib/log.ts';
import { createAuditPartitions, dropAuditPartitions } from '../store/audit/partitions.ts';
import { isOutage } from '../store/db.ts';
import { KNOWN_DAYS } from '../store/people/sessions.ts';
import { deleteRendersBefore } from '../store/renders.ts';
import { deleteExecutionsBefore, deleteExpired, type ExpiringTable } from '../store/retention/old-rows.ts';
import {
  deleteOldVersions,
  deleteVersionsOfDeleted,
  listDeletedWorkflows,
  listLongHistories,
} from '../store/retention/old-versions.ts';
import {
  choosePartitionDays,
  createStepPartitions,
  dropStepPartitions,
  getFirstPartitionEnd,
} from '../store/retention/step-partitions.ts';
import { deleteSuperseded } from '../store/workflows/versions.ts';
import type { RunDeps } from './deps.ts';

const DAY_MS = 86_400_000;
// A batch takes seven statements: 2,000 runs take 35 ms, but four times 500 take 56 ms.
const BATCH_SIZE = 2000;
/** The pause after a batch, as a share of its duration. */
const PAUSE_SHARE = 1;

/** Sweeps all tables. If the signal is aborted, stops between two batches; the sweep of the next day continues. */
export async function sweepRuns(deps: RunDeps, signal: AbortSignal): Promise<void> {
  const { KEEP_EXECUTIONS_DAYS, KEEP_DELIVERIES_DAYS } = deps.settings;
  const daysAgo = (days: number): Date => new Date(deps.now() - days * DAY_MS);
  const sweepOld = (table: ExpiringTable, days: number): Promise<number> =>
    sweepInBatches(signal, () => deleteExpired(deps.db, table, daysAgo(days), BATCH_SIZE));
  const counts = {
    // The keys are deleted before the executions, so that no key refers to a deleted execution.
    idempotencyKeys: await sweepOld('idempotency_keys', 1),
    deliveries: await sweepOld('deliveries', KEEP_DELIVERIES_DAYS),
    ...(await sweepExecutions(deps, daysAgo(KEEP_EXECUTIONS_DAYS), signal)),
    nodeResults: await sweepOld('node_cache', KEEP_EXECUTIONS_DAYS),
    renders: await sweepInBatches(signal, () =>
      deleteRendersBefore(deps.db, daysAgo(KEEP_EXECUTIONS_DAYS), BATCH_SIZE),
    ),
    batchRows: await sweepOld('batch_rows', KEEP_EXECUTIONS_DAYS),
    batches: await sweepOld('batches', KEEP_EXECUTIONS_DAYS),
    firings: await sweepOld('firings', KEEP_EXECUTIONS_DAYS),
    // App runs are kept for 30 days after they expire, because the statistics of an app count them.
    appRuns: await sweepOld('app_runs', 30),
    appProofs: await sweepOld('app_proofs', 1),
    tables: await sweepOld('tables', 1),
    // The files of these rows were temporary.
    renderParts: await sweepOld('render_parts', 2),
    versions: await sweepVersions(deps, signal),
    versionsOfDeleted: await sweepDeletedWorkflows(deps, signal),
    autosaves: await sweepInBatches(signal, () =>
      deps.db.transaction(tx => deleteSuperseded(tx, null, BATCH_SIZE)),
    ),
    sessions: await sweepOld('sessions', 1),
    signInNetworks: await sweepOld('sign_in_networks', KNOWN_DAYS),
    passwordLinks: await sweepOld('password_links', 1),
    factorChallenges: await sweepOld('factor_challenges', 1),
    // An expired invitation can be sent again for this long.
    invitations: await sweepOld('team_invitations', 30),
    triggerItems: await sweepOld('trigger_items', 1),
    notices: await sweepOld('notices', 90),
    mails: await sweepOld('mails', 30),
    knownBrowsers: await sweepOld('known_browsers', 400),
    rateWindows: await sweepOld('rate_windows', 2),
    auditPartitions: await sweepAudit(deps),
  };
  deps.log.info({ counts }, 'old runs were swept');
}

/** Deletes ended executions row by row, then the partitions of their steps. */
async function sweepExecutions(deps: RunDeps, finishedBefore: Date, signal: AbortSignal) {
  const { db, log, settings } = deps;
  const beforeId = getFirstIdAt('execution', finishedBefore.getTime());
  const stepsBefore = await getFirstPartitionEnd(db);
  let afterId = '';
  const executions = await sweepInBatches(signal, async () => {
    const batch = { afterId, beforeId, finishedBefore, stepsBefore, limit: BATCH_SIZE };
    const ids = await db.transaction(tx => deleteExecutionsBefore(tx, batch));
    afterId = ids.at(-1) ?? afterId;
    return ids.length;
  });
  const steps = await dropStepPartitions(db, beforeId).catch(logLock(log));
  await createStepPartitions(db, deps.now(), choosePartitionDays(settings.KEEP_EXECUTIONS_DAYS)).catch(
    logLock(log),
  );
  return { executions, stepPartitions: steps?.length ?? 0 };
}

/** A running backup holds the lock that changes of partitions need. The next sweep tries again. */
const logLock =
  (log: Logger) =>
  (err: unknown): undefined => {
    if (!isOutage(err)) throw err;
    log.warn({ err }, 'partitions are kept until the next night');
    return undefined;
  };

/** Drops old partitions of the audit log and creates the next ones. */
async function sweepAudit({ db, log, now, settings }: RunDeps): Promise<number> {
  const dropped = await dropAuditPartitions(db, now(), settings.KEEP_AUDIT_DAYS).catch(logLock(log));
  await createAuditPartitions(db, now()).catch(logLock(log));
  return dropped?.length ?? 0;
}

/** Must be called after `sweepExecutions`, because the versions of kept executions are kept. */
async function sweepVersions({ db, settings }: RunDeps, signal: AbortSignal): Promise<number> {
  const { KEEP_VERSIONS } = settings;
  if (KEEP_VERSIONS === undefined) return 0;
  return sweepWorkflows(
    signal,
    page => listLongHistories(db, { ...page, keepCount: KEEP_VERSIONS }),
    ({ id }) => db.transaction(tx => deleteOldVersions(tx, id, KEEP_VERSIONS)),
  );
}

/** How long an administrator can restore a deleted workflow at least. */
const KEEP_DELETED_MS = 30 * DAY_MS;

/**
 * Deletes the earlier versions of workflows that were deleted a day ago, when their owners can no longer undo the deletion,
 * and later all versions. Must be called after `sweepExecutions`.
 */
function sweepDeletedWorkflows({ db, now }: RunDeps, signal: AbortSignal): Promise<number> {
  const nowMs = now();
  return sweepWorkflows(
    signal,
    page => listDeletedWorkflows(db, { ...page, before: new Date(nowMs - DAY_MS) }),
    ({ id, deleted_at }) => {
      const which = deleted_at.getTime() < nowMs - KEEP_DELETED_MS ? 'all' : 'past';
      return db.transaction(tx => deleteVersionsOfDeleted(tx, id, which));
    },
  );
}

/** Calls `remove` for each workflow that `list` returns, page by page. Returns the sum of what it removed. */
async function sweepWorkflows<W extends { readonly id: string }>(
  signal: AbortSignal,
  list: (page: { readonly afterId: string; readonly limit: number }) => Promise<readonly W[]>,
  remove: (workflow: W) => Promise<number>,
): Promise<number> {
  let removedCount = 0;
  let afterId = '';
  await sweepInBatches(signal, async () => {
    const workflows = await list({ afterId, limit: BATCH_SIZE });
    for (const workflow of workflows) {
      signal.throwIfAborted();
      removedCount += await remove(workflow);
    }
    afterId = workflows.at(-1)?.id ?? afterId;
    return workflows.length;
  });
  return removedCount;
}

/** Pauses between two batches, so that other queries get their turn. */
async function sweepInBatches(signal: AbortSignal, sweep: () => Promise<number>): Promise<number> {
  let total = 0;
  for (let count = BATCH_SIZE; count === BATCH_SIZE; total += count) {
    signal.throwIfAborted();
    const startMs = performance.now();
    count = await sweep();
    if (count === BATCH_SIZE) await sleep((performance.now() - startMs) * PAUSE_SHARE, undefined, { signal });
  }
  return total;
}
