// Stores media records. Their bytes are in media storage under the same id.
import type { Tx } from '../db.ts';
import { isCreatorSql, isMemberSql, isStillMemberSql } from '../permissions.ts';
import { all, first, matches, valueSet } from '../rows.ts';

/** upload: sent by a user; output: created by a run; input: fetched for a run; preview: rendered without a run. */
export const MEDIA_ORIGINS = ['upload', 'output', 'input', 'preview'] as const;
export type MediaOrigin = (typeof MEDIA_ORIGINS)[number];

export interface MediaRow {
  readonly id: string;
  readonly user_id: number;
  readonly workspace: string;
  readonly name: string;
  readonly content_type: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly width: number | null;
  readonly height: number | null;
  readonly duration: number | null;
  readonly origin: MediaOrigin;
  readonly execution_id: string | null;
  /** The prompt that a run used to create the file, possibly truncated. */
  readonly prompt: string | null;
  /** The still image of a video, which is not listed on its own. */
  readonly poster_id: string | null;
  /** The type of the node that created the file. */
  readonly node_type: string | null;
  /** The seed from which a model made the file. */
  readonly seed: number | null;
  /** The name that a user gave the file; null if it has its first name. */
  readonly title: string | null;
  readonly created_at: Date;
}

export type NewMedia = Omit<MediaRow, 'created_at' | 'title'>;

const NEW_COLUMNS =
  'id, user_id, workspace, name, content_type, bytes, sha256, width, height, duration, origin, execution_id, prompt, poster_id, node_type, seed';

export const MEDIA_COLUMNS = `${NEW_COLUMNS}, title, created_at`;

/** The workspace of templates' sample results, which every user may use. */
export const TEMPLATES_WORKSPACE = 'templates';

const isUsableBySql = (userId: string): string =>
  `m.user_id = ${userId} and ${isStillMemberSql('m.workspace', userId)} or ${isMemberSql('m.workspace', userId)} or m.workspace = '${TEMPLATES_WORKSPACE}'`;

export function findMedia(tx: Tx, id: string): Promise<MediaRow | undefined> {
  return first(tx, `select ${MEDIA_COLUMNS} from media where id = $1`, [id]);
}

/** Returns the media unless a visitor of an app uploaded it before the time. */
export function findUnexpiredMedia(tx: Tx, id: string, uploadedAfter: Date): Promise<MediaRow | undefined> {
  return first(
    tx,
    `select ${MEDIA_COLUMNS} from media m where id = $1
       and not exists (select from app_uploads u where u.media_id = m.id and u.created_at < $2)`,
    [id, uploadedAfter],
  );
}

/** Inserts media rows, and deletes the orphan records of their files. Existing rows stay unchanged. */
export async function insertMedia(tx: Tx, media: readonly NewMedia[]): Promise<void> {
  if (media.length === 0) return;
  await tx.query(
    `with new_media as (
       select ${NEW_COLUMNS} from json_populate_recordset(null::media, $1::json)
     ), no_orphans as (delete from media_strays where id in (select id from new_media))
     insert into media (${NEW_COLUMNS}, workflow_id, from_app)
     select a.*, e.workflow_id,
       coalesce(e.trigger = 'app', exists (select from app_uploads u where u.media_id = a.id))
     from new_media a left join executions e on e.id = a.execution_id
     on conflict (id) do nothing`,
    [JSON.stringify(media)],
  );
}

/**
 * Returns whether the user may use the media, because the user uploaded it and has not left its team, or because the
 * media is in a team of the user or belongs to a template.
 */
export function mayUseMedia(tx: Tx, id: string, userId: number): Promise<boolean> {
  return matches(tx, `select from media m where m.id = $1 and (${isUsableBySql('$2')})`, [id, userId]);
}

/**
 * Returns the media with these ids that are in the workspace or that one of the users may use, in the order of the ids.
 */
export async function listUsableMedia(
  tx: Tx,
  use: {
    readonly ids: readonly string[];
    readonly workspace: string;
    readonly userIds: readonly number[];
  },
): Promise<readonly MediaRow[]> {
  if (use.ids.length === 0) return [];
  return all(
    tx,
    `select ${MEDIA_COLUMNS} from media m
     where m.id = any ($1::text[]) and (m.workspace = $2
       or exists (select from unnest($3::int[]) as u(id) where ${isUsableBySql('u.id')}))
     order by array_position($1::text[], m.id)`,
    [use.ids, use.workspace, use.userIds],
  );
}

/** Sets the name that users see. The URL keeps the first name. */
export function setMediaTitle(tx: Tx, id: string, title: string | null): Promise<boolean> {
  return matches(tx, 'update media set title = $2 where id = $1', [id, title]);
}

/**
 * Deletes the media row and the row of its poster, and records their files as orphans. A sweep deletes the files later.
 * Returns false if there is no such media.
 */
export function deleteMediaRow(tx: Tx, id: string): Promise<boolean> {
  return matches(
    tx,
    `with deleted as (
       delete from media where id = $1 or id = (select poster_id from media where id = $1) returning id)
     insert into media_strays (id) select id from deleted on conflict (id) do nothing`,
    [id],
  );
}

export interface UsingWorkflow {
  readonly id: string;
  readonly name: string;
}

/**
 * Lists workflows of the workspace or user whose `media_id` is this media, or whose current or published graph uses it.
 */
export function listUsingWorkflows(
  tx: Tx,
  use: {
    readonly mediaId: string;
    readonly workspace: string;
    readonly userId: number;
    readonly limit: number;
  },
): Promise<readonly UsingWorkflow[]> {
  return all(
    tx,
    `select w.id, w.name from workflows w
     where w.deleted_at is null and (coalesce(w.team_id, 'user:' || w.user_id) = $2 or ${isCreatorSql('$3')})
       and w.id in (
         select id from workflows where media_id = $1
         union
         select m.workflow_id from workflow_media m join workflows n on n.id = m.workflow_id
         where m.media_id = $1 and m.version in (n.version, n.published_version))
     order by w.id limit $4`,
    [use.mediaId, use.workspace, use.userId, use.limit],
  );
}

/** Returns the ids that have a media row. */
export function listExistingMediaIds(tx: Tx, ids: readonly string[]): Promise<ReadonlySet<string>> {
  return valueSet(tx, 'select id from media where id = any ($1)', [ids]);
}
