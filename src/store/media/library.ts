// Lists the media of a workspace, newest first, with filters and a search for words.
import { getFirstIdAt } from '../../lib/ids.ts';
import type { Tx } from '../db.ts';
import { all, first } from '../rows.ts';
import { MEDIA_COLUMNS, type MediaOrigin, type MediaRow } from './media.ts';

/** A media file with the workflow whose run created the file. */
export interface ListedMediaRow extends MediaRow {
  readonly user_name: string | null;
  readonly poster_name: string | null;
  /** The workflow whose run created the file, if the workflow is still in the workspace. */
  readonly workflow_id: string | null;
  readonly workflow_name: string | null;
  readonly is_favorite: boolean;
}

export interface MediaViewer {
  readonly userId: number;
  /** Whether the viewer may read all runs of the workspace, and so the prompts of other users. */
  readonly seesPrompts: boolean;
}

// $1 is the viewer's user id, $2 whether the viewer sees the prompts of other users.
const SELECT_LISTED = `
  select ${MEDIA_COLUMNS.split(', ')
    .map(column =>
      column === 'prompt' ? 'case when m.user_id = $1 or $2 then m.prompt end as prompt' : `m.${column}`,
    )
    .join(', ')},
    u.name as user_name, p.name as poster_name, w.id as workflow_id, w.name as workflow_name,
    exists (select from media_favorites f where f.user_id = $1 and f.media_id = m.id) as is_favorite
  from media m left join media p on p.id = m.poster_id
    left join users u on u.id = m.user_id
    left join workflows w on w.id = m.workflow_id and w.deleted_at is null
      and coalesce(w.team_id, 'user:' || w.user_id) = m.workspace`;

export function findListedMedia(
  tx: Tx,
  id: string,
  { userId, seesPrompts }: MediaViewer,
): Promise<ListedMediaRow | undefined> {
  return first(tx, `${SELECT_LISTED} where m.id = $3`, [userId, seesPrompts, id]);
}

/** A word of a search. A file matches if its texts contain the word, or if it belongs to one of the names. */
export interface SearchWord {
  readonly text: string;
  /** Node types whose name contains the word. */
  readonly nodeTypes: readonly string[];
  /** Workflows whose name contains the word. */
  readonly workflowIds: readonly string[];
}

export interface MediaQuery {
  readonly origins: readonly MediaOrigin[];
  /** Whether visitors of apps uploaded the files, or started the runs that created them. Null: either. */
  readonly isFromApp: boolean | null;
  /** The part of the content type before the slash. */
  readonly kind: string | null;
  /** The type of the node that created the file. */
  readonly nodeType: string | null;
  /** Who uploaded the file or started the run that created it. */
  readonly madeBy: number | null;
  readonly createdAfter: Date | null;
  readonly createdBefore: Date | null;
  readonly collectionId: string | null;
  /** Whether to list only the viewer's favorites. */
  readonly isFavorite: boolean;
  /** All of these words must match. */
  readonly words: readonly SearchWord[];
  readonly before: string | null;
  readonly limit: number;
}

/**
 * A search first examines this many of the newest files, about 10 ms of work. A page of common words is complete after
 * that. Words that are rarer are found with the index, which cannot return the newest files first.
 */
const MAX_NEWEST = 2000;

/** Lists the workspace's media except posters of videos, newest first. */
export async function listWorkspaceMedia(
  tx: Tx,
  workspace: string,
  viewer: MediaViewer,
  query: MediaQuery,
): Promise<readonly ListedMediaRow[]> {
  const fromApp = query.isFromApp === null ? [false, true] : [query.isFromApp];
  const values: unknown[] = [viewer.userId, viewer.seesPrompts, workspace, query.origins, fromApp];
  const add = (value: unknown, type: string): string => `$${values.push(value)}::${type}`;
  const filter = buildFilter(query, add);
  const limit = add(query.limit, 'int');
  if (query.words.length === 0)
    return all(tx, selectListed(`${selectNewest(filter, limit, 'm.id')} limit ${limit}`), values);
  const matching = buildMatch(query.words, add);
  const newest = selectNewest(filter, String(MAX_NEWEST), 'm.*', `where ${matching}`);
  const newestRows = await all<ListedMediaRow>(tx, selectListed(`${newest} limit ${limit}`), values);
  if (newestRows.length >= query.limit) return newestRows;
  const names = query.words.map(({ text, nodeTypes, workflowIds }) => ({
    text,
    names: [...nodeTypes, ...workflowIds],
  }));
  // Reads the texts of the newest files first, and only until the page is full.
  const indexed = `
    with found as materialized (
      select m.id from media m where media_word_terms(m.workspace, m.title, m.name, m.prompt, m.node_type, m.workflow_id)
        @@ media_word_query($3, ${add(JSON.stringify(names), 'jsonb')}))
    select f.id from (select id from found order by id desc) f cross join lateral (
      select from media m where m.id = f.id and m.workspace = $3 and m.origin = any ($4::text[])
        and m.from_app = any ($5::bool[]) and ${filter} and ${matching}
      offset 0) m
    order by f.id desc limit ${limit}`;
  return all(tx, selectListed(indexed), values);
}

const selectListed = (ids: string): string =>
  `${SELECT_LISTED} where m.id = any (array(${ids})) order by m.id desc`;

/** Selects the newest files of each origin, from an index that is ordered by id. */
const selectNewest = (filter: string, limit: string, columns: string, condition = ''): string => `
  select m.id from unnest($4::text[]) as o(origin) cross join unnest($5::bool[]) as a(from_app) cross join lateral (
    select ${columns} from media m
    where m.workspace = $3 and m.origin = o.origin and m.from_app = a.from_app and ${filter}
    order by m.id desc limit ${limit}) m
  ${condition} order by m.id desc`;

type Add = (value: unknown, type: string) => string;

function buildFilter(query: MediaQuery, add: Add): string {
  const { kind, nodeType, madeBy, collectionId, createdAfter, createdBefore, before } = query;
  const conditions = ['not exists (select from media v where v.poster_id = m.id)'];
  if (kind !== null) conditions.push(`starts_with(m.content_type, ${add(`${kind}/`, 'text')})`);
  if (nodeType !== null) conditions.push(`m.node_type = ${add(nodeType, 'text')}`);
  if (madeBy !== null) conditions.push(`m.user_id = ${add(madeBy, 'int')}`);
  if (createdAfter !== null)
    conditions.push(`m.id >= ${add(getFirstIdAt('media', createdAfter.getTime()), 'text')}`);
  const end = [before, createdBefore && getFirstIdAt('media', createdBefore.getTime())]
    .filter(id => id !== null)
    .toSorted()[0];
  if (end !== undefined) conditions.push(`m.id < ${add(end, 'text')}`);
  if (collectionId !== null)
    conditions.push(
      `m.id in (select i.media_id from media_collection_items i where i.collection_id = ${add(collectionId, 'text')})`,
    );
  if (query.isFavorite)
    conditions.push('m.id in (select f.media_id from media_favorites f where f.user_id = $1)');
  return conditions.join(' and ');
}

const SEARCHED_TEXT =
  "lower(concat_ws(E'\\n', m.title, m.name, case when m.user_id = $1 or $2 then m.prompt end))";

function buildMatch(words: readonly SearchWord[], add: Add): string {
  return words
    .map(({ text, nodeTypes, workflowIds }) => {
      const parts = [`strpos(${SEARCHED_TEXT}, lower(${add(text, 'text')})) > 0`];
      if (nodeTypes.length > 0) parts.push(`m.node_type = any (${add(nodeTypes, 'text[]')})`);
      if (workflowIds.length > 0) parts.push(`m.workflow_id = any (${add(workflowIds, 'text[]')})`);
      return `(${parts.join(' or ')})`;
    })
    .join(' and ');
}
