// Sends messages to the SMTP server of the settings, each over its own connection, with nodemailer, which is loaded with the
// first message.
//
// SMTP cannot tell whether a message arrived if the connection is lost between its last byte and the server's answer. So
// before it sends the last bytes, without which no server accepts a message, it asks its caller to record that they follow. A
// caller that has not recorded it may send the message again; one that has recorded it must not.
import { Readable } from 'node:stream';
import { isLoopbackHost } from '../../lib/addresses.ts';
import { toError } from '../../lib/errors.ts';

export interface MailAttachment {
  readonly cid: string;
  readonly fileName: string;
  readonly contentType: string;
  readonly content: Buffer;
}

export interface OutgoingMail {
  /** Without angle brackets. */
  readonly messageId: string;
  readonly date: Date;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly attachments: readonly MailAttachment[];
  /** Where the recipient can turn off such mails. */
  readonly settingsUrl: string | undefined;
}

export type MailOutcome =
  | { readonly kind: 'sent'; readonly response: string }
  /** The server refused the message; with `isPermanent` it will always do so. */
  | { readonly kind: 'refused'; readonly response: string; readonly isPermanent: boolean }
  /** The server is not available, or refuses everything. */
  | { readonly kind: 'unavailable'; readonly reason: string }
  /** The server has the message, and its answer was lost. */
  | { readonly kind: 'unconfirmed'; readonly reason: string }
  /** `onHandOver` returned false. */
  | { readonly kind: 'superseded' };

export interface Mailer {
  /** Called for the last bytes of the message; returns whether they may be sent. */
  send(mail: OutgoingMail, onHandOver: () => Promise<boolean>, signal: AbortSignal): Promise<MailOutcome>;
  /** Connects and signs in. Throws an error that says what is wrong. */
  check(signal: AbortSignal): Promise<void>;
  /** The address and name from which mails come. */
  readonly from: string;
  readonly host: string;
}

export interface SmtpSettings {
  readonly SMTP_URL: string;
  readonly MAIL_FROM: string;
}

/** Servers answer within seconds; some hold back answers to make senders of spam give up. */
const TIMEOUTS = {
  dnsTimeout: 10_000,
  connectionTimeout: 10_000,
  greetingTimeout: 30_000,
  socketTimeout: 60_000,
} as const;
/** So many bytes are held back until the caller has recorded the hand-over. */
const LAST_BYTES = 16;
const MAX_RESPONSE_CHARS = 300;

export function createMailer({ SMTP_URL, MAIL_FROM }: SmtpSettings): Mailer {
  const { hostname } = new URL(SMTP_URL);
  return {
    from: MAIL_FROM,
    host: hostname,
    async send(mail, onHandOver, signal) {
      const { MailComposer } = await loadNodemailer();
      const compiled = new MailComposer(toComposerOptions(MAIL_FROM, mail)).compile();
      const message = await compiled.build();
      const { from } = compiled.getEnvelope();
      const state = { isHandedOver: false, isSuperseded: false };
      const stream = holdBackEnd(message, async () => {
        state.isHandedOver = await onHandOver();
        state.isSuperseded = !state.isHandedOver;
        return state.isHandedOver;
      });
      try {
        const response = await withConnection(
          SMTP_URL,
          connection =>
            new Promise<string>((resolve, reject) => {
              const envelope = { from: from || '', to: [mail.to], size: message.length };
              connection.send(envelope, stream, (err, info) => {
                if (err !== null) reject(err);
                else resolve(info.response);
              });
            }),
          signal,
        );
        return { kind: 'sent', response: cut(response) };
      } catch (err) {
        return state.isSuperseded ? { kind: 'superseded' } : toOutcome(err, state.isHandedOver);
      }
    },
    check: signal => withConnection(SMTP_URL, async () => undefined, signal),
  };
}

const loadNodemailer = async () => {
  const [composer, connection, shared] = await Promise.all([
    import('nodemailer/lib/mail-composer'),
    import('nodemailer/lib/smtp-connection'),
    import('nodemailer/lib/shared'),
  ]);
  return {
    MailComposer: composer.default,
    SMTPConnection: connection.default,
    parseConnectionUrl: shared.parseConnectionUrl,
  };
};

type Connection = InstanceType<Awaited<ReturnType<typeof loadNodemailer>>['SMTPConnection']>;

/** Runs the work on a connection that has signed in, and closes it. */
async function withConnection<T>(
  url: string,
  work: (connection: Connection) => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  const { SMTPConnection, parseConnectionUrl } = await loadNodemailer();
  const { auth, ...options } = parseConnectionUrl(url);
  const connection = new SMTPConnection({
    ...TIMEOUTS,
    // Without this, somebody between the service and the server could switch off encryption.
    requireTLS: options.secure !== true && !isLoopbackHost(options.host ?? 'localhost'),
    ...options,
  });
  const { promise: failed, reject } = Promise.withResolvers<never>();
  failed.catch(() => undefined);
  connection.on('error', reject);
  const onAbort = (): void => reject(toError(signal.reason));
  signal.addEventListener('abort', onAbort);
  try {
    signal.throwIfAborted();
    await Promise.race([failed, call(done => connection.connect(done))]);
    if (auth !== undefined) await Promise.race([failed, call(done => connection.login(auth, done))]);
    return await Promise.race([failed, work(connection)]);
  } finally {
    signal.removeEventListener('abort', onAbort);
    connection.close();
  }
}

const call = (start: (done: (err?: Error | null) => void) => void): Promise<void> =>
  new Promise((resolve, reject) => start(err => (err ? reject(err) : resolve())));

function toComposerOptions(from: string, mail: OutgoingMail) {
  const { messageId, date, to, subject, text, html, attachments, settingsUrl } = mail;
  return {
    messageId: `<${messageId}>`,
    date,
    from,
    // As an object, because a text could contain several addresses.
    to: { name: '', address: to },
    subject,
    text,
    html,
    attachments: attachments.map(({ cid, fileName, contentType, content }) => ({
      cid,
      filename: fileName,
      contentType,
      content,
      contentDisposition: 'inline' as const,
    })),
    headers: {
      // Tells programs that answer mails, such as out-of-office replies, not to answer this one.
      'Auto-Submitted': 'auto-generated',
      'X-Auto-Response-Suppress': 'All',
      ...(settingsUrl !== undefined && { 'List-Unsubscribe': `<${settingsUrl}>` }),
    },
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

/** Streams the message, but its last bytes only after `onEnd` returned true. Otherwise, the stream fails. */
function holdBackEnd(message: Buffer, onEnd: () => Promise<boolean>): Readable {
  const split = Math.max(0, message.length - LAST_BYTES);
  async function* read(): AsyncGenerator<Buffer> {
    if (split > 0) yield message.subarray(0, split);
    if (!(await onEnd())) throw new Error('Another process has sent the message.');
    yield message.subarray(split);
  }
  // Without reading ahead, so that the hand-over is recorded only when the server expects the last bytes.
  return Readable.from(read(), { objectMode: false, highWaterMark: 1 });
}

interface SmtpError {
  readonly code?: string;
  readonly responseCode?: number;
  readonly response?: string;
  readonly command?: string;
}

/** A server that refuses the sign-in or the sender refuses every mail, until the operator corrects the settings. */
const REFUSES_ONE: ReadonlySet<string> = new Set(['RCPT TO', 'DATA']);

function toOutcome(thrown: unknown, isHandedOver: boolean): MailOutcome {
  const err: Error & SmtpError = toError(thrown);
  const { responseCode = 0, response = err.message, command = '' } = err;
  if (responseCode >= 400 && responseCode !== 421 && REFUSES_ONE.has(command))
    return { kind: 'refused', response: cut(response), isPermanent: responseCode >= 500 };
  // The address cannot be written in a command.
  if (err.code === 'EENVELOPE' && responseCode === 0)
    return { kind: 'refused', response: cut(err.message), isPermanent: true };
  if (isHandedOver && responseCode === 0) return { kind: 'unconfirmed', reason: cut(err.message) };
  return { kind: 'unavailable', reason: cut(err.message) };
}

/** Answers are shown to administrators. */
const cut = (text: string): string => text.replaceAll(/\p{Cc}+/gu, ' ').slice(0, MAX_RESPONSE_CHARS);
