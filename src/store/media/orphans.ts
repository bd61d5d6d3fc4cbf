// Tracks files of media storage without a media row: recorded before they are written, removed once they are known or
// deleted.
import type { Tx } from '../db.ts';
import { all } from '../rows.ts';

/**
 * Uses asynchronous commit: a crash of PostgreSQL may lose the records of its last half second and leave a file that is
 * never swept. The alternative is one more fsync per file.
 */
export async function noteOrphan(tx: Tx, id: string): Promise<void> {
  await tx.query(
    `insert into media_strays (id) select $1 where set_config('synchronous_commit', 'off', true) = 'off'
     on conflict (id) do nothing`,
    [id],
  );
}

export async function forgetOrphan(tx: Tx, id: string): Promise<void> {
  await tx.query('delete from media_strays where id = $1', [id]);
}

/** Oldest first. Files that have become media are not orphans. */
export function listOrphans(
  tx: Tx,
  before: Date,
  limit: number,
): Promise<readonly { readonly id: string }[]> {
  return all(
    tx,
    `select id from media_strays s where created_at < $1 and not exists (select from media m where m.id = s.id)
     order by created_at limit $2`,
    [before, limit],
  );
}
