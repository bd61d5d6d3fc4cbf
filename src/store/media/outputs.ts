// Deletes the rows of old, unused outputs: results of runs, files that runs fetched, and previews.
import type { Tx } from '../db.ts';

/** Columns of text that may contain a media id, for example in a URL. */
const TEXTS_WITH_MEDIA_IDS = `
  select p.content::text || coalesce(p.hero_image, '') || p.rendered::text as words from content_pages p
  union all select coalesce(w.description, '') || coalesce(w.publish_settings::text, '') from workflows w`;

/**
 * The condition that a run, a video, a collection, a favorite, a version of a graph, a workflow's media or poster, a page, or a published text
 * uses `m`. The newest image of a workflow counts as used, because it is the poster if no poster is pinned. A workflow
 * without an image has the poster of its template, `sample_poster`.
 *
 * The newest image is read with `>=` and `limit 1`, so that the plan is always one step in the index of images. The
 * comparison is `is not distinct from`, because `=` would make the condition null for a workflow without an image.
 */
export const MEDIA_IS_USED = `(
  exists (select from executions e where e.id = m.execution_id)
  or exists (select from media_reuses r where r.media_id = m.id)
  or exists (select from media v where v.poster_id = m.id)
  or exists (select from media_collection_items i where i.media_id = m.id)
  or exists (select from media_favorites f where f.media_id = m.id)
  or exists (select from workflow_media w where w.media_id = m.id)
  or exists (select from workflows w where w.media_id = m.id)
  or exists (select from workflows w where w.sample_poster = m.id and w.deleted_at is null)
  or exists (select from workflows w where w.id = m.workflow_id and starts_with(w.poster, m.id))
  or m.id is not distinct from (select n.id from (select i.workflow_id, i.id from media i where i.workflow_id >= m.workflow_id
    and i.origin = 'output' and i.content_type like 'image/%' and not i.from_app order by i.workflow_id, i.id desc limit 1) n
    where n.workflow_id = m.workflow_id)
  or m.id in (select mentioned.ids[1] from (${TEXTS_WITH_MEDIA_IDS}) as texts,
    regexp_matches(texts.words, 'med_[0-9a-hjkmnp-tv-z]{26}', 'g') as mentioned (ids)
    where strpos(texts.words, 'med_') > 0))`;

export interface OutputBatch {
  /** Only media with ids between `afterId` and `beforeId` are checked. Ids sort by creation time. */
  readonly afterId: string;
  readonly beforeId: string;
  readonly limit: number;
  /** Ids that are in use although no row refers to them. */
  readonly protectedIds: readonly string[];
}

export interface CheckedOutputs {
  /** Ids of the deleted rows, whose files are recorded as orphans. The caller deletes the files. */
  readonly deletedIds: readonly string[];
  /** The last id that was checked; undefined if no unlocked row was left. */
  readonly lastId: string | undefined;
}

/** Checks the next outputs by id and deletes the rows of unused outputs. Requires a transaction. */
export async function deleteUnusedOutputs(
  tx: Tx,
  { afterId, beforeId, limit, protectedIds }: OutputBatch,
): Promise<CheckedOutputs> {
  // Locks the rows before checking them, so that a run that starts to use an output waits for this transaction.
  const { rows: lockedRows } = await tx.query<{ id: string }>(
    `select id from media where origin <> 'upload' and id > $1 and id < $2 order by id limit $3 for update skip locked`,
    [afterId, beforeId, limit],
  );
  const ids = lockedRows.map(({ id }) => id);
  if (ids.length === 0) return { deletedIds: [], lastId: undefined };
  const { rows } = await tx.query<{ id: string }>(
    `with deleted as (
       delete from media m where m.id = any ($1::text[]) and m.id <> all ($2::text[]) and not ${MEDIA_IS_USED}
       returning m.id
     ), recorded as (
       insert into media_strays (id) select id from deleted on conflict (id) do nothing
     )
     select id from deleted`,
    [ids, protectedIds],
  );
  return { deletedIds: rows.map(({ id }) => id), lastId: ids.at(-1) };
}
