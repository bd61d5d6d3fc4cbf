// Stores notices of events that users may have missed: one row for each user who is notified.
import { newId } from '../lib/ids.ts';
import type { Tx } from './db.ts';
import { CHANNELS } from './db.ts';
import { isNoneOfSql } from './permissions.ts';
import { all, firstNumber, type PageRange } from './rows.ts';

export const NOTICE_KINDS = [
  'schedule_paused',
  'trigger_paused',
  'app_out_of_order',
  'app_limit_reached',
  'credits_low',
  'storage_high',
  'credential_failed',
  'batch_stopped',
  'workflow_shared',
] as const;
export type NoticeKind = (typeof NOTICE_KINDS)[number];

export interface NewNotice {
  readonly kind: NoticeKind;
  /** The id of the notice's subject. A user with an unread notice of this kind and cause gets no second notice. */
  readonly cause: string;
  /** The workspace whose owners are notified; null to notify the administrators of the instance. */
  readonly workspace: string | null;
  /** The creator, who is notified too. */
  readonly userId: number | null;
  readonly title: string;
  readonly text: string;
  /** A path of the web application. */
  readonly link: string | null;
}

/** Notifies the creator and the owners. Call it in the transaction of the event. */
export async function insertNotice(tx: Tx, notice: NewNotice): Promise<void> {
  const { kind, cause, workspace, userId, title, text, link } = notice;
  await tx.query(
    // Ordered, so that transactions cannot deadlock.
    `with inserted as (
       insert into notices (id, user_id, workspace, kind, cause, title, text, link)
       select $1, u.id, $4, $2, $3, $6, $7, $8 from users u
       where not u.disabled and u.id = any (array(
         select $5::int
         union select case when $4::text like 'user:%' then substr($4, 6)::int end
         union select m.user_id from team_members m where m.team_id = $4 and m.role = 'OWNER'
         union select a.id from users a where $4 is null and a.is_admin))
       order by u.id
       on conflict do nothing returning user_id)
     select pg_notify('${CHANNELS.notices}', string_agg('${getNoticeStreamKey('')}' || user_id, ','))
     from inserted having count(*) > 0`,
    [newId('notice'), kind, cause, workspace, userId, title, text, link],
  );
}

/** Returns the key under which the streams of a user are notified. */
export function getNoticeStreamKey(userId: number | ''): string {
  return `notices:${userId}`;
}

export interface NoticeRow {
  readonly id: string;
  readonly kind: NoticeKind;
  readonly title: string;
  readonly text: string;
  readonly link: string | null;
  readonly created_at: Date;
  readonly read_at: Date | null;
}

/** Lists the notices of a user, newest first. */
export function listNotices(
  tx: Tx,
  {
    userId,
    isUnread,
    withoutTeams,
  }: {
    readonly userId: number;
    readonly isUnread: boolean | null;
    /** Leaves out the notices about these teams. */
    readonly withoutTeams: readonly string[];
  },
  { after, limit }: PageRange<string>,
): Promise<readonly NoticeRow[]> {
  return all(
    tx,
    `select id, kind, title, text, link, created_at, read_at from notices
     where user_id = $1 and ($2::boolean is null or (read_at is null) = $2) and ($3::text is null or id < $3)
       and ${isNoneOfSql('workspace', '$5')}
     order by id desc limit $4`,
    [userId, isUnread, after, limit, withoutTeams],
  );
}

export function countUnreadOfKind(tx: Tx, userId: number, kind: NoticeKind): Promise<number> {
  return firstNumber(
    tx,
    'select count(*)::int as count from notices where user_id = $1 and kind = $2 and read_at is null',
    [userId, kind],
  );
}

export function countUnread(tx: Tx, userId: number): Promise<number> {
  return firstNumber(
    tx,
    'select count(*)::int as count from notices where user_id = $1 and read_at is null',
    [userId],
  );
}

/** Marks the user's notices with these ids as read, or all notices if `ids` is null. */
export async function markRead(tx: Tx, userId: number, ids: readonly string[] | null): Promise<void> {
  await tx.query(
    `with changed as (
       update notices set read_at = now()
       where user_id = $1 and read_at is null and ($2::text[] is null or id = any ($2)) returning user_id)
     select pg_notify('${CHANNELS.notices}', '${getNoticeStreamKey('')}' || $1::int) from changed having count(*) > 0`,
    [userId, ids],
  );
}

/** Deletes the notices about a workspace that is deleted. */
export async function deleteNoticesOfWorkspace(tx: Tx, workspace: string): Promise<void> {
  await tx.query('delete from notices where workspace = $1', [workspace]);
}
