// Runs a mail server on loopback that records the mails it accepts and answers as the test configures.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { type ParsedMail, parseMail } from './parse-mail.ts';

export interface ReceivedMail extends ParsedMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly isEncrypted: boolean;
  readonly user: string | undefined;
}

/** What the server does with a message. `drop` closes the connection after the whole message, without an answer. */
export type MailAnswer = 'accept' | 'drop' | { readonly code: number; readonly text: string };

export interface MailServer {
  readonly port: number;
  /** For SMTP_URL, without user and password. */
  readonly url: string;
  /** The mails that the server has received completely, also those it then refused or dropped. */
  readonly received: readonly ReceivedMail[];
  /** The connections so far. */
  readonly connections: { count: number };
  /** Replaces the answer to messages, which is `accept` by default. */
  answer(responder: (mail: ReceivedMail) => MailAnswer | Promise<MailAnswer>): void;
  /** Replaces the answer to recipients. Default: every recipient is accepted. */
  answerRecipient(responder: (address: string) => Exclude<MailAnswer, 'drop'>): void;
  close(): Promise<void>;
}

export interface MailServerOptions {
  readonly port?: number;
  /** Requires this user and password. */
  readonly login?: { readonly user: string; readonly password: string };
  /** Offers STARTTLS with this certificate. */
  readonly tls?: { readonly key: string; readonly cert: string };
}

export async function startMailServer({ port = 0, login, tls }: MailServerOptions = {}): Promise<MailServer> {
  const received: ReceivedMail[] = [];
  const connections = { count: 0 };
  let respond: Parameters<MailServer['answer']>[0] = () => 'accept';
  let respondToRecipient: Parameters<MailServer['answerRecipient']>[0] = () => 'accept';
  const options: SMTPServerOptions = {
    ...tls,
    disabledCommands: [...(tls === undefined ? ['STARTTLS'] : []), ...(login === undefined ? ['AUTH'] : [])],
    authOptional: login === undefined,
    allowInsecureAuth: true,
    disableReverseLookup: true,
    logger: false,
    closeTimeout: 100,
    onConnect(_session, done) {
      connections.count++;
      done();
    },
    onAuth({ username, password }, _session, done) {
      if (username === login?.user && password === login?.password) done(null, { user: username });
      else done(Object.assign(new Error('Authentication credentials invalid'), { responseCode: 535 }));
    },
    onRcptTo({ address }, _session, done) {
      const answer = respondToRecipient(address);
      done(answer === 'accept' ? null : toError(answer));
    },
    onData(stream, session, done) {
      const take = async (): Promise<void> => {
        const raw = (await buffer(stream)).toString();
        const { mailFrom, rcptTo } = session.envelope;
        const mail = {
          ...parseMail(raw),
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          isEncrypted: session.secure,
          user: session.user as string | undefined,
        };
        received.push(mail);
        const answer = await respond(mail);
        if (answer === 'drop') for (const connection of server.connections) connection.close();
        else done(answer === 'accept' ? null : toError(answer));
      };
      take().catch(done);
    },
  };
  const server = new SMTPServer(options);
  // A client that is killed resets its connection.
  server.on('error', () => undefined);
  const listening = server.listen(port, '127.0.0.1');
  await once(listening, 'listening');
  const actualPort = (listening.address() as AddressInfo).port;
  return {
    port: actualPort,
    url: `smtp://127.0.0.1:${actualPort}`,
    received,
    connections,
    answer: responder => {
      respond = responder;
    },
    answerRecipient: responder => {
      respondToRecipient = responder;
    },
    close: () => new Promise(resolve => server.close(() => resolve())),
  };
}

const toError = ({ code, text }: { readonly code: number; readonly text: string }): Error =>
  Object.assign(new Error(text), { responseCode: code });
