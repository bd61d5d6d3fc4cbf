// Stores collections of media, and the favorites of users.
import type { Tx } from '../db.ts';
import { all, allValues, first, firstNumber, insertRow, lockName, matches, type PageRange } from '../rows.ts';
import { MEDIA_COLUMNS, type MediaRow } from './media.ts';

export interface CollectionRow {
  readonly id: string;
  readonly workspace: string;
  readonly user_id: number;
  readonly name: string;
  readonly media_count: number;
  /** The newest file with an image, and its poster. */
  readonly cover_id: string | null;
  readonly cover_name: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

// The cover is the newest image, or the poster of the newest video.
const SELECT = `
select c.id, c.workspace, c.user_id, c.name, c.created_at, c.updated_at,
  (select count(*) from media_collection_items i where i.collection_id = c.id)::int as media_count,
  k.id as cover_id, k.name as cover_name
from media_collections c left join lateral (
  select coalesce(p.id, m.id) as id, coalesce(p.name, m.name) as name
  from media_collection_items i join media m on m.id = i.media_id left join media p on p.id = m.poster_id
  where i.collection_id = c.id and (m.content_type like 'image/%' or p.id is not null)
  order by i.media_id desc limit 1) k on true`;

export function findCollection(tx: Tx, id: string): Promise<CollectionRow | undefined> {
  return first(tx, `${SELECT} where c.id = $1`, [id]);
}

/** Lists the collections of the workspace by id, after the cursor; with a media id, only those that contain it. */
export function listCollections(
  tx: Tx,
  workspace: string,
  mediaId: string | null,
  { after, limit }: PageRange<string>,
): Promise<readonly CollectionRow[]> {
  return all(
    tx,
    `${SELECT} where c.workspace = $1 and c.id > $2 and ($3::text is null or exists (
       select from media_collection_items i where i.collection_id = c.id and i.media_id = $3))
     order by c.id limit $4`,
    [workspace, after ?? '', mediaId, limit],
  );
}

/** Keeps other transactions from adding collections to the workspace until this one ends. */
export function lockCollections(tx: Tx, workspace: string): Promise<void> {
  return lockName(tx, `graphwright.collections:${workspace}`);
}

export function countCollections(tx: Tx, workspace: string): Promise<number> {
  return firstNumber(tx, 'select count(*)::int as count from media_collections where workspace = $1', [
    workspace,
  ]);
}

export function insertCollection(
  tx: Tx,
  row: Pick<CollectionRow, 'id' | 'workspace' | 'user_id' | 'name'>,
): Promise<void> {
  return insertRow(tx, 'media_collections', row);
}

/** Sets the name and the time of the change. Locks the collection. Returns false if it does not exist. */
export function updateCollection(tx: Tx, id: string, name: string): Promise<boolean> {
  return matches(
    tx,
    `update media_collections set name = $2, updated_at = greatest(now(), updated_at + interval '1 millisecond')
     where id = $1`,
    [id, name],
  );
}

export async function deleteCollectionRow(tx: Tx, id: string): Promise<void> {
  await tx.query('delete from media_collections where id = $1', [id]);
}

/** Returns the ids of the media that are in the workspace. Prevents their deletion until the transaction ends. */
export function lockWorkspaceMedia(
  tx: Tx,
  workspace: string,
  ids: readonly string[],
): Promise<readonly string[]> {
  return allValues(
    tx,
    'select id from media where id = any ($2::text[]) and workspace = $1 order by id for key share',
    [workspace, ids],
  );
}

export async function addToCollection(tx: Tx, id: string, mediaIds: readonly string[]): Promise<void> {
  await tx.query(
    `insert into media_collection_items (collection_id, media_id)
     select $1, m.id from unnest($2::text[]) as m(id) on conflict do nothing`,
    [id, mediaIds],
  );
}

export async function removeFromCollection(tx: Tx, id: string, mediaIds: readonly string[]): Promise<void> {
  await tx.query(
    'delete from media_collection_items where collection_id = $1 and media_id = any ($2::text[])',
    [id, mediaIds],
  );
}

export function countCollectionItems(tx: Tx, id: string): Promise<number> {
  return firstNumber(
    tx,
    'select count(*)::int as count from media_collection_items where collection_id = $1',
    [id],
  );
}

/** Lists the files of a collection, newest first. */
export function listCollectionMedia(tx: Tx, id: string): Promise<readonly MediaRow[]> {
  return all(
    tx,
    `select ${MEDIA_COLUMNS} from media m
     where m.id in (select media_id from media_collection_items where collection_id = $1) order by m.id desc`,
    [id],
  );
}

export async function addFavorites(tx: Tx, userId: number, mediaIds: readonly string[]): Promise<void> {
  await tx.query(
    `insert into media_favorites (user_id, media_id) select $1, m.id from unnest($2::text[]) as m(id) on conflict do nothing`,
    [userId, mediaIds],
  );
}

export async function removeFavorites(tx: Tx, userId: number, mediaIds: readonly string[]): Promise<void> {
  await tx.query('delete from media_favorites where user_id = $1 and media_id = any ($2::text[])', [
    userId,
    mediaIds,
  ]);
}

export function countFavorites(tx: Tx, userId: number): Promise<number> {
  return firstNumber(tx, 'select count(*)::int as count from media_favorites where user_id = $1', [userId]);
}
