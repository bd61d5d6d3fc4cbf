// Stores notices of events that users may have missed: one row, or a mail, or both for each user who is notified.
import { newId } from '../lib/ids.ts';
import type { Tx } from './db.ts';
import { CHANNELS } from './db.ts';
import {
  hasMailBudgetSql,
  KEEP_TRYING,
  type MailContent,
  type NewMail,
  queueMailsSql,
  type WaitingMail,
} from './mails.ts';
import { isNoneOfSql } from './permissions.ts';
import { all, firstNumber, firstValue, type PageRange } from './rows.ts';

/** How a user receives notices of a kind. */
export const NOTICE_DELIVERIES = ['bell', 'mail', 'both', 'none'] as const;
export type NoticeDelivery = (typeof NOTICE_DELIVERIES)[number];

interface KindOfNotice {
  /** How users receive it who have not chosen. Without mail, it is in the menu of the bell. */
  readonly delivery: NoticeDelivery;
  /** Whether it tells that others may use the account, so that mails about it cannot be turned off. */
  readonly isSecurity?: boolean;
}

const KINDS = {
  schedule_paused: { delivery: 'both' },
  trigger_paused: { delivery: 'both' },
  app_out_of_order: { delivery: 'both' },
  app_limit_reached: { delivery: 'bell' },
  credits_low: { delivery: 'both' },
  credit_limit: { delivery: 'both' },
  storage_high: { delivery: 'bell' },
  credential_failed: { delivery: 'both' },
  batch_stopped: { delivery: 'bell' },
  workflow_shared: { delivery: 'both' },
  approval_waiting: { delivery: 'both' },
  new_browser: { delivery: 'both', isSecurity: true },
  second_factor_changed: { delivery: 'both', isSecurity: true },
  password_changed: { delivery: 'both', isSecurity: true },
  email_changed: { delivery: 'both', isSecurity: true },
} as const satisfies Record<string, KindOfNotice>;
export type NoticeKind = keyof typeof KINDS;
/** How users receive notices of each kind, unless they choose something else. */
export const NOTICES: Readonly<Record<NoticeKind, KindOfNotice>> = KINDS;
export const NOTICE_KINDS = Object.keys(KINDS) as NoticeKind[];

/** What the mail about an event has besides the title and text of the notice. */
export interface NoticeMail
  extends Pick<MailContent, 'details' | 'buttons' | 'picture'>,
    Pick<NewMail, 'secret' | 'expiresAt'> {}

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
  /** For a notice to one person, whose mail may have links for that person alone. */
  readonly mail?: NoticeMail;
  /** false if whoever caused the event has used up a budget of mails: the notice is then in the bell. */
  readonly mayMail?: boolean;
}

/** Whose budget of mails a notice to administrators uses. */
const INSTANCE_ACCOUNT = 'instance';

/** The page on which users choose how they receive notices. */
const SETTINGS_PATH = '/settings/notices';

/**
 * Notifies the creator and the owners, each in the bell or by mail as the user has chosen. Call it in the transaction of the
 * event.
 */
export async function insertNotice(tx: Tx, notice: NewNotice): Promise<void> {
  const { kind, cause, workspace, userId, title, text, link, mail, mayMail = true } = notice;
  await tx.query(
    // Ordered, so that transactions cannot deadlock. A mail that cannot be queued becomes a notice in the bell.
    `with recipients as (
       select u.id, u.email, coalesce(u.notice_settings ->> $2, $9) as delivery,
         $15::boolean and ${hasMailBudgetSql('u.email', '$10::text', '$16::boolean')} as has_mail
       from users u
       where not u.disabled and u.id = any (array(
         select $5::int
         union select case when $4::text like 'user:%' then substr($4, 6)::int end
         union select m.user_id from team_members m where m.team_id = $4 and m.role = 'OWNER'
         union select a.id from users a where $4 is null and a.is_admin))
       order by u.id),
     inserted as (
       insert into notices (id, user_id, workspace, kind, cause, title, text, link)
       select $1, id, $4, $2, $3, $6, $7, $8 from recipients
       where delivery in ('bell', 'both') or delivery = 'mail' and not has_mail
       order by id
       on conflict do nothing returning user_id),
     mailed as (
       insert into mails (id, user_id, address, account, kind, cause, content, secret, expires_at, is_urgent)
       select $11 || '_' || id, id, email, $10, $2, $3, $12::jsonb, $13, coalesce($14, now() + ${KEEP_TRYING}), $16
       from recipients
       where has_mail and (
         delivery = 'both' and id in (select user_id from inserted)
         or delivery = 'mail' and not exists (
           select from mails m where m.user_id = recipients.id and m.kind = $2 and m.cause = $3
             and m.created_at > now() - interval '1 day'))
       returning id),
     jobs as (${queueMailsSql('mailed')})
     select (select count(*) from jobs), (
       select pg_notify('${CHANNELS.notices}', string_agg('${getNoticeStreamKey('')}' || user_id, ',')) from inserted
       having count(*) > 0)`,
    [
      newId('notice'),
      kind,
      cause,
      workspace,
      userId,
      title,
      text,
      link,
      NOTICES[kind].delivery,
      workspace ?? INSTANCE_ACCOUNT,
      newId('mail'),
      JSON.stringify(toMailContent(notice)),
      mail?.secret ?? null,
      mail?.expiresAt ?? null,
      mayMail,
      NOTICES[kind].isSecurity === true,
    ],
  );
}

/**
 * Puts a notice into the bell whose mail was not delivered, unless it was there too. Does nothing for mails that are no
 * notices.
 */
export async function insertNoticeOfMail(tx: Tx, mail: WaitingMail): Promise<void> {
  const { user_id: userId, account, kind, cause, content, created_at: createdAt } = mail;
  if (userId === null || !Object.hasOwn(NOTICES, kind)) return;
  const path = content.buttons?.[0]?.path;
  await tx.query(
    `with inserted as (
       insert into notices (id, user_id, workspace, kind, cause, title, text, link)
       select $1, $2, $3, $4, $5, $6, $7, $8 where not exists (
         select from notices n where n.user_id = $2 and n.kind = $4 and n.cause = $5
           and n.created_at > $9::timestamptz - interval '1 second')
       on conflict do nothing returning user_id)
     select pg_notify('${CHANNELS.notices}', '${getNoticeStreamKey('')}' || user_id) from inserted`,
    [
      newId('notice'),
      userId,
      account === INSTANCE_ACCOUNT ? null : account,
      kind,
      cause,
      content.subject,
      content.paragraphs.join(' '),
      path === undefined || path.includes('{secret}') ? null : path,
      createdAt,
    ],
  );
}

function toMailContent({ kind, workspace, userId, title, text, link, mail }: NewNotice): MailContent {
  const isOwn = userId !== null && (workspace === null || workspace === `user:${userId}`);
  const {
    details,
    picture,
    buttons = link === null ? [] : [{ label: 'Open Graphwright', path: link }],
  } = mail ?? {};
  return {
    subject: title,
    paragraphs: [text],
    ...(details && { details }),
    buttons,
    ...(picture && { picture }),
    reason: NOTICES[kind].isSecurity
      ? 'it is about the security of your account'
      : workspace === null
        ? 'you are an administrator of this service'
        : isOwn
          ? 'it is about something of yours'
          : 'you created what it is about, or own its team',
    ...(!NOTICES[kind].isSecurity && { settingsPath: SETTINGS_PATH }),
  };
}

/** Returns what the user has chosen, by kind. */
export async function findNoticeSettings(
  tx: Tx,
  userId: number,
): Promise<Readonly<Record<string, NoticeDelivery>>> {
  return (await firstValue(tx, 'select notice_settings from users where id = $1', [userId])) ?? {};
}

export async function updateNoticeSettings(
  tx: Tx,
  userId: number,
  settings: Readonly<Partial<Record<NoticeKind, NoticeDelivery>>>,
): Promise<void> {
  await tx.query('update users set notice_settings = $2 where id = $1', [userId, JSON.stringify(settings)]);
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

/** Counts unread notices, without those of these teams. */
export function countUnread(tx: Tx, userId: number, withoutTeams: readonly string[]): Promise<number> {
  return firstNumber(
    tx,
    `select count(*)::int as count from notices
     where user_id = $1 and read_at is null and ${isNoneOfSql('workspace', '$2')}`,
    [userId, withoutTeams],
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
