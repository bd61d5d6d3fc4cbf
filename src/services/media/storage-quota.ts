// Enforces the storage quota of an account's plan: a presigned upload claims its bytes when it is created, and any other
// file, a batch or a table when its row is inserted. A graph is checked before it is stored. The files of templates belong
// to no account and have no quota.
import { createBatcher } from '../../lib/batcher.ts';
import { AppError } from '../../lib/errors.ts';
import type { Settings } from '../../lib/settings.ts';
import type { Db, Tx } from '../../store/db.ts';
import { isOutage } from '../../store/db.ts';
import { insertMedia, type NewMedia } from '../../store/media/media.ts';
import { findStorageUsage, lockStorageUsage, type StorageUsageRow } from '../../store/media/storage-usage.ts';
import { insertNotice } from '../../store/notices.ts';
import { getPersonalWorkspaceId } from '../accounts/access.ts';
import type { UserActor } from '../accounts/actor.ts';
import { getPlanLimits } from '../accounts/execution-limits.ts';
import type { Deps } from '../deps.ts';

type PlanSettings = Pick<Settings, 'plans'>;

export interface StorageUsage {
  readonly usedBytes: number;
  /** Null if the plan has no limit. */
  readonly limitBytes: number | null;
}

/** Returns the storage that the account uses. Throws 404 if the account does not exist. */
export async function readStorageUsage(
  { db, settings }: Pick<Deps, 'db' | 'settings'>,
  userId: number,
): Promise<StorageUsage> {
  return toUsage(settings, await findStorageUsage(db, userId));
}

/**
 * Throws `storage_quota_exceeded` if that many bytes do not fit, or, without a size, if the storage is full. Called
 * before a file is received or copied.
 */
export async function requireFreeStorage(
  deps: Pick<Deps, 'db' | 'settings'>,
  userId: number,
  bytes?: number,
): Promise<void> {
  const usage = await readStorageUsage(deps, userId);
  if (!fits(usage, bytes ?? 1)) throw createQuotaError(usage, bytes);
}

/**
 * Claims storage for a file, batch or table that the transaction adds. Locks the account's storage until the transaction ends. Notifies
 * the user if the storage is almost full. Throws `storage_quota_exceeded`, and 404 if the account does not exist.
 */
export async function claimStorage(
  tx: Tx,
  settings: PlanSettings,
  { userId, bytes }: { readonly userId: number; readonly bytes: number },
): Promise<void> {
  const [row] = await lockStorageUsage(tx, [userId]);
  const usage = toUsage(settings, row);
  if (!fits(usage, bytes)) throw createQuotaError(usage, bytes);
  await notifyHighStorage(tx, userId, { ...usage, addedBytes: bytes });
}

/** How far graphs may exceed the quota, so that nobody loses an edit because the storage has become full. */
const GRAPH_RESERVE_BYTES = 64 * 1_048_576;

/**
 * Throws `storage_quota_exceeded` if a graph does not fit. Locks the account's storage only to notify the user, so graphs
 * that are stored at the same moment may exceed the quota together. The transaction that stores the graph counts it when
 * it commits. Must be called after the transaction locks versions.
 */
export async function requireStorageForGraph(
  tx: Tx,
  settings: PlanSettings,
  { userId, accountPlan }: UserActor,
  graph: string,
): Promise<void> {
  if (getPlanLimits(settings, accountPlan).storageBytes === null) return;
  const bytes = Buffer.byteLength(graph);
  const usage = toUsage(settings, await findStorageUsage(tx, userId));
  if (!fits(usage, bytes - GRAPH_RESERVE_BYTES)) throw createQuotaError(usage, bytes);
  if (!becomesHigh({ ...usage, addedBytes: bytes })) return;
  // A transaction that holds the account and notifies the same user would wait for this one.
  const [row] = await lockStorageUsage(tx, [userId]);
  await notifyHighStorage(tx, userId, { ...toUsage(settings, row), addedBytes: bytes });
}

/** Inserts the rows of files of one account in the transaction. Throws `storage_quota_exceeded`. */
export async function insertMediaWithinQuota(
  tx: Tx,
  settings: PlanSettings,
  media: readonly NewMedia[],
): Promise<void> {
  const [first] = media;
  if (first === undefined) return;
  const bytes = media.reduce((sum, row) => sum + row.bytes, 0);
  await claimStorage(tx, settings, { userId: first.user_id, bytes });
  await insertMedia(tx, media);
}

/**
 * Creates a function that inserts the rows of concurrent files in one transaction. With a transaction per file, the
 * files of one account would wait for each other's commits, each on its own connection.
 */
export function createMediaBatcher(db: Db, settings: PlanSettings): Deps['insertMediaInGroup'] {
  const insertBatched = createBatcher((rows: readonly NewMedia[]) => insertBatch(db, settings, rows), {
    maxItems: 100,
    concurrency: 2,
    isItemFault: err => !isOutage(err),
  });
  return async row => {
    const error = await insertBatched(row);
    if (error !== undefined) throw error;
  };
}

/** Inserts the rows of files that fit, in order. Returns, for each row, the error or undefined. */
function insertBatch(
  db: Db,
  settings: PlanSettings,
  rows: readonly NewMedia[],
): Promise<readonly (AppError | undefined)[]> {
  return db.transaction(async tx => {
    const userIds = rows.map(row => row.user_id);
    const locked = await lockStorageUsage(tx, userIds);
    const usages = new Map(locked.map(row => [row.user_id, toUsage(settings, row)]));
    const usagesBefore = new Map(usages);
    const errors = rows.map(({ user_id, bytes }) => {
      const usage = usages.get(user_id);
      if (usage === undefined) return createAccountError();
      if (!fits(usage, bytes)) return createQuotaError(usage, bytes);
      usages.set(user_id, { ...usage, usedBytes: usage.usedBytes + bytes });
      return undefined;
    });
    await insertMedia(
      tx,
      rows.filter((_, index) => errors[index] === undefined),
    );
    for (const [userId, usage] of usagesBefore) {
      const addedBytes = (usages.get(userId) ?? usage).usedBytes - usage.usedBytes;
      await notifyHighStorage(tx, userId, { ...usage, addedBytes });
    }
    return errors;
  });
}

/** The share of the quota at which the user is notified. */
const HIGH_SHARE = 0.8;

interface GrowingUsage extends StorageUsage {
  readonly addedBytes: number;
}

/** Returns whether the added bytes bring the usage to that share of the quota. */
function becomesHigh({ usedBytes, limitBytes, addedBytes }: GrowingUsage): boolean {
  if (limitBytes === null) return false;
  const highBytes = limitBytes * HIGH_SHARE;
  return usedBytes < highBytes && usedBytes + addedBytes >= highBytes;
}

/** Notifies the user if the storage becomes almost full. Requires the lock of the account's storage. */
async function notifyHighStorage(tx: Tx, userId: number, usage: GrowingUsage): Promise<void> {
  if (!becomesHigh(usage)) return;
  const { usedBytes, limitBytes, addedBytes } = usage;
  const workspace = getPersonalWorkspaceId(userId);
  await insertNotice(tx, {
    kind: 'storage_high',
    cause: workspace,
    workspace,
    userId: null,
    title: 'Your storage is almost full',
    text: `${formatBinarySize(usedBytes + addedBytes)} of ${formatBinarySize(limitBytes ?? 0)} are in use. New files, batches and tables are refused once it is full, and workflows soon after. Delete files, batches and workflows that you no longer need, or ask your administrator for a larger plan.`,
    link: '/media',
  });
}

function toUsage(settings: PlanSettings, row: StorageUsageRow | undefined): StorageUsage {
  if (row === undefined) throw createAccountError();
  return { usedBytes: row.bytes, limitBytes: getPlanLimits(settings, row.plan).storageBytes };
}

const createAccountError = (): AppError => new AppError('not_found', 'Account not found.');

function fits({ usedBytes, limitBytes }: StorageUsage, bytes: number): boolean {
  return limitBytes === null || usedBytes + bytes <= limitBytes;
}

/** Creates the error for something that does not fit. `bytes` is undefined if its size is unknown. */
function createQuotaError({ usedBytes, limitBytes }: StorageUsage, bytes: number | undefined): AppError {
  const need = bytes === undefined ? '' : `, and this needs ${formatBinarySize(bytes)} more`;
  return new AppError(
    'storage_quota_exceeded',
    `Your storage is full: ${formatBinarySize(usedBytes)} of ${formatBinarySize(limitBytes ?? 0)} are in use${need}. Delete uploads, run results or previews that you no longer need (Media in the editor, DELETE /api/v1/media/{id}), ended batches (DELETE /api/v1/batches/{id}) or workflows, whose earlier versions count until a day after the deletion, wait until uploaded tables expire after a day, or ask your administrator for a larger plan.`,
    { details: { usedBytes, limitBytes, requiredBytes: bytes ?? 1 } },
  );
}

const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

/** Formats a size in powers of 1024, like the limits of the plans. */
function formatBinarySize(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  const amount = bytes / 1024 ** power;
  return `${power === 0 ? amount : amount.toFixed(1)} ${UNITS[power]}`;
}
