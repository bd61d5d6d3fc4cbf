// Stores media records of templates' sample results. All copies of a template share one file.
import type { Tx } from '../db.ts';
import { all, matches } from '../rows.ts';
import { MEDIA_COLUMNS, type MediaRow, type NewMedia, TEMPLATES_WORKSPACE } from './media.ts';

/** The user id of files that belong to no account. */
export const NO_USER = 0;

/** Locks the files until the transaction ends, so that no sweep deletes them before a run refers to them. */
export function lockSampleMedia(tx: Tx, hashes: readonly string[]): Promise<readonly MediaRow[]> {
  return all(
    tx,
    `select ${MEDIA_COLUMNS} from media where workspace = '${TEMPLATES_WORKSPACE}' and sha256 = any ($1::text[]) for key share`,
    [hashes],
  );
}

/** Records a stored file. Returns false if another process recorded the same bytes first. */
export function insertSampleMedia(tx: Tx, row: NewMedia): Promise<boolean> {
  return matches(
    tx,
    `with recorded as (
       insert into media (id, user_id, workspace, name, content_type, bytes, sha256, width, height, duration, origin)
       values ($1, ${NO_USER}, '${TEMPLATES_WORKSPACE}', $2, $3, $4, $5, $6, $7, $8, 'output')
       on conflict do nothing returning id
     ), no_orphans as (delete from media_strays where id in (select id from recorded))
     select from recorded`,
    [row.id, row.name, row.content_type, row.bytes, row.sha256, row.width, row.height, row.duration],
  );
}
