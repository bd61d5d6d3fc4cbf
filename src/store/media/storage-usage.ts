// Reads how many bytes each account has stored. Database triggers count the bytes of its files, open uploads, batches,
// tables and versions of graphs.
import type { Tx } from '../db.ts';
import { all, first } from '../rows.ts';

export interface StorageUsageRow {
  readonly user_id: number;
  readonly plan: string;
  readonly bytes: number;
}

export function findStorageUsage(tx: Tx, userId: number): Promise<StorageUsageRow | undefined> {
  return first(
    tx,
    `select u.id as user_id, u.plan, coalesce(s.bytes, 0)::bigint as bytes
     from users u left join storage_usage s on s.user_id = u.id where u.id = $1`,
    [userId],
  );
}

/**
 * Locks the storage usage of the accounts, ordered by id, until the transaction ends, so that concurrent transactions
 * cannot exceed a limit together.
 */
export function lockStorageUsage(tx: Tx, userIds: readonly number[]): Promise<readonly StorageUsageRow[]> {
  return all(
    tx,
    `with locked as (
       insert into storage_usage (user_id, bytes)
       select distinct id, 0 from unnest($1::int[]) as requested (id) order by id
       on conflict (user_id) do update set bytes = storage_usage.bytes
       returning user_id, bytes
     )
     select l.user_id, u.plan, l.bytes from locked l join users u on u.id = l.user_id`,
    [userIds],
  );
}
