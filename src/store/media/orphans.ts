// Tracks orphans, which are files in media storage without a media row, in the table `media_strays`. A file is recorded
// before it is written, and stays recorded until it has a media row or is deleted.
import type { Tx } from '../db.ts';
import { all } from '../rows.ts';

/**
 * Records a file that is about to be written. Uses asynchronous commit to save an fsync per file. A crash of PostgreSQL
 * may lose the records of its last half second, and leave files that are never swept.
 */
export async function recordOrphan(tx: Tx, id: string): Promise<void> {
  await tx.query(
    `insert into media_strays (id) select $1 where set_config('synchronous_commit', 'off', true) = 'off'
     on conflict (id) do nothing`,
    [id],
  );
}

/** Deletes the record of an orphan, whose file was deleted. */
export async function forgetOrphan(tx: Tx, id: string): Promise<void> {
  await tx.query('delete from media_strays where id = $1', [id]);
}

/** A page of files that were created before a time, by id. */
export interface OldFiles {
  readonly before: Date;
  /** The last id of the previous page. */
  readonly after: string;
  readonly limit: number;
}

/** Lists orphans by id, except files that now have a media row. */
export function listOrphans(
  tx: Tx,
  { before, after, limit }: OldFiles,
): Promise<readonly { readonly id: string }[]> {
  return all(
    tx,
    `select id from media_strays s where created_at < $1 and not exists (select from media m where m.id = s.id)
     and id > $2 order by id limit $3`,
    [before, after, limit],
  );
}
