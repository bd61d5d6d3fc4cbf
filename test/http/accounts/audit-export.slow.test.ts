// Tests that an export of the audit log reads no further than its caller does, and ends when its caller hangs up.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { after, before, it, mock } from 'node:test';
import { exportInstanceAudit } from '../../../src/services/audit/read-audit.ts';
import { type ApiUser, openTestApp, type TestApp } from '../../support/app.ts';
import { listenLocally } from '../../support/http/raw-http.ts';
import { waitUntil } from '../../support/processes.ts';

/** Several times as many as the buffers of a connection take. */
const ROWS = 60_000;
const PAGES = ROWS / 500;

let test: TestApp;
let admin: ApiUser;
let port: number;
before(async () => {
  test = await openTestApp();
  admin = await test.createUser();
  port = await listenLocally(test.app);
  await test.deps.db.withOwnConnection(client =>
    client.query(
      `insert into audit_events (id, at, user_id, via, action, target)
       select 'aud_0000000000' || lpad(n::text, 16, '0'), '1970-01-01', 7, 'service', 'key.created', repeat('k', 100)
       from generate_series(1, $1) n`,
      [ROWS],
    ),
  );
});
after(() => test.close());

/** Starts the export, and pauses it once its first part has arrived. */
async function startExport(): Promise<{ readonly sent: ClientRequest; readonly response: IncomingMessage }> {
  const sent = request({
    host: '127.0.0.1',
    port,
    path: '/api/v1/admin/audit?format=ndjson',
    headers: { authorization: `Bearer ${admin.key}` },
  }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  assert.equal(response.statusCode, 200);
  await once(response, 'readable');
  return { sent, response };
}

/** Counts the pages that are read until `work` resolves. */
async function countPages(work: (count: () => number) => Promise<void>): Promise<void> {
  const { db } = test.deps;
  const query = mock.method(db, 'query');
  try {
    await work(
      () =>
        query.mock.calls.filter(({ arguments: [statement] }) => statement.includes('from audit_events where'))
          .length,
    );
  } finally {
    query.mock.restore();
  }
}

/** By the time these have been answered, an export that does not wait has read dozens of pages. */
async function answerOthers(): Promise<void> {
  for (let i = 0; i < 100; i++) await admin.request('GET', '/admin/users?limit=1');
}

/** Answers other requests until the number of pages no longer changes. */
async function settle(count: () => number): Promise<number> {
  let last = -1;
  await waitUntil('the export to wait', async () => {
    const before = last;
    await answerOthers();
    last = count();
    return last === before;
  });
  return last;
}

it('a caller that does not read makes the export wait', async () => {
  await countPages(async count => {
    const { sent, response } = await startExport();
    const pages = await settle(count);
    assert.ok(pages > 0 && pages < PAGES / 2, `${pages} pages`);
    let lines = 0;
    for await (const chunk of response) lines += (chunk as Buffer).filter(byte => byte === 10).length;
    assert.ok(lines >= ROWS, `${lines} lines`);
    sent.destroy();
  });
});

it('a caller that hangs up ends the export', async () => {
  await countPages(async count => {
    const { sent } = await startExport();
    const before = await settle(count);
    sent.destroy();
    const pages = await settle(count);
    assert.ok(pages <= before + 1, `${before} pages, then ${pages}`);
    const { rows } = await test.deps.db.query(
      `select from pg_stat_activity where datname = current_database() and state <> 'idle' and pid <> pg_backend_pid()`,
    );
    assert.equal(rows.length, 0);
  });
});

it('rows as large as owners of teams can make them are sent in small parts', async () => {
  await test.deps.db.query(
    `insert into audit_events (id, at, user_id, via, action, before, after)
     select 'aud_0000000001' || lpad(n::text, 16, '0'), '1970-01-01', 8, 'service', 'policy.changed', v.value, v.value
     from generate_series(1, 1000) n, (select json_build_object('deny', repeat('x', 7900)) as value) v`,
  );
  const controller = new AbortController();
  const actor = {
    kind: 'user' as const,
    userId: admin.userId,
    credential: { kind: 'key' as const, id: 'key_1' },
    scopes: new Set(['instance:admin'] as const),
    accountPlan: '',
  };
  const stream = await exportInstanceAudit(test.deps, actor, { actor: 8 }, controller.signal);
  let [rows, largest] = [0, 0];
  for await (const chunk of stream) {
    const bytes = Buffer.from(chunk);
    largest = Math.max(largest, bytes.length);
    rows += bytes.filter(byte => byte === 10).length;
  }
  assert.equal(rows, 1000);
  assert.ok(largest <= 700_000, `${largest} bytes`);
});
