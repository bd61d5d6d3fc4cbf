// Sends the mails that wait: one attempt per job, with later attempts while the server is not available or refuses the mail for
// now. A mail is never sent twice; if the answer of the server is lost, the mail ends as `unconfirmed`.
import { type Backoff, computeBackoff } from '../../lib/backoff.ts';
import { decrypt } from '../../lib/crypto.ts';
import {
  claimHandOver,
  findWaitingMail,
  type MailAttempt,
  postponeMails,
  recordMailAttempt,
  requeueLostMails,
  type WaitingMail,
} from '../../store/mails.ts';
import { insertNoticeOfMail } from '../../store/notices.ts';
import type { Deps } from '../deps.ts';
import { readMailPicture } from './mail-picture.ts';
import { renderMail } from './render-mail.ts';
import type { Mailer, MailOutcome, OutgoingMail } from './smtp.ts';

const BACKOFF: Omit<Backoff, 'firstMs'> = { maxMs: 3_600_000, factor: 2, jitter: [0, 0.2] };
/** While the server is not available, one mail tries it again after at most this time, and the others wait. */
const createOutageBackoff = ({ mailRetryMs, maxMailOutageMs }: Deps['timing']): Backoff => ({
  firstMs: mailRetryMs,
  maxMs: maxMailOutageMs,
  factor: 2,
  jitter: [0, 0.2],
});
/** By the clock of another machine, a job may start slightly early. */
const CLOCK_SLACK_MS = 1000;
/** Without mail settings, mails are kept until they expire, in case the settings come back. */
const UNCONFIGURED_MS = 3_600_000;
const MAX_LOST = 1000;
const LOST_AFTER_MS = 3_600_000;

export interface MailSender {
  /** Makes the attempt that is due, if any. Rejects if it must be repeated, because it was interrupted or not recorded. */
  send(id: string, signal: AbortSignal): Promise<void>;
}

export function createMailSender(deps: Deps): MailSender {
  const outage = new Outage(deps);
  const postpone = async (id: string, atMs: number): Promise<void> => {
    await postponeMails(deps.runDb, [{ id, runAt: new Date(atMs) }]);
    deps.wakeTimers.set('background', atMs);
  };
  const record = async (mail: WaitingMail, result: AttemptResult): Promise<void> => {
    const attempt = toAttempt(deps, mail, result);
    await deps.runDb.transaction(async tx => {
      await recordMailAttempt(tx, attempt);
      if (attempt.state === 'failed' || attempt.state === 'unconfirmed') await insertNoticeOfMail(tx, mail);
    });
    const outcome = attempt.state === 'waiting' ? 'retried' : attempt.state;
    deps.mailCounts.set(outcome, (deps.mailCounts.get(outcome) ?? 0) + 1);
    if (attempt.nextAttemptAt !== null) deps.wakeTimers.set('background', attempt.nextAttemptAt.getTime());
    if (attempt.state === 'failed' || attempt.state === 'unconfirmed')
      deps.log.warn(
        { mail: mail.id, kind: mail.kind, result: attempt.result },
        attempt.state === 'failed' ? 'a mail could not be delivered' : 'a mail may not have been delivered',
      );
  };
  return {
    async send(id, signal) {
      const mail = await findWaitingMail(deps.db, id);
      const nowMs = deps.now();
      if (mail === undefined || (mail.next_attempt_at?.getTime() ?? 0) > nowMs + CLOCK_SLACK_MS) return;
      if (mail.handed_over_at !== null) {
        const answerAtMs = mail.handed_over_at.getTime() + deps.timing.mailAnswerMs;
        if (answerAtMs > nowMs) return postpone(id, answerAtMs);
        return record(mail, {
          state: 'unconfirmed',
          result: 'The process ended before the server answered.',
        });
      }
      if (mail.expires_at.getTime() <= nowMs)
        return record(mail, { state: 'failed', result: 'It could not be delivered in time.' });
      const { mailer } = deps;
      if (mailer === undefined) return postpone(id, nowMs + UNCONFIGURED_MS);
      if (outage.untilMs > nowMs) return postpone(id, outage.getNextMs());
      const release = await deps.outboundSlots.acquire({
        account: mail.account,
        host: mailer.host,
        isMail: true,
      });
      if (typeof release !== 'function') return postpone(id, nowMs + release.delayMs);
      const outcome = await attempt(deps, mailer, mail, signal).finally(release);
      if (outcome.kind === 'unavailable') {
        // The process stops; the job is repeated.
        if (signal.aborted) throw new Error('The mail was interrupted.');
        outage.begin(outcome.reason);
      } else if (outcome.kind !== 'unconfirmed') outage.end();
      if (outcome.kind === 'superseded') return;
      return record(mail, toResult(outcome));
    },
  };
}

interface AttemptResult extends Pick<MailAttempt, 'state' | 'result'> {
  /** Whether the server is not available for any mail. */
  readonly isOutage?: boolean;
}

function toResult(outcome: Exclude<MailOutcome, { readonly kind: 'superseded' }>): AttemptResult {
  switch (outcome.kind) {
    case 'sent':
      return { state: 'sent', result: outcome.response };
    case 'refused':
      return { state: outcome.isPermanent ? 'failed' : 'waiting', result: outcome.response };
    case 'unavailable':
      return { state: 'waiting', result: outcome.reason, isOutage: true };
    case 'unconfirmed':
      return { state: 'unconfirmed', result: outcome.reason };
  }
}

function toAttempt(
  { now, timing }: Deps,
  { id, attempts, expires_at }: WaitingMail,
  { state, result, isOutage = false }: AttemptResult,
): MailAttempt {
  const nowMs = now();
  const backoff = isOutage ? createOutageBackoff(timing) : { ...BACKOFF, firstMs: timing.mailRetryMs };
  const delayMs = computeBackoff(backoff, attempts);
  // The last attempt is made just before the mail expires.
  const nextMs = Math.min(nowMs + delayMs, Math.max(expires_at.getTime(), nowMs + 1));
  const nextAttemptAt = state === 'waiting' ? new Date(nextMs) : null;
  return { id, attempts, state, result, finishedAt: new Date(nowMs), nextAttemptAt };
}

async function attempt(
  deps: Deps,
  mailer: Mailer,
  mail: WaitingMail,
  signal: AbortSignal,
): Promise<MailOutcome> {
  const message = await toMessage(deps, mailer, mail, signal);
  return mailer.send(
    message,
    () => claimHandOver(deps.runDb, mail.id, mail.attempts, new Date(deps.now())),
    signal,
  );
}

/** Every attempt has the same Message-ID and date, so that servers and programs recognize a copy. */
async function toMessage(
  deps: Deps,
  mailer: Mailer,
  { id, address, content, secret, created_at }: WaitingMail,
  signal: AbortSignal,
): Promise<OutgoingMail> {
  const { BASE_URL } = deps.settings;
  const picture = content.picture && (await readMailPicture(deps, content.picture, signal));
  const shownSecret = secret === null ? undefined : decrypt(deps.secretsKey, secret);
  const rendered = renderMail(content, {
    baseUrl: BASE_URL,
    secret: shownSecret,
    pictureCid: picture?.cid,
  });
  const settingsPath = content.settingsPath?.replace('{secret}', () => shownSecret ?? '');
  return {
    ...rendered,
    messageId: `${id}@${getMailDomain(mailer.from)}`,
    date: created_at,
    to: address,
    attachments: picture === undefined ? [] : [picture],
    settingsUrl: settingsPath === undefined ? undefined : BASE_URL + settingsPath,
  };
}

/** Returns the domain of an address, also in the form `Name <name@host>`. */
export const getMailDomain = (from: string): string => /@([^\s@>]+)>?\s*$/.exec(from)?.[1] ?? 'localhost';

/** Tracks whether the server is available, so that thousands of mails do not each wait for it. */
class Outage {
  readonly #deps: Pick<Deps, 'now' | 'timing' | 'log'>;
  #failures = 0;
  untilMs = 0;

  constructor(deps: Pick<Deps, 'now' | 'timing' | 'log'>) {
    this.#deps = deps;
  }

  begin(reason: string): void {
    const { now, timing, log } = this.#deps;
    // The attempts that were in progress belong to the same outage.
    if (this.untilMs > now()) return;
    if (this.#failures === 0) log.error({ reason }, 'the mail server is not available; retrying');
    this.untilMs = now() + computeBackoff(createOutageBackoff(timing), this.#failures++);
  }

  end(): void {
    if (this.#failures > 0) this.#deps.log.info('the mail server is available again');
    this.#failures = 0;
    this.untilMs = 0;
  }

  /** Returns when a mail should try again: spread over a tenth of the time, so that they do not come all at once. */
  getNextMs(): number {
    const remainingMs = this.untilMs - this.#deps.now();
    return this.untilMs + Math.random() * Math.max(remainingMs / 10, this.#deps.timing.mailRetryMs / 10);
  }
}

/** Queues mails whose job was lost, such as one that failed 25 times because of the database. Runs daily. */
export async function sweepMails({ db, now, log }: Deps): Promise<void> {
  const ids = await requeueLostMails(db, new Date(now() - LOST_AFTER_MS), MAX_LOST);
  if (ids.length > 0) log.warn({ ids }, 'mails without a job were queued');
}
