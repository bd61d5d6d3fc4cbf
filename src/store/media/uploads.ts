// Stores presigned uploads. They count toward the hourly limit of an account and stay open for a day.
import type { Tx } from '../db.ts';
import { isStillMemberSql } from '../permissions.ts';
import { all, first, firstNumber, firstValue, insertRow, lockName, valueSet } from '../rows.ts';
import type { MediaRow } from './media.ts';
import type { OldFiles } from './orphans.ts';

type SharedColumn = 'id' | 'user_id' | 'workspace' | 'name' | 'content_type' | 'bytes' | 'created_at';

export interface UploadRow extends Pick<MediaRow, SharedColumn> {
  readonly moved_at: Date | null;
}

const COLUMNS = 'id, user_id, workspace, name, content_type, bytes, created_at, moved_at';

/** Locks the user's uploads for this transaction. Returns false if another transaction held the lock for `waitMs`. */
export async function lockUploadCreation(tx: Tx, userId: number, waitMs: number): Promise<boolean> {
  await limitLockWait(tx, waitMs);
  return isLockAcquired(lockName(tx, `media_uploads:${userId}`));
}

/** Returns the total bytes of the uploads that were created after `since`. */
export function sumUploadedBytes(tx: Tx, userId: number, since: Date): Promise<number> {
  return firstNumber(
    tx,
    'select coalesce(sum(bytes), 0)::bigint as bytes from media_uploads where user_id = $1 and created_at > $2',
    [userId, since],
  );
}

/**
 * Returns the creation time of the first upload after `since` for which at least `freedBytes` are free again once this
 * upload and all earlier ones no longer count.
 */
export function findBudgetFreedAt(
  tx: Tx,
  userId: number,
  since: Date,
  freedBytes: number,
): Promise<Date | undefined> {
  return firstValue(
    tx,
    `select created_at from (
       select created_at, sum(bytes) over (order by created_at, id) as freed
       from media_uploads where user_id = $1 and created_at > $2
     ) as uploads where freed >= $3 order by created_at limit 1`,
    [userId, since, freedBytes],
  );
}

export function insertUpload(tx: Tx, upload: Omit<UploadRow, 'moved_at'>): Promise<void> {
  return insertRow(tx, 'media_uploads', upload);
}

/** Returns the type and size of an upload that was not completed yet. */
export function findUploadedFile(
  tx: Tx,
  id: string,
): Promise<{ readonly contentType: string; readonly bytes: number } | undefined> {
  return first(tx, 'select content_type as "contentType", bytes from media_uploads where id = $1', [id]);
}

/** Returns the media ids whose upload was started and neither completed nor discarded. */
export function listOpenUploads(tx: Tx, ids: readonly string[]): Promise<ReadonlySet<string>> {
  return valueSet(
    tx,
    `select id from media_uploads u where id = any ($1) and discarded_at is null
       and not exists (select from media m where m.id = u.id)`,
    [ids],
  );
}

/**
 * Locks the user's open upload until the transaction ends and returns it, if it was created after `since` in a
 * workspace that the user has not left. Returns `busy` if another transaction holds the lock.
 */
export async function lockUpload(
  tx: Tx,
  upload: { readonly id: string; readonly userId: number; readonly since: Date; readonly waitMs: number },
): Promise<UploadRow | 'busy' | undefined> {
  await limitLockWait(tx, upload.waitMs);
  let row: UploadRow | undefined;
  const isLocked = await isLockAcquired(
    tx
      .query<UploadRow>(
        `select ${COLUMNS} from media_uploads
         where id = $1 and user_id = $2 and created_at > $3 and discarded_at is null
           and ${isStillMemberSql('media_uploads.workspace', '$2')} for update`,
        [upload.id, upload.userId, upload.since],
      )
      .then(({ rows }) => {
        row = rows[0];
      }),
  );
  return isLocked ? row : 'busy';
}

export async function markMoved(tx: Tx, id: string, at: Date): Promise<void> {
  await tx.query('update media_uploads set moved_at = $2 where id = $1', [id, at]);
}

export async function markDiscarded(tx: Tx, id: string, at: Date): Promise<void> {
  await tx.query('update media_uploads set discarded_at = $2 where id = $1', [id, at]);
}

/** Lists uploads by id, and whether they became media. */
export function listUploadsBefore(
  tx: Tx,
  { before, after, limit }: OldFiles,
): Promise<readonly { readonly id: string; readonly is_media: boolean }[]> {
  return all(
    tx,
    `select id, exists (select from media m where m.id = u.id) as is_media
     from media_uploads u where created_at < $1 and id > $2 order by id limit $3`,
    [before, after, limit],
  );
}

export async function deleteUpload(tx: Tx, id: string): Promise<void> {
  await tx.query('delete from media_uploads where id = $1', [id]);
}

async function limitLockWait(tx: Tx, waitMs: number): Promise<void> {
  await tx.query(`select set_config('lock_timeout', $1, true)`, [String(waitMs)]);
}

/** Returns false if the statement failed with 55P03 lock_not_available. Then the transaction cannot be used any more. */
async function isLockAcquired(statement: Promise<unknown>): Promise<boolean> {
  try {
    await statement;
    return true;
  } catch (err) {
    if ((err as { readonly code?: unknown }).code === '55P03') return false;
    throw err;
  }
}
