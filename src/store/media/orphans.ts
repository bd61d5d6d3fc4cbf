// Tracks files in media storage that have no media row. A file is recorded before it is written, and the record is
// deleted once the file has a row or is deleted.
import type { Tx } from '../db.ts';
import { all } from '../rows.ts';

/**
 * Records a file that is about to be written. Uses asynchronous commit: a crash of PostgreSQL may lose the records of
 * its last half second and leave a file that is never swept. The alternative is one more fsync per file.
 */
export async function recordOrphan(tx: Tx, id: string): Promise<void> {
  await tx.query(
    `insert into media_strays (id) select $1 where set_config('synchronous_commit', 'off', true) = 'off'
     on conflict (id) do nothing`,
    [id],
  );
}

export async function forgetOrphan(tx: Tx, id: string): Promise<void> {
  await tx.query('delete from media_strays where id = $1', [id]);
}

/** A page of files that were created before a time, by id. */
export interface OldFiles {
  readonly before: Date;
  /** Lists larger ids. */
  readonly after: string;
  readonly limit: number;
}

/** Lists orphans by id. Files that have a media row by now are not included. */
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
