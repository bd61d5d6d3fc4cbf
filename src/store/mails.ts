// Stores mails: rows that are inserted in the transaction of their event, with a job that sends them.
import { newId } from '../lib/ids.ts';
import type { Tx } from './db.ts';
import { enqueue, enqueueAt, type QueuedJob, selectQueuedJobs } from './queue.ts';
import { all, first, firstValue, insertRow, matches, type PageRange } from './rows.ts';

/** unconfirmed: the server has the message, but its answer was lost, so that the mail is not sent again. */
export const MAIL_STATES = ['waiting', 'sent', 'unconfirmed', 'failed'] as const;
export type MailState = (typeof MAIL_STATES)[number];

export interface MailButton {
  readonly label: string;
  /** A path of the web application. `{secret}` stands for the secret of the mail. */
  readonly path: string;
}

/** Media that the mail shows. The file is attached, so that the recipient's program loads nothing from a server. */
export interface MailPicture {
  readonly mediaId: string;
  /** What the picture shows. */
  readonly alt: string;
}

/** What the text and the HTML of a mail are made of. */
export interface MailContent {
  readonly subject: string;
  readonly paragraphs: readonly string[];
  /** Labels with their values, such as the time of a sign-in. */
  readonly details?: readonly (readonly [label: string, value: string])[];
  readonly buttons?: readonly MailButton[];
  readonly picture?: MailPicture;
  /** Completes `You get this mail because`. */
  readonly reason: string;
  /** Where the recipient can turn off mails of this kind: a path of the web application, which may contain `{secret}`. */
  readonly settingsPath?: string;
  /** The text of the link to it. */
  readonly settingsLabel?: string;
}

export interface NewMail {
  /** A job that may run twice passes the same id each time. */
  readonly id?: string;
  /** The recipient's account; null for a person without one. */
  readonly userId: number | null;
  readonly address: string;
  /** Whose budget of waiting mails it uses: a workspace or an account. */
  readonly account: string;
  readonly kind: string;
  readonly cause: string;
  /** Whether the mail protects the account of the recipient, so that other mails cannot use up its budgets. */
  readonly isUrgent?: boolean;
  readonly content: MailContent;
  /** Encrypted with SECRETS_KEY. */
  readonly secret?: Buffer | null;
  /** When the mail is no longer useful. Default: after three days. */
  readonly expiresAt?: Date | null;
}

/**
 * The most mails that wait, in all and of one account, and the most mails to an address in an hour. Urgent mails and the others
 * are counted apart.
 */
const MAX_WAITING = 20_000;
const MAX_WAITING_OF_ACCOUNT = 1000;
const MAX_PER_ADDRESS = 30;
/** SQL: how long the delivery of a mail is attempted. */
export const KEEP_TRYING = "interval '3 days'";
const IS_ON = `exists (select from instance where key = 'mail' and value = 'on')`;

/** SQL: whether mail is set up and the budgets allow another mail. */
export const hasMailBudgetSql = (address: string, account: string, isUrgent: string): string => {
  const waiting = `state = 'waiting' and is_urgent = ${isUrgent}`;
  return `(${IS_ON}
    and (select count(*) from (select from mails where ${waiting} limit ${MAX_WAITING}) w) < ${MAX_WAITING}
    and (select count(*) from (select from mails where ${waiting} and account = ${account} limit ${MAX_WAITING_OF_ACCOUNT}) w) < ${MAX_WAITING_OF_ACCOUNT}
    and (select count(*) from mails where lower(address) = lower(${address}) and is_urgent = ${isUrgent}
      and created_at > now() - interval '1 hour') < ${MAX_PER_ADDRESS})`;
};

/** SQL: queues the jobs of the mails in `inserted`, which has the column `id`. */
export const queueMailsSql = (inserted: string): string =>
  selectQueuedJobs(`select 'mail' as task, id, null::timestamptz as run_at from ${inserted}`);

/**
 * Stores a mail that a job sends after the commit. Returns whether it was stored: not if no mail is set up, or too many mails
 * wait or went to the address.
 */
export async function insertMail(tx: Tx, mail: NewMail): Promise<boolean> {
  const { id = newId('mail'), userId, address, account, kind, cause, isUrgent = false, content } = mail;
  const count = await firstValue<number>(
    tx,
    `with inserted as (
       insert into mails (id, user_id, address, account, kind, cause, content, secret, expires_at, is_urgent)
       select $1, $2, $3, $4, $5, $6, $7::jsonb, $8, coalesce($9, now() + ${KEEP_TRYING}), $10
       where ${hasMailBudgetSql('$3::text', '$4::text', '$10::boolean')}
       on conflict (id) do nothing returning id)
     , jobs as (${queueMailsSql('inserted')})
     select count(*)::int from inserted, (select count(*) from jobs) as queued`,
    [
      id,
      userId,
      address,
      account,
      kind,
      cause,
      JSON.stringify(content),
      mail.secret ?? null,
      mail.expiresAt ?? null,
      isUrgent,
    ],
  );
  return (count ?? 0) > 0;
}

/** Returns whether the mail was stored before, whatever its state. */
export function isMailStored(tx: Tx, id: string): Promise<boolean> {
  return matches(tx, 'select from mails where id = $1', [id]);
}

/** Records whether this service can send mail, so that every process and command knows whether to store mails. */
export async function recordMailSetUp(tx: Tx, isOn: boolean): Promise<void> {
  await insertRow(
    tx,
    'instance',
    { key: 'mail', value: isOn ? 'on' : 'off' },
    'on conflict (key) do update set value = excluded.value where instance.value <> excluded.value',
  );
}

/** A mail that waits. */
export interface WaitingMail {
  readonly id: string;
  readonly user_id: number | null;
  readonly address: string;
  readonly account: string;
  readonly kind: string;
  readonly cause: string;
  readonly content: MailContent;
  readonly secret: Buffer | null;
  readonly attempts: number;
  readonly handed_over_at: Date | null;
  readonly next_attempt_at: Date | null;
  readonly expires_at: Date;
  readonly created_at: Date;
}

/** Returns undefined if the mail has ended or was deleted with its account. */
export function findWaitingMail(tx: Tx, id: string): Promise<WaitingMail | undefined> {
  return first(
    tx,
    `select id, user_id, address, account, kind, cause, content, secret, attempts, handed_over_at, next_attempt_at, expires_at, created_at
     from mails where id = $1 and state = 'waiting'`,
    [id],
  );
}

/**
 * Records that the server is about to have the complete message of the attempt. Returns false if another process has sent it
 * or the mail was deleted; it must then not be completed.
 */
export function claimHandOver(tx: Tx, id: string, attempts: number, now: Date): Promise<boolean> {
  return matches(
    tx,
    `update mails set handed_over_at = $3
     where id = $1 and attempts = $2 and state = 'waiting' and handed_over_at is null`,
    [id, attempts, now],
  );
}

export interface MailAttempt {
  readonly id: string;
  /** The number of attempts before this one. */
  readonly attempts: number;
  readonly state: MailState;
  readonly result: string;
  readonly finishedAt: Date;
  /** When to try again; null if the mail has ended. */
  readonly nextAttemptAt: Date | null;
}

/** Records an attempt and queues the next one. An attempt that was already recorded is skipped. */
export async function recordMailAttempt(tx: Tx, attempt: MailAttempt): Promise<void> {
  const { id, attempts, state, result, finishedAt, nextAttemptAt } = attempt;
  await tx.query(
    `with updated as (
       update mails set state = $3, result = $4, attempts = $2 + 1, next_attempt_at = $6,
         handed_over_at = case when $3 = 'waiting' then null else handed_over_at end,
         finished_at = case when $3 <> 'waiting' then $5::timestamptz end,
         content = case when $3 = 'waiting' then content end, secret = case when $3 = 'waiting' then secret end
       -- A process that was suspended for long may know better than the one that gave up the answer.
       where id = $1 and (state = 'waiting' and attempts = $2 or state = 'unconfirmed' and $3 = 'sent')
       returning id, next_attempt_at)
     , jobs as (${selectQueuedJobs(`select 'mail' as task, id, next_attempt_at as run_at from updated where next_attempt_at is not null`)})
     select count(*) from jobs`,
    [id, attempts, state, result, finishedAt, nextAttemptAt],
  );
}

/** Queues jobs for mails that could not be tried. */
export async function postponeMails(tx: Tx, jobs: readonly QueuedJob[]): Promise<void> {
  await enqueueAt(tx, 'mail', jobs);
}

/** Queues up to `limit` mails whose job was lost. Returns their ids. */
export async function requeueLostMails(tx: Tx, dueBefore: Date, limit: number): Promise<readonly string[]> {
  const rows = await all<{ readonly id: string }>(
    tx,
    `select id from mails where state = 'waiting' and coalesce(next_attempt_at, created_at) < $1
       and id not in (
         select j.payload ->> 'id' from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
         where t.identifier = 'mail')
     order by created_at limit $2`,
    [dueBefore, limit],
  );
  const ids = rows.map(({ id }) => id);
  await enqueue(tx, 'mail', ids);
  return ids;
}

/** A mail as administrators see it. */
export interface ListedMail {
  readonly id: string;
  readonly address: string;
  readonly kind: string;
  readonly state: MailState;
  readonly attempts: number;
  readonly result: string | null;
  readonly next_attempt_at: Date | null;
  readonly created_at: Date;
  readonly finished_at: Date | null;
}

/** Lists mails, newest first. */
export function listMails(
  tx: Tx,
  state: MailState | null,
  { after, limit }: PageRange<string>,
): Promise<readonly ListedMail[]> {
  return all(
    tx,
    `select id, address, kind, state, attempts, result, next_attempt_at, created_at, finished_at from mails
     where ($1::text is null or state = $1) and ($2::text is null or id < $2) order by id desc limit $3`,
    [state, after, limit],
  );
}

export interface MailCount {
  readonly state: MailState;
  readonly count: number;
}

/** Counts the mails that wait, and those of the last day that were not delivered. */
export function countMails(tx: Tx): Promise<readonly MailCount[]> {
  return all(
    tx,
    `select state, count(*)::int as count from mails
     where state = 'waiting' or state in ('failed', 'unconfirmed') and finished_at > now() - interval '1 day' group by state`,
  );
}
