// Files of media storage that no row of media names: noted before they are written, forgotten once they are known or gone.
import type { Tx } from '../db.ts';
import { all } from '../rows.ts';

/**
 * Not waited for on disk: a crash of PostgreSQL may lose the notes of its last half second, and then leaves a file that
 * nobody sweeps, where an fsync more for every file would be the price of it.
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

/** Oldest first. A file that is known as media after all is no orphan. */
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
