// Tests what the API shows administrators: users with credits, plans, providers, workers and the queue.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createPerson } from '../../support/accounts/people.ts';
import { type ApiUser, createTestApp, type TestApp } from '../../support/app.ts';
import { type Receiver, startReceiver } from '../../support/network/receiver.ts';
import { assertRefused, createWorkflow } from '../../support/workflows.ts';

interface Provider {
  readonly name: string;
  readonly isConfigured: boolean;
  readonly answers: boolean | null;
  readonly error: string | null;
  readonly latencyMs: number | null;
}

let nowMs: number;
let receiver: Receiver;
let test: TestApp;
let admin: ApiUser;
before(async () => {
  nowMs = Date.now();
  receiver = await startReceiver();
  test = await createTestApp({
    now: () => nowMs,
    env: {
      OPENAI_API_KEY: 'sk-openai',
      OPENAI_BASE_URL: receiver.url.replace(/\/$/, ''),
      COMFYUI_URL: 'http://127.0.0.1:9',
      REPLICATE_API_TOKEN: 'r8',
      REPLICATE_BASE_URL: 'http://127.0.0.1:9',
    },
  });
  admin = await test.createUser();
});
after(async () => {
  await test.close();
  await receiver.close();
});

describe('GET /admin/users', () => {
  it('searches names and emails', async () => {
    const person = await createPerson(test, admin, { name: 'Zoë 100%', credits: 40 });
    type Page = {
      data: { userId: number; hasPassword: boolean; credits: object; lastSeenAt: string | null }[];
    };
    const find = async (query: string) =>
      (await admin.request<Page>('GET', `/admin/users?query=${encodeURIComponent(query)}`)).body.data;
    const [user, ...otherUsers] = await find('ZOË 100%');
    assert.ok(user !== undefined && otherUsers.length === 0);
    assert.deepEqual(
      [user.userId, user.hasPassword, user.credits],
      [person.userId, true, { balance: 40, held: 0 }],
    );
    assert.ok(Date.parse(user.lastSeenAt ?? '') <= nowMs);
    assert.deepEqual(
      (await find(person.email)).map(({ userId }) => userId),
      [person.userId],
    );
    assert.deepEqual(await find('nobody%'), []);
    assertRefused(await admin.request('GET', '/admin/users?query='), 400, 'invalid_request');
  });
});

describe('GET /admin/credits', () => {
  it('returns the ledger of a user or a team', async () => {
    const user = await test.createUser();
    await admin.request('POST', '/admin/credits', { userId: user.userId, amount: 7, note: 'hello' });
    const { body } = await admin.request<{ balance: number; entries: { note: string }[] }>(
      'GET',
      `/admin/credits?userId=${user.userId}`,
    );
    assert.deepEqual([body.balance, body.entries.map(({ note }) => note)], [7, ['hello']]);
    const team = (await user.request<{ id: string }>('POST', '/teams', { name: 'T' })).body.id;
    assert.equal((await admin.request('GET', `/admin/credits?teamId=${team}`)).body.teamId, team);
    assert.equal((await admin.request('GET', '/admin/credits')).body.balance, 0);
    assertRefused(
      await admin.request('GET', `/admin/credits?userId=1&teamId=${team}`),
      400,
      'invalid_request',
    );
    assertRefused(await admin.request('GET', '/admin/credits?userId=999999'), 404, 'not_found');
    assertRefused(await admin.request('GET', '/admin/credits?teamId=team_x'), 404, 'not_found');
  });
});

describe('GET /admin/plans', () => {
  it('lists every plan that a user can have', async () => {
    const { body } = await admin.request<{ plans: { name: string; isDefault: boolean }[] }>(
      'GET',
      '/admin/plans',
    );
    assert.deepEqual(
      body.plans.filter(({ isDefault }) => isDefault).map(({ name }) => name),
      ['free'],
    );
    assert.ok(!body.plans.some(({ name }) => name === 'anonymous'));
  });
});

describe('GET /admin/providers', () => {
  const fetchProviders = async () => {
    const { body } = await admin.request<{ providers: Provider[] }>('GET', '/admin/providers');
    return Object.fromEntries(body.providers.map(provider => [provider.name, provider]));
  };

  it('checks each configured provider at most every ten seconds', async () => {
    receiver.answer(res => res.writeHead(200).end('{}'));
    const first = await fetchProviders();
    assert.deepEqual([first.openai?.answers, first.openai?.error], [true, null]);
    assert.equal(receiver.received.at(-1)?.headers.authorization, 'Bearer sk-openai');
    assert.deepEqual(
      [first.fal?.isConfigured, first.fal?.answers, first.fal?.latencyMs],
      [false, null, null],
    );
    assert.match(first.comfyui?.error ?? '', /connected/);
    assert.match(first.replicate?.error ?? '', /connected/);
    await fetchProviders();
    assert.equal(receiver.received.length, 1);
    for (const [status, pattern] of [
      [401, /key was rejected/],
      [503, /error/],
    ] as const) {
      nowMs += 10_001;
      receiver.answer(res => res.writeHead(status).end());
      const { openai } = await fetchProviders();
      assert.equal(openai?.answers, false);
      assert.match(openai?.error ?? '', pattern);
    }
    assert.ok(!JSON.stringify(await fetchProviders()).includes('sk-openai'));
  });

  it('checks a stored instance credential as soon as it is created, replaced or deleted', async () => {
    receiver.answer(res => res.writeHead(200).end('{}'));
    const getLastSentKey = () => receiver.received.at(-1)?.headers.authorization;
    const values = { apiKey: 'sk-stored', baseUrl: `${receiver.url}/v9` };
    const input = { kind: 'openai', name: 'Stored', owner: 'instance', values };
    const { id } = (await admin.request<{ id: string }>('POST', '/credentials', input)).body;
    assert.equal((await fetchProviders()).openai?.error, null);
    assert.deepEqual([getLastSentKey(), receiver.received.at(-1)?.path], ['Bearer sk-stored', '/v9/models']);
    await admin.request('PATCH', `/credentials/${id}`, { values: { ...values, apiKey: 'sk-replaced' } });
    await fetchProviders();
    assert.equal(getLastSentKey(), 'Bearer sk-replaced');
    await admin.request('DELETE', `/credentials/${id}`);
    await fetchProviders();
    assert.equal(getLastSentKey(), 'Bearer sk-openai');
  });
});

describe('GET /admin/workload', () => {
  it('returns queue lengths, waiting times and workers', async () => {
    const { id } = await createWorkflow(admin);
    await admin.request('POST', `/workflows/${id}/run`, {});
    await test.deps.db.query(
      `insert into workers (id, pools, hostname, pid, pid_started, heartbeat_at)
       values ('wrk_live', '{}', 'here', 7, '', now()), ('wrk_dead', '{}', 'there', 8, '', now() - interval '1 minute')`,
    );
    const { body } = await admin.request<{
      runs: object;
      oldestQueuedSeconds: number | null;
      workers: { id: string; isAlive: boolean; runs: number }[];
    }>('GET', '/admin/workload');
    assert.deepEqual(body.runs, { queued: 1, running: 0, waiting: 0 });
    assert.equal(typeof body.oldestQueuedSeconds, 'number');
    assert.deepEqual(body.workers.map(({ id, isAlive, runs }) => [id, isAlive, runs]).sort(), [
      ['wrk_dead', false, 0],
      ['wrk_live', true, 0],
    ]);
  });

  it('requires instance:admin, like every other /admin route in this file', async () => {
    const user = await test.createUser({ scopes: ['account:admin', 'workflows:write'] });
    for (const path of ['workload', 'providers', 'plans', 'credits?userId=1', 'users'])
      assertRefused(await user.request('GET', `/admin/${path}`), 401, 'insufficient_scope');
  });
});
