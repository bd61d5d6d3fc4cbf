// Lists mails and sends test mails, for administrators.
import { AppError, requireFound } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import { listMails } from '../../store/mails.ts';
import { findUser } from '../../store/users.ts';
import { type Actor, requireScope } from '../accounts/actor.ts';
import type { Deps } from '../deps.ts';
import { type Order, readPage } from '../paging.ts';
import { presentColumns } from '../present-columns.ts';
import type { ListMailsQuery } from './mail.schema.ts';
import { renderMail } from './render-mail.ts';
import { getMailDomain } from './send-mail.ts';

const BY_ID: Order<{ readonly id: string }, string> = {
  keyOf: ({ id }) => id,
  encode: id => id,
  // The mails of a notice to several people have the same id, each with the user's id.
  decode: text => (/^mail_[\w-]{1,64}$/.test(text) ? text : undefined),
};

export async function listMailPage({ db }: Pick<Deps, 'db'>, actor: Actor, query: ListMailsQuery) {
  requireScope(actor, 'instance:admin');
  return readPage(
    query,
    BY_ID,
    page => listMails(db, query.state ?? null, page),
    row =>
      presentColumns(row, 'id address kind state attempts result next_attempt_at created_at finished_at'),
  );
}

const TEST_TIMEOUT_MS = 30_000;

/** Sends a mail to the caller at once, past the queue. Throws 409 without a mail server. */
export async function sendTestMail({ db, mailer, settings, now }: Deps, actor: Actor) {
  const { userId } = requireScope(actor, 'instance:admin');
  if (mailer === undefined)
    throw new AppError('conflict', 'Set SMTP_URL and MAIL_FROM, then restart the service.');
  const { email: address } = requireFound(await findUser(db, userId), 'The account was deleted.');
  const content = {
    subject: 'Test mail',
    paragraphs: ['Mails of this service arrive.'],
    buttons: [{ label: 'Open Graphwright', path: '/' }],
    reason: 'you asked for a test mail',
  };
  const rendered = renderMail(content, {
    baseUrl: settings.BASE_URL,
    secret: undefined,
    pictureCid: undefined,
  });
  const outcome = await mailer.send(
    {
      ...rendered,
      messageId: `${newId('mail')}@${getMailDomain(mailer.from)}`,
      date: new Date(now()),
      to: address,
      attachments: [],
      settingsUrl: undefined,
    },
    async () => true,
    AbortSignal.timeout(TEST_TIMEOUT_MS),
  );
  const isSent = outcome.kind === 'sent';
  if (isSent || outcome.kind === 'refused') return { isSent, address, result: outcome.response };
  return { isSent, address, result: outcome.kind === 'superseded' ? '' : outcome.reason };
}
