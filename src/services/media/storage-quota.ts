// Enforces the storage quota of an account's plan. All new files are recorded through this module.
import { createBatcher } from '../../lib/batcher.ts';
import { AppError } from '../../lib/errors.ts';
import type { Settings } from '../../lib/settings.ts';
import type { Db, Tx } from '../../store/db.ts';
import { isOutage } from '../../store/db.ts';
import { insertMedia, type NewMedia } from '../../store/media/media.ts';
import { findStorageUsage, lockStorageUsage, type StorageUsageRow } from '../../store/media/storage-usage.ts';
import { insertNotice } from '../../store/notices.ts';
import { getPersonalWorkspaceId } from '../accounts/access.ts';
import { getPlanLimits } from '../accounts/execution-limits.ts';
import type { Deps } from '../deps.ts';

type PlanSettings = Pick<Settings, 'plans'>;

export interface StorageUsage {
  readonly usedBytes: number;
  /** null: no limit. */
  readonly limitBytes: number | null;
}

export async function readStorageUsage(
  { db, settings }: Pick<Deps, 'db' | 'settings'>,
  userId: number,
): Promise<StorageUsage> {
  const row = await findStorageUsage(db, userId);
  return row === undefined ? { usedBytes: 0, limitBytes: 0 } : toUsage(settings, row);
}

/** Throws `storage_quota_exceeded` if that many bytes do not fit. Called before a file is received or copied. */
export async function requireFreeStorage(
  deps: Pick<Deps, 'db' | 'settings'>,
  userId: number,
  bytes = 1,
): Promise<void> {
  requireCapacity(await readStorageUsage(deps, userId), bytes);
}

/**
 * Throws `storage_quota_exceeded` if the account cannot store that many bytes more. Nothing else is added to the
 * account until the transaction ends.
 */
export async function claimStorage(
  tx: Tx,
  settings: PlanSettings,
  { userId, bytes }: { readonly userId: number; readonly bytes: number },
): Promise<void> {
  const [row] = await lockStorageUsage(tx, [userId]);
  if (row === undefined) return;
  const usage = toUsage(settings, row);
  requireCapacity(usage, bytes);
  await notifyHighStorage(tx, userId, { ...usage, addedBytes: bytes });
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
 * Creates a function that inserts the rows of concurrent files in one transaction. Otherwise, files of one account
 * would wait for each other's commits, each on its own connection.
 */
export function createMediaBatcher(db: Db, settings: PlanSettings): Deps['insertMediaBatched'] {
  const recordBatched = createBatcher((rows: readonly NewMedia[]) => insertBatch(db, settings, rows), {
    maxItems: 100,
    concurrency: 2,
    isItemFault: err => !isOutage(err),
  });
  return async row => {
    const rejection = await recordBatched(row);
    if (rejection !== undefined) throw rejection;
  };
}

/** Inserts, in order, the rows of files that fit. Returns an error for each of the others. */
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
    const outcomes = rows.map(({ user_id, bytes }) => {
      const usage = usages.get(user_id);
      if (usage === undefined) return undefined;
      if (!fits(usage, bytes)) return createQuotaError(usage, bytes);
      usages.set(user_id, { ...usage, usedBytes: usage.usedBytes + bytes });
      return undefined;
    });
    await insertMedia(
      tx,
      rows.filter((_, index) => outcomes[index] === undefined),
    );
    for (const [userId, usage] of usagesBefore) {
      const addedBytes = (usages.get(userId) ?? usage).usedBytes - usage.usedBytes;
      await notifyHighStorage(tx, userId, { ...usage, addedBytes });
    }
    return outcomes;
  });
}

/** The share of the quota at which the account is notified. */
const HIGH_SHARE = 0.8;

/** Notifies the user if the added bytes bring the usage to that share of the quota. */
async function notifyHighStorage(
  tx: Tx,
  userId: number,
  { usedBytes, limitBytes, addedBytes }: StorageUsage & { readonly addedBytes: number },
): Promise<void> {
  if (limitBytes === null) return;
  const highBytes = limitBytes * HIGH_SHARE;
  if (usedBytes >= highBytes || usedBytes + addedBytes < highBytes) return;
  const workspace = getPersonalWorkspaceId(userId);
  await insertNotice(tx, {
    kind: 'storage_high',
    cause: workspace,
    workspace,
    userId: null,
    title: 'Your storage is almost full',
    text: `${formatBytes(usedBytes + addedBytes)} of ${formatBytes(limitBytes)} are in use. New files are refused once it is full. Delete files that you no longer need, or ask your administrator for a larger plan.`,
    link: '/media',
  });
}

function toUsage(settings: PlanSettings, { plan, bytes }: StorageUsageRow): StorageUsage {
  return { usedBytes: bytes, limitBytes: getPlanLimits(settings, plan).storageBytes };
}

function requireCapacity(usage: StorageUsage, bytes: number): void {
  if (!fits(usage, bytes)) throw createQuotaError(usage, bytes);
}

function fits({ usedBytes, limitBytes }: StorageUsage, bytes: number): boolean {
  return limitBytes === null || usedBytes + bytes <= limitBytes;
}

function createQuotaError({ usedBytes, limitBytes }: StorageUsage, bytes: number): AppError {
  return new AppError(
    'storage_quota_exceeded',
    `Your storage is full: ${formatBytes(usedBytes)} of ${formatBytes(limitBytes ?? 0)} are in use, and this needs ${formatBytes(bytes)} more. Delete uploads, run results or previews that you no longer need (Media in the editor, DELETE /api/v1/media/{id}), or ask your administrator for a larger plan.`,
    { details: { usedBytes, limitBytes, requiredBytes: bytes } },
  );
}

const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

function formatBytes(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  const amount = bytes / 1024 ** power;
  return `${power === 0 ? amount : amount.toFixed(1)} ${UNITS[power]}`;
}
