// Tests how mails are sent: retries, answers of the server, lost answers, killed and competing processes, and outages.
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { newId } from '../../../src/lib/ids.ts';
import type { Timing } from '../../../src/lib/timing.ts';
import { insertMail, type MailContent, type NewMail } from '../../../src/store/mails.ts';
import { insertNotice } from '../../../src/store/notices.ts';
import { enqueue } from '../../../src/store/queue.ts';
import { makeCertificate } from '../../support/network/certificate.ts';
import {
  type MailServer,
  type MailServerOptions,
  startMailServer,
} from '../../support/network/mail-server.ts';
import { waitUntil } from '../../support/processes.ts';
import { startTestService, type TestService } from '../../support/service.ts';

const CONTENT: MailContent = { subject: 'Hello', paragraphs: ['A paragraph.'], reason: 'it is a test' };

interface MailRow {
  readonly state: string;
  readonly attempts: number;
  readonly result: string | null;
  readonly content: unknown;
  readonly secret: unknown;
}

let server: MailServer;
let service: TestService;
const start = async (
  options: MailServerOptions = {},
  toUrl: (url: string) => string = url => url,
  timing: Partial<Timing> = { mailRetryMs: 50 },
): Promise<void> => {
  server = await startMailServer(options);
  service = await startTestService(
    { SMTP_URL: toUrl(server.url), MAIL_FROM: 'Graphwright <graphwright@example.com>' },
    timing,
  );
};
const stop = async (): Promise<void> => {
  await service.close();
  await server.close();
};

let count = 0;
const send = async (overrides: Partial<NewMail> = {}): Promise<string> => {
  const id = `mail_${count++}`;
  const mail = {
    id,
    userId: null,
    address: `${id}@example.com`,
    account: 'user:1',
    kind: 'test',
    cause: id,
    content: CONTENT,
    ...overrides,
  };
  assert.equal(await insertMail(service.db, mail), true);
  return id;
};
const read = async (id: string): Promise<MailRow> => {
  const { rows } = await service.db.query<MailRow>(
    'select state, attempts, result, content, secret from mails where id = $1',
    [id],
  );
  assert.ok(rows[0]);
  return rows[0];
};
const waitForState = async (id: string, state: string): Promise<MailRow> => {
  await waitUntil(`${id} to be ${state}`, async () => (await read(id)).state === state);
  return read(id);
};
const listReceived = (id: string) => server.received.filter(({ to }) => to[0]?.startsWith(`${id}@`) === true);

describe('a mail', () => {
  before(() => start());
  after(stop);
  afterEach(() => {
    server.answer(() => 'accept');
    server.answerRecipient(() => 'accept');
  });

  it('is sent as text and HTML, and its content is deleted', async () => {
    const id = await send();
    const { attempts, result, content, secret } = await waitForState(id, 'sent');
    assert.deepEqual([attempts, content, secret], [1, null, null]);
    assert.match(result ?? '', /^250/);
    const [mail] = listReceived(id);
    assert.ok(mail);
    assert.equal(mail.from, 'graphwright@example.com');
    assert.deepEqual(mail.to, [`${id}@example.com`]);
    assert.deepEqual(
      ['from', 'to', 'subject', 'message-id', 'auto-submitted'].map(name => mail.headers.get(name)),
      [
        'Graphwright <graphwright@example.com>',
        `${id}@example.com`,
        'Hello',
        `<${id}@example.com>`,
        'auto-generated',
      ],
    );
    assert.match(mail.text, /^A paragraph\./);
    assert.match(mail.html, /<p>A paragraph\.<\/p>/);
  });

  it('is sent again with the same Message-ID if the server refuses it for now', async () => {
    let answers = 0;
    server.answer(() => (++answers < 3 ? { code: 451, text: 'try later' } : 'accept'));
    const id = await send();
    const { attempts } = await waitForState(id, 'sent');
    assert.equal(attempts, 3);
    const ids = listReceived(id).map(({ headers }) => headers.get('message-id'));
    assert.deepEqual(new Set(ids), new Set([`<${id}@example.com>`]));
    assert.equal(ids.length, 3);
  });

  it('fails at once if the server refuses it for good, with its answer', async () => {
    server.answer(() => ({ code: 554, text: 'this is spam' }));
    const id = await send();
    const { attempts, result } = await waitForState(id, 'failed');
    assert.equal(attempts, 1);
    assert.match(result ?? '', /554 this is spam/);
  });

  it('fails at once if the recipient does not exist', async () => {
    server.answerRecipient(() => ({ code: 550, text: 'no such mailbox' }));
    const id = await send();
    assert.match((await waitForState(id, 'failed')).result ?? '', /550 no such mailbox/);
    assert.equal(listReceived(id).length, 0);
  });

  it('is not sent again if the connection is lost after the message', async () => {
    server.answer(() => 'drop');
    const id = await send();
    const { attempts } = await waitForState(id, 'unconfirmed');
    server.answer(() => 'accept');
    await waitForState(await send(), 'sent');
    assert.deepEqual([attempts, listReceived(id).length], [1, 1]);
  });

  it('that a killed process had handed over ends as unconfirmed, once its answer is overdue', async () => {
    const id = 'mail_killed';
    await service.db.query(
      `insert into mails (id, address, account, kind, cause, content, handed_over_at, expires_at)
       values ($1, 'mail_killed@example.com', 'user:1', 'test', 'c', $2, now() - interval '1 hour', now() + interval '1 day')`,
      [id, JSON.stringify(CONTENT)],
    );
    await enqueue(service.db, 'mail', [id]);
    await waitForState(id, 'unconfirmed');
    assert.equal(listReceived(id).length, 0);
  });

  it('is sent once, even if several jobs and processes send it at the same time', async () => {
    const other = await service.startAnother();
    try {
      const ids: string[] = [];
      for (let i = 0; i < 20; i++) ids.push(await send());
      for (let i = 0; i < 3; i++) await enqueue(service.db, 'mail', ids);
      for (const id of ids) await waitForState(id, 'sent');
      assert.deepEqual(
        ids.map(id => listReceived(id).length),
        ids.map(() => 1),
      );
    } finally {
      await other.close();
    }
  });

  it('is listed for administrators with the answer of the server, by state', async () => {
    server.answerRecipient(() => ({ code: 550, text: 'no such mailbox' }));
    const id = await send();
    await waitForState(id, 'failed');
    const list = await service.request<{ data: { id: string; result: string }[]; nextCursor: string | null }>(
      'GET',
      '/admin/mails?state=failed&limit=1',
    );
    assert.equal(list.status, 200);
    assert.equal(list.body.data.length, 1);
    assert.ok(list.body.nextCursor !== null);
    const next = await service.request<{ data: { id: string }[] }>(
      'GET',
      `/admin/mails?state=failed&limit=50&cursor=${list.body.nextCursor}`,
    );
    assert.ok([...list.body.data, ...next.body.data].some(mail => mail.id === id));
  });

  it('of a test is sent at once, and its response says what the server answered', async () => {
    const sent = await service.request<{ isSent: boolean; result: string }>('POST', '/admin/mails/test');
    assert.equal(sent.body.isSent, true);
    assert.match(sent.body.result, /^250/);
    assert.equal(server.received.at(-1)?.headers.get('subject'), 'Test mail');
    server.answer(() => ({ code: 554, text: 'not from you' }));
    const refused = await service.request<{ isSent: boolean; result: string }>('POST', '/admin/mails/test');
    assert.deepEqual([refused.body.isSent, /554/.test(refused.body.result)], [false, true]);
  });

  it('is sent without a picture that was deleted', async () => {
    const picture = { mediaId: newId('media'), alt: 'A <boat>' };
    const id = await send({ content: { ...CONTENT, picture } });
    await waitForState(id, 'sent');
    const [mail] = listReceived(id);
    assert.ok(mail);
    assert.deepEqual([/<img/.test(mail.html), mail.parts.length], [false, 2]);
  });

  it('fails if it expires before it could be sent', async () => {
    const id = await send({ expiresAt: new Date(0) });
    assert.match((await waitForState(id, 'failed')).result ?? '', /in time/);
    assert.equal(listReceived(id).length, 0);
  });

  it('fails if its address cannot be written in a command', async () => {
    for (const address of ['a>b@example.com', 'a\r\nRCPT TO:<x@example.com>@example.com']) {
      const id = await send({ address });
      await waitForState(id, 'failed');
    }
    assert.ok(server.received.every(({ to }) => to.length === 1 && to[0] !== 'x@example.com'));
  });

  it('goes to one address, even if its text looks like several', async () => {
    const id = await send({ address: 'a,b@example.com' });
    await waitUntil('the end', async () => (await read(id)).state !== 'waiting');
    assert.ok(server.received.every(({ to }) => to.length === 1 && to[0] !== 'b@example.com'));
  });

  it('to a domain with other letters is sent', async () => {
    const id = await send({ address: `mail_${count}@bücher.example` });
    await waitForState(id, 'sent');
    assert.equal(listReceived(id)[0]?.headers.get('to'), `${id}@xn--bcher-kva.example`);
  });
});

describe('a mail server', () => {
  afterEach(stop);

  it('that requires a password gets it over an encrypted connection', async () => {
    const { key, cert } = makeCertificate(['localhost']);
    const login = { user: 'gw', password: 'p@ss/word' };
    await start({ tls: { key, cert }, login }, url =>
      url
        .replace('//', `//gw:${encodeURIComponent(login.password)}@`)
        .concat('?tls.rejectUnauthorized=false'),
    );
    const id = await send();
    await waitForState(id, 'sent');
    assert.deepEqual(
      listReceived(id).map(({ isEncrypted, user }) => [isEncrypted, user]),
      [[true, 'gw']],
    );
  });

  it('that refuses the password gets no mail, and the mail waits', async () => {
    await start({ login: { user: 'gw', password: 'right' } }, url => url.replace('//', '//gw:wrong@'));
    const id = await send();
    await waitUntil('an attempt', async () => (await read(id)).attempts > 0);
    const { state, result } = await read(id);
    assert.equal(state, 'waiting');
    assert.match(result ?? '', /535/);
    assert.equal(server.received.length, 0);
  });

  it('that is down delays mails, and each is sent once when it is back', async () => {
    await start();
    await server.close();
    const ids: string[] = [];
    for (let i = 0; i < 50; i++) ids.push(await send());
    await waitUntil('an attempt', async () => {
      const { rows } = await service.db.query('select from mails where attempts > 0');
      return rows.length > 0;
    });
    server = await startMailServer({ port: server.port });
    for (const id of ids) await waitForState(id, 'sent');
    assert.deepEqual(
      ids.map(id => listReceived(id).length),
      ids.map(() => 1),
    );
  });
});

describe('a mail server that is down for an hour', () => {
  afterEach(stop);

  it('delays mails, which are sent once when it is back, or given up with a notice in the bell', async () => {
    // An hour takes 1.2 seconds.
    await start({}, url => url, { mailRetryMs: 5, maxMailOutageMs: 100 });
    const settings = await service.request('PUT', '/notices/settings', { credits_low: 'mail' });
    assert.equal(settings.status, 200);
    await server.close();
    const ids: string[] = [];
    for (let i = 0; i < 50; i++) ids.push(await send());
    await insertNotice(service.db, {
      kind: 'credits_low',
      cause: 'low',
      workspace: null,
      userId: null,
      title: 'Few credits are left',
      text: 'Add credits.',
      link: '/settings/credits',
    });
    const listNotices = async () =>
      (await service.request<{ data: readonly { title: string }[] }>('GET', '/notices')).body.data.map(
        ({ title }) => title,
      );
    assert.deepEqual(await listNotices(), []);
    const sumAttempts = async (): Promise<number> => {
      const { rows } = await service.db.query<{ sum: number }>(
        'select sum(attempts)::int as sum from mails where id = any ($1)',
        [ids],
      );
      return rows[0]?.sum ?? 0;
    };
    await waitUntil('sixteen attempts', async () => (await sumAttempts()) >= 16);
    const requested = await service.request('POST', '/auth/forgotten-password', { email: 'a@example.com' });
    assert.equal(requested.status, 202);
    await service.db.query(`update mails set expires_at = now() where kind = 'credits_low'`);
    await waitUntil('the notice', async () => (await listNotices()).length > 0);
    assert.deepEqual(await listNotices(), ['Few credits are left']);
    server = await startMailServer({ port: server.port });
    for (const id of ids) await waitForState(id, 'sent');
    assert.deepEqual(
      ids.map(id => listReceived(id).length),
      ids.map(() => 1),
    );
    assert.ok(server.received.every(({ headers }) => headers.get('subject') !== 'Few credits are left'));
  });
});
