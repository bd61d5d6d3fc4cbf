// Files that nobody sent: what runs made and fetched, and previews. Old ones go unless something names them.
import type { Tx } from '../db.ts';

/** Texts of people in which an id of a media may stand, addresses of media included. */
const TEXTS = `
  select p.content::text || coalesce(p.hero_image, '') || p.rendered::text as words from content_pages p
  union all select coalesce(w.description, '') || coalesce(w.publish_settings::text, '') from workflows w`;

/**
 * Whether `m` is named by a run that is kept, a graph in any of its versions, a workflow's media or poster, a page, or a
 * published text. The newest picture of a workflow's runs is its poster where none is pinned.
 */
export const IS_NAMED = `
  exists (select from executions e where e.id = m.execution_id)
  or exists (select from media_reuses r where r.media_id = m.id)
  or exists (select from workflow_media w where w.media_id = m.id)
  or exists (select from workflows w where w.media_id = m.id)
  or exists (select from workflows w where w.id = m.workflow_id and starts_with(w.poster, m.id))
  or m.id is not distinct from (select n.id from (select i.workflow_id, i.id from media i where i.workflow_id >= m.workflow_id
    and i.origin = 'output' and i.content_type like 'image/%' order by i.workflow_id, i.id desc limit 1) n
    where n.workflow_id = m.workflow_id)
  or m.id in (select named.ids[1] from (${TEXTS}) as texts,
    regexp_matches(texts.words, 'med_[0-9a-hjkmnp-tv-z]{26}', 'g') as named (ids)
    where strpos(texts.words, 'med_') > 0)`;

export interface OutputBatch {
  /** Ids begin with their time. */
  readonly afterId: string;
  readonly beforeId: string;
  readonly limit: number;
  /** Named where PostgreSQL does not see it. */
  readonly keptIds: readonly string[];
}

export interface SweptOutputs {
  /** Their rows are gone, and their files are orphans. */
  readonly removed: readonly string[];
  /** The last one that was looked at; undefined: there is none left. */
  readonly lastId: string | undefined;
}

/** Forgets those of the next files, in the order of their ids, that nothing names. In a transaction. */
export async function deleteOutputs(
  tx: Tx,
  { afterId, beforeId, limit, keptIds }: OutputBatch,
): Promise<SweptOutputs> {
  // Locked first and judged by the next statement: a run that comes to name one meanwhile waits for this transaction.
  const { rows: locked } = await tx.query<{ id: string }>(
    `select id from media where origin <> 'upload' and id > $1 and id < $2 order by id limit $3 for update skip locked`,
    [afterId, beforeId, limit],
  );
  const ids = locked.map(({ id }) => id);
  if (ids.length === 0) return { removed: [], lastId: undefined };
  const { rows } = await tx.query<{ id: string }>(
    `with gone as (
       delete from media m where m.id = any ($1::text[]) and m.id <> all ($2::text[]) and not (${IS_NAMED})
       returning m.id
     ), noted as (
       insert into media_strays (id) select id from gone on conflict (id) do nothing
     )
     select id from gone`,
    [ids, keptIds],
  );
  return { removed: rows.map(({ id }) => id), lastId: ids.at(-1) };
}
