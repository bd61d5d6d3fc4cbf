// Stores the renders of preview clips.
import type { Tx } from './db.ts';
import { MEDIA_IS_USED } from './media/outputs.ts';
import { isStillMemberSql } from './permissions.ts';
import { first, matches } from './rows.ts';

export const RENDER_STATUSES = ['QUEUED', 'RUNNING', 'COMPLETED', 'FAILED', 'CANCELLED'] as const;
export type RenderStatus = (typeof RENDER_STATUSES)[number];

export interface NewRender {
  readonly id: string;
  readonly user_id: number;
  readonly workspace: string;
  /** JSON. */
  readonly graph: string;
  readonly first_frame: number;
  readonly end_frame: number;
  readonly scale: number;
}

export interface RenderRow extends Omit<NewRender, 'graph'> {
  readonly status: RenderStatus;
  readonly progress: number;
  readonly media_id: string | null;
  /** null if the media was deleted. */
  readonly media_name: string | null;
  readonly poster_id: string | null;
  readonly poster_name: string | null;
  /** JSON. */
  readonly result: string | null;
  readonly error: string | null;
  readonly created_at: Date;
  readonly started_at: Date | null;
  readonly finished_at: Date | null;
}

/** Stores a render. Returns false if the user already has `maxActive` unfinished renders. Requires a transaction. */
export async function insertRender(tx: Tx, render: NewRender, maxActive: number): Promise<boolean> {
  // Serializes the requests of one user.
  await tx.query(`select pg_advisory_xact_lock(hashtext('renders'), $1)`, [render.user_id]);
  return matches(
    tx,
    `insert into renders (id, user_id, workspace, graph, first_frame, end_frame, scale, status)
     select $1, $2, $3, $4, $5, $6, $7, 'QUEUED'
     where (select count(*) from renders where user_id = $2 and finished_at is null) < $8`,
    [
      render.id,
      render.user_id,
      render.workspace,
      render.graph,
      render.first_frame,
      render.end_frame,
      render.scale,
      maxActive,
    ],
  );
}

export function findRender(tx: Tx, id: string, userId: number): Promise<RenderRow | undefined> {
  return first(
    tx,
    `select r.id, r.user_id, r.workspace, r.first_frame, r.end_frame, r.scale, r.status, r.progress, r.media_id, m.name as media_name,
       r.poster_id, p.name as poster_name, r.result, r.error, r.created_at, r.started_at, r.finished_at
     from renders r left join media m on m.id = r.media_id left join media p on p.id = r.poster_id
     where r.id = $1 and r.user_id = $2 and ${isStillMemberSql('r.workspace', '$2')}`,
    [id, userId],
  );
}

export interface ClaimedRender extends NewRender {
  readonly attempt: number;
  readonly progress: number;
}

/** Starts an attempt, whose number later writes must have. Returns undefined if the render has ended. */
export function claimRender(tx: Tx, id: string): Promise<ClaimedRender | undefined> {
  return first(
    tx,
    `update renders set status = 'RUNNING', attempt = attempt + 1, started_at = coalesce(started_at, now())
     where id = $1 and finished_at is null
     returning id, user_id, workspace, graph, first_frame, end_frame, scale, attempt, progress`,
    [id],
  );
}

type Claim = Pick<ClaimedRender, 'id' | 'attempt'>;

/** Stores the progress. Returns false if the render was canceled or another attempt has started. */
export function saveRenderProgress(tx: Tx, { id, attempt }: Claim, progress: number): Promise<boolean> {
  return matches(
    tx,
    `update renders set progress = $3 where id = $1 and attempt = $2 and finished_at is null`,
    [id, attempt, progress],
  );
}

/** Returns whether the render has ended, for example because it was canceled. */
export function hasRenderEnded(tx: Tx, id: string): Promise<boolean> {
  return matches(tx, 'select from renders where id = $1 and finished_at is not null', [id]);
}

export interface RenderEnd {
  readonly status: 'COMPLETED' | 'FAILED';
  readonly media_id: string | null;
  readonly poster_id: string | null;
  readonly result: string | null;
  readonly error: string | null;
}

/** Ends the render. Returns false if the render was canceled or another attempt has started. */
export function finishRender(tx: Tx, { id, attempt }: Claim, end: RenderEnd): Promise<boolean> {
  return matches(
    tx,
    `update renders set status = $3, media_id = $4, poster_id = $5, result = $6, error = $7, graph = '',
       progress = case when $3 = 'COMPLETED' then 1 else progress end, finished_at = now()
     where id = $1 and attempt = $2 and finished_at is null`,
    [id, attempt, end.status, end.media_id, end.poster_id, end.result, end.error],
  );
}

/** Cancels the render, unless it has ended. */
export async function cancelRender(tx: Tx, id: string): Promise<void> {
  await tx.query(
    `update renders set status = 'CANCELLED', graph = '', finished_at = now() where id = $1 and finished_at is null`,
    [id],
  );
}

/**
 * Deletes ended renders that were created before the time, and their clips and posters unless they are used elsewhere.
 * The deleted files become orphans. Returns the number of deleted renders.
 */
export async function deleteRendersBefore(tx: Tx, before: Date, limit: number): Promise<number> {
  const { rowCount } = await tx.query(
    `with old as (
       delete from renders where id in (
         select id from renders where created_at < $1 and finished_at is not null limit $2 for update skip locked)
       returning media_id, poster_id
     ), unused as (
       delete from media m using old
       where m.id in (old.media_id, old.poster_id) and not ${MEDIA_IS_USED}
       returning m.id
     ), orphans as (insert into media_strays (id) select id from unused on conflict (id) do nothing)
     select from old`,
    [before, limit],
  );
  return rowCount;
}
