// Triggers of the kind hook: their address, payload, signature, repeated requests, limits, pausing and history.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import type { Execution } from '../../support/client.ts';
import { waitUntil } from '../../support/processes.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { edge, node } from '../../support/workflows.ts';
import { change, createTrigger, history, listRuns, read, type Trigger, untilHistory } from './support.ts';

const GRAPH = {
  nodes: [
    node('who', 'input:text', { value: 'nobody' }),
    node('n', 'input:number', { value: 7 }),
    node('out', 'output:preview'),
  ],
  edges: [edge('who.text > out.input')],
};
/** Fails, because nothing listens there. */
const FAILING = {
  nodes: [
    node('call', 'utility:http_request', { url: 'http://127.0.0.1:9/' }),
    node('out', 'output:preview'),
  ],
  edges: [edge('call.text > out.input')],
};

let service: TestService;
let workflow: string;
before(async () => {
  service = await startTestService({ ALLOW_PRIVATE_NETWORK: 'true' });
  workflow = await service.createWorkflow(GRAPH);
});
after(() => service.close());

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: { readonly executionId: string; readonly code?: string; readonly error?: string };
}
async function call(
  { url = '' }: Pick<Trigger, 'url'>,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  // BASE_URL of the test service is not its address.
  const response = await fetch(`${service.url}${new URL(url).pathname}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: text,
  });
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Answer['body'],
  };
}
const hook = (more: object = {}): Promise<Trigger> =>
  createTrigger(service, workflow, { kind: 'hook', inputs: { who: '/user/name', n: '/count' }, ...more });

describe('a hook', () => {
  it('starts a run with inputs from the payload', async () => {
    const trigger = await hook();
    assert.match(trigger.url ?? '', /\/in\/[\w-]{43}$/);
    const { status, body } = await call(trigger, { user: { name: 'Ada' }, count: 3 });
    assert.equal(status, 202);
    const run = (await service.waitForStatus(body.executionId)) as Execution & { triggerId: string };
    assert.deepEqual(
      [run.status, run.trigger, run.triggerId, run.inputs],
      ['COMPLETED', 'hook', trigger.id, { who: 'Ada', n: 3 }],
    );
    const [entry] = await history(service, trigger.id);
    assert.deepEqual([entry?.outcome, entry?.executionId], ['accepted', body.executionId]);
    const shown = await read(service, trigger.id);
    assert.deepEqual([shown.lastExecutionId, shown.url], [body.executionId, undefined]);
  });

  it('keeps the value of a node whose pointer finds nothing, and takes text as it is', async () => {
    const trigger = await hook({ inputs: { who: '' } });
    const { body } = await call(trigger, 'Hello', { 'content-type': 'text/plain' });
    assert.deepEqual((await service.waitForStatus(body.executionId)).inputs, { who: 'Hello' });
    const other = await hook();
    const empty = await call(other, {});
    assert.deepEqual((await service.waitForStatus(empty.body.executionId)).inputs, {});
  });

  it('is known by its token alone, of which only a hash is stored', async () => {
    const trigger = await hook();
    assert.equal((await call({ url: 'http://x/in/unknown' }, {})).status, 404);
    const token = trigger.url?.split('/').at(-1) ?? '';
    const { rows } = await service.db.query<{ text: string }>(
      'select row_to_json(t)::text as text from triggers t where id = $1',
      [trigger.id],
    );
    assert.ok(!rows[0]?.text.includes(token));
    const renewed = await change(service, trigger.id, { renewToken: true });
    assert.equal((await call(trigger, {})).status, 404);
    assert.equal((await call(renewed.body, {})).status, 202);
  });

  it('starts nothing for a webhook-id that it knows, also at the same time', async () => {
    const trigger = await hook();
    const same = () => call(trigger, { user: { name: 'Once' } }, { 'webhook-id': 'msg_1' });
    const answers = [...(await Promise.all([same(), same(), same()])), await same()];
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [202]);
    assert.equal(new Set(answers.map(({ body }) => body.executionId)).size, 1);
    assert.equal((await listRuns(service, workflow, trigger.id)).length, 1);
    await service.db.query(
      `update trigger_items set seen_at = now() - interval '25 hours', status = 'done' where trigger_id = $1`,
      [trigger.id],
    );
    await service.db.query('delete from idempotency_keys');
    assert.notEqual((await same()).body.executionId, answers[0]?.body.executionId, 'a day later');
  });

  it('requires the signature of its secret, and tells only its history what is wrong', async () => {
    const secret = `whsec_${Buffer.from('a secret of the hook').toString('base64')}`;
    const trigger = await hook({ config: { secret } });
    assert.deepEqual(trigger.config, { hasSecret: true });
    const body = JSON.stringify({ user: { name: 'Signed' } });
    const sign = (at: Date, key = secret) => ({
      'webhook-id': 'msg_signed',
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': new Webhook(key).sign('msg_signed', at, body),
    });
    const now = new Date();
    const other = `whsec_${Buffer.from('another secret').toString('base64')}`;
    const refused = [{}, sign(new Date(now.getTime() - 600_000)), sign(now, other)];
    const answers = [];
    for (const headers of refused) answers.push(await call(trigger, body, headers as Record<string, string>));
    assert.deepEqual(
      answers.map(({ status, body: { code } }) => [status, code]),
      refused.map(() => [401, 'unauthorized']),
    );
    assert.equal(new Set(answers.map(({ body }) => body.error)).size, 1);
    const reasons = (await untilHistory(service, trigger.id, 'refused', 3)).map(({ reason }) => reason);
    for (const [index, expected] of [/was missing/, /five minutes/, /did not match/].entries())
      assert.match(reasons[index] ?? '', expected);
    assert.equal((await call(trigger, body, sign(now))).status, 202);
    const unsigned = await change(service, trigger.id, { config: { secret: null } });
    assert.deepEqual(unsigned.body.config, { hasSecret: false });
    assert.equal((await call(trigger, body)).status, 202);
  });

  it('answers 409 while it is paused', async () => {
    const trigger = await hook({ isActive: false });
    const { status, body } = await call(trigger, {});
    assert.deepEqual([status, body.code], [409, 'trigger_paused']);
    await change(service, trigger.id, { isActive: true });
    assert.equal((await call(trigger, {})).status, 202);
  });

  it('refuses what is not JSON, too large, or nested too deeply', async () => {
    const trigger = await hook();
    assert.equal((await call(trigger, '{"a":')).body.code, 'invalid_json');
    assert.equal((await call(trigger, JSON.stringify('x'.repeat(1_100_000)))).status, 413);
    assert.equal((await call(trigger, '['.repeat(100_000))).status, 400);
    assert.equal((await listRuns(service, workflow, trigger.id)).length, 0);
  });

  it('takes 60 requests a minute, without touching other hooks', async () => {
    const [busy, other] = [await hook(), await hook()];
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) => call(busy, {}, { 'webhook-id': `same-${index % 5}` })),
    );
    const counts = Map.groupBy(answers, ({ status }) => status);
    // A minute may end in between.
    const accepted = counts.get(202)?.length ?? 0;
    assert.ok(accepted === 60 || accepted === 120, `${accepted} accepted`);
    assert.equal(counts.get(429)?.length, 200 - accepted);
    const [limited] = counts.get(429) ?? [];
    assert.equal(limited?.body.code, 'rate_limited');
    assert.ok(Number(limited?.headers.get('retry-after')) > 0);
    assert.equal((await call(other, {})).status, 202);
    assert.equal((await listRuns(service, workflow, busy.id)).length, 5);
  });

  it('is refused without the database once its minute is used up', async () => {
    const trigger = await hook();
    const same = { 'webhook-id': 'same' };
    const send = async (count: number): Promise<readonly number[]> =>
      (await Promise.all(Array.from({ length: count }, () => call(trigger, {}, same)))).map(
        ({ status }) => status,
      );
    // The limit must not start anew before the end.
    const leftMs = 60_000 - (Date.now() % 60_000);
    if (leftMs < 20_000) await sleep(leftMs);
    await send(70);
    const client = await service.db.pool.connect();
    try {
      // Whoever reads the trigger waits.
      await client.query('begin; lock table triggers in access exclusive mode');
      assert.deepEqual(await send(2), [429, 429]);
    } finally {
      await client.query('rollback');
      client.release();
    }
  });

  it('pauses after five failed runs in a row, with a reason and a notice', async () => {
    const failing = await service.createWorkflow(FAILING);
    const trigger = await createTrigger(service, failing, { kind: 'hook', name: 'Orders' });
    for (let count = 0; count < 5; count++)
      await service.waitForStatus((await call(trigger, {})).body.executionId);
    await waitUntil('the trigger to pause', async () => !(await read(service, trigger.id)).isActive);
    assert.equal((await read(service, trigger.id)).pausedReason, 'failures');
    assert.equal((await call(trigger, {})).status, 409);
    const { body } = await service.request<{ data: { kind: string; title: string }[] }>('GET', '/notices');
    assert.deepEqual(
      body.data.filter(({ kind }) => kind === 'trigger_paused').map(({ title }) => title),
      ['Trigger paused: Orders'],
    );
    assert.equal((await change(service, trigger.id, { isActive: true })).body.pausedReason, null);
  });

  it('does not count runs by hand', async () => {
    const failing = await service.createWorkflow(FAILING);
    const trigger = await createTrigger(service, failing, { kind: 'hook', isActive: false });
    for (let count = 0; count < 6; count++) {
      const { status, body } = await service.request<Answer['body']>(
        'POST',
        `/triggers/${trigger.id}/run`,
        {},
      );
      assert.equal(status, 202);
      await service.waitForStatus(body.executionId);
    }
    await change(service, trigger.id, { isActive: true });
    await untilHistory(service, trigger.id, 'accepted', 6);
    assert.equal((await read(service, trigger.id)).isActive, true);
  });

  it('says in the answer of a refused run only that it was refused', async () => {
    const paused = await service.createWorkflow(GRAPH);
    const trigger = await createTrigger(service, paused, { kind: 'hook' });
    await service.request('PUT', `/workflows/${paused}`, { isActive: false });
    const { status, body } = await call(trigger, {}, { 'webhook-id': 'msg_later' });
    assert.deepEqual([status, body.code], [409, 'trigger_refused']);
    assert.match((await history(service, trigger.id))[0]?.reason ?? '', /inactive/);
    await service.request('PUT', `/workflows/${paused}`, { isActive: true });
    assert.equal((await call(trigger, {}, { 'webhook-id': 'msg_later' })).status, 202, 'sent again');
  });

  it('pauses when its creator may no longer run the workflow', async () => {
    const user = await service.createUser({ keyScopes: ['workflows:read', 'workflows:execute'] });
    const share = { userId: user.userId, role: 'EDIT' };
    await service.request('PUT', `/workflows/${workflow}/permissions`, share);
    const trigger = await createTrigger(user, workflow, { kind: 'hook' });
    const removed = await service.request('DELETE', `/workflows/${workflow}/permissions/${user.userId}`);
    assert.equal(removed.status, 200);
    assert.equal((await call(trigger, {})).body.code, 'trigger_refused');
    const shown = await read(service, trigger.id);
    assert.deepEqual([shown.isActive, shown.pausedReason], [false, 'access_lost']);
  });
});

describe('POST /workflows/{id}/triggers', () => {
  it('refuses a configuration of another kind, a missing one, and unknown inputs', async () => {
    const create = (body: object) =>
      service.request<Trigger>('POST', `/workflows/${workflow}/triggers`, body);
    for (const [body, code] of [
      [{ kind: 'hook', config: { url: 'https://example.com' } }, 'invalid_request'],
      [{ kind: 'feed' }, 'invalid_request'],
      [{ kind: 'feed', config: { url: 'ftp://example.com/feed' } }, 'invalid_request'],
      [{ kind: 'feed', config: { url: 'https://example.com', everyMinutes: 4 } }, 'invalid_request'],
      [{ kind: 'after' }, 'invalid_request'],
      [{ kind: 'bucket', config: { prefix: 'media/' } }, 'invalid_request'],
      [{ kind: 'hook', inputs: { out: '/a' } }, 'invalid_inputs'],
      [{ kind: 'hook', inputs: { who: 'a' } }, 'invalid_request'],
    ] as const)
      assert.deepEqual([(await create(body)).status, (await create(body)).body.code], [400, code]);
  });

  it('lets a workspace have 100 active triggers', async () => {
    const many = await service.createUser();
    const own = await many.createWorkflow(GRAPH);
    const first = await createTrigger(many, own, { kind: 'hook' });
    await service.db.query(
      `insert into triggers (id, workflow_id, user_id, workspace, kind, name, config, inputs)
       select 'trg_' || n, workflow_id, user_id, workspace, kind, name, config, inputs
       from triggers, generate_series(1, 99) n where id = $1`,
      [first.id],
    );
    const refused = await many.request<Trigger>('POST', `/workflows/${own}/triggers`, { kind: 'hook' });
    assert.deepEqual([refused.status, refused.body.code], [409, 'conflict']);
    assert.equal((await change(many, first.id, { isActive: false })).status, 200);
    await createTrigger(many, own, { kind: 'hook' });
    assert.equal((await change(many, first.id, { isActive: true })).status, 409);
  });
});
