// Tests triggers that start a run for each request to their URL.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import type { Execution } from '../../support/client.ts';
import { waitUntil } from '../../support/processes.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { edge, node } from '../../support/workflows.ts';
import { FAILING_GRAPH } from '../graphs.ts';
import {
  changeTrigger,
  createTrigger,
  listHistory,
  listRuns,
  readTrigger,
  type Trigger,
  waitForHistory,
} from './support.ts';

const GRAPH = {
  nodes: [
    node('who', 'input:text', { value: 'nobody' }),
    node('n', 'input:number', { value: 7 }),
    node('out', 'output:preview'),
  ],
  edges: [edge('who.text > out.input')],
};

let service: TestService;
let workflow: string;
before(async () => {
  service = await startTestService({ ALLOW_PRIVATE_NETWORK: 'true' });
  workflow = await service.createWorkflow(GRAPH);
});
after(() => service.close());

interface HookResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: { readonly executionId: string; readonly code?: string; readonly error?: string };
}
async function sendToHook(
  { url = '' }: Pick<Trigger, 'url'>,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<HookResponse> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  // The service listens at another address than BASE_URL.
  const response = await fetch(`${service.url}${new URL(url).pathname}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: text,
  });
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as HookResponse['body'],
  };
}
const createHook = (more: object = {}): Promise<Trigger> =>
  createTrigger(service, workflow, { kind: 'hook', inputs: { who: '/user/name', n: '/count' }, ...more });

describe('a hook trigger', () => {
  it('selects from forms, and from JSON with another content type or a byte order mark', async () => {
    const trigger = await createTrigger(service, workflow, { kind: 'hook', inputs: { who: '/name' } });
    const whole = await createTrigger(service, workflow, { kind: 'hook', inputs: { who: '' } });
    const form = 'application/x-www-form-urlencoded';
    for (const [hook, body, type, who] of [
      [trigger, 'name=Ada+L%21&x=1', form, 'Ada L!'],
      [trigger, '{"name":"Ada"}', form, 'Ada'],
      [trigger, '{"name":"Ada"}', 'text/plain', 'Ada'],
      [trigger, '\ufeff{"name":"Ada"}', 'application/cloudevents+json', 'Ada'],
      [whole, '{"name":"Ada"', 'text/plain', '{"name":"Ada"'],
      [whole, 'a = b', form, 'a = b'],
    ] as const) {
      const { body: started } = await sendToHook(hook, body, { 'content-type': type });
      const run = await service.waitForStatus(started.executionId);
      assert.deepEqual((run as Execution).inputs, { who }, `${type}: ${body}`);
    }
  });

  it('starts a run with inputs from the payload', async () => {
    const trigger = await createHook();
    assert.match(trigger.url ?? '', /\/in\/[\w-]{43}$/);
    const { status, body } = await sendToHook(trigger, { user: { name: 'Ada' }, count: 3 });
    assert.equal(status, 202);
    const run = (await service.waitForStatus(body.executionId)) as Execution & { triggerId: string };
    assert.deepEqual(
      [run.status, run.trigger, run.triggerId, run.inputs],
      ['COMPLETED', 'hook', trigger.id, { who: 'Ada', n: 3 }],
    );
    const [entry] = await listHistory(service, trigger.id);
    assert.deepEqual([entry?.outcome, entry?.executionId], ['accepted', body.executionId]);
    const current = await readTrigger(service, trigger.id);
    assert.deepEqual([current.lastExecutionId, current.url], [body.executionId, undefined]);
  });

  it('takes the digits of a long number as they were sent', async () => {
    const { body } = await sendToHook(
      await createHook({ inputs: { who: '/user/id' } }),
      '{"user":{"id":7615917337495251231}}',
    );
    const { outputs } = await service.waitForStatus(body.executionId);
    assert.match(JSON.stringify(outputs), /"7615917337495251231/);
  });

  it('accepts a text payload and a payload without the mapped values', async () => {
    const trigger = await createHook({ inputs: { who: '' } });
    const { body } = await sendToHook(trigger, 'Hello', { 'content-type': 'text/plain' });
    assert.deepEqual((await service.waitForStatus(body.executionId)).inputs, { who: 'Hello' });
    const otherHook = await createHook();
    const empty = await sendToHook(otherHook, {});
    assert.deepEqual((await service.waitForStatus(empty.body.executionId)).inputs, {});
  });

  it('refuses a payload from which it takes more than 4 MB of inputs', async () => {
    const ids = Array.from({ length: 100 }, (_, index) => `t${index}`);
    const wideWorkflow = await service.createWorkflow({
      nodes: [...ids.map(id => node(id, 'input:text')), node('out', 'output:preview')],
      edges: [edge('t0.text > out.input')],
    });
    const trigger = await createTrigger(service, wideWorkflow, {
      kind: 'hook',
      inputs: Object.fromEntries(ids.map(id => [id, ''])),
    });
    const { status, body } = await sendToHook(trigger, 'x'.repeat(50_000), { 'content-type': 'text/plain' });
    assert.deepEqual([status, body.code], [413, 'payload_too_large']);
    const [entry] = await listHistory(service, trigger.id);
    assert.equal(entry?.outcome, 'refused');
    assert.match(entry?.reason ?? '', /more than 4194304 bytes in all/);
    assert.deepEqual(await listRuns(service, wideWorkflow, trigger.id), []);
  });

  it('is identified by a token that is stored only as a hash', async () => {
    const trigger = await createHook();
    for (const unknown of ['unknown', 'x'.repeat(900)])
      assert.equal((await sendToHook({ url: `http://x/in/${unknown}` }, {})).status, 404);
    const token = trigger.url?.split('/').at(-1) ?? '';
    const { rows } = await service.db.query<{ text: string }>(
      'select row_to_json(t)::text as text from triggers t where id = $1',
      [trigger.id],
    );
    assert.ok(!rows[0]?.text.includes(token));
    const renewed = await changeTrigger(service, trigger.id, { renewToken: true });
    assert.equal((await sendToHook(trigger, {})).status, 404);
    assert.equal((await sendToHook(renewed.body, {})).status, 202);
  });

  it('starts one run for concurrent and repeated requests with the same webhook-id', async () => {
    const trigger = await createHook();
    const sendSameId = () => sendToHook(trigger, { user: { name: 'Once' } }, { 'webhook-id': 'msg_1' });
    const responses = [
      ...(await Promise.all([sendSameId(), sendSameId(), sendSameId()])),
      await sendSameId(),
    ];
    assert.deepEqual([...new Set(responses.map(({ status }) => status))], [202]);
    assert.equal(new Set(responses.map(({ body }) => body.executionId)).size, 1);
    assert.equal((await listRuns(service, workflow, trigger.id)).length, 1);
    await service.db.query(
      `update trigger_items set seen_at = now() - interval '25 hours', status = 'done' where trigger_id = $1`,
      [trigger.id],
    );
    await service.db.query('delete from idempotency_keys');
    assert.notEqual((await sendSameId()).body.executionId, responses[0]?.body.executionId, 'a day later');
  });

  it('requires a signature if it has a secret', async () => {
    const secret = `whsec_${Buffer.from('a secret of the hook here').toString('base64')}`;
    const trigger = await createHook({ config: { secret } });
    assert.deepEqual(trigger.config, { hasSecret: true });
    const body = JSON.stringify({ user: { name: 'Signed' } });
    const sign = (at: Date, key = secret) => ({
      'webhook-id': 'msg_signed',
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': new Webhook(key).sign('msg_signed', at, body),
    });
    const now = new Date();
    const otherSecret = `whsec_${Buffer.from('another secret of the hook').toString('base64')}`;
    const invalidHeaders = [{}, sign(new Date(now.getTime() - 600_000)), sign(now, otherSecret)];
    const responses = [];
    for (const headers of invalidHeaders)
      responses.push(await sendToHook(trigger, body, headers as Record<string, string>));
    assert.deepEqual(
      responses.map(({ status, body: { code } }) => [status, code]),
      invalidHeaders.map(() => [401, 'unauthorized']),
    );
    assert.equal(new Set(responses.map(({ body }) => body.error)).size, 1);
    const reasons = (await waitForHistory(service, trigger.id, 'refused', 3)).map(({ reason }) => reason);
    for (const [index, expected] of [/was missing/, /five minutes/, /did not match/].entries())
      assert.match(reasons[index] ?? '', expected);
    assert.equal((await sendToHook(trigger, body, sign(now))).status, 202);
    const unsigned = await changeTrigger(service, trigger.id, { config: { secret: null } });
    assert.deepEqual(unsigned.body.config, { hasSecret: false });
    assert.equal((await sendToHook(trigger, body)).status, 202);
  });

  it('responds with 409 while it is paused', async () => {
    const trigger = await createHook({ isActive: false });
    const { status, body } = await sendToHook(trigger, {});
    assert.deepEqual([status, body.code], [409, 'trigger_paused']);
    await changeTrigger(service, trigger.id, { isActive: true });
    assert.equal((await sendToHook(trigger, {})).status, 202);
  });

  it('refuses a payload that is malformed, too large, or nested too deeply', async () => {
    const trigger = await createHook();
    assert.equal((await sendToHook(trigger, '{"a":')).body.code, 'invalid_json');
    assert.equal((await sendToHook(trigger, JSON.stringify('x'.repeat(1_100_000)))).status, 413);
    assert.equal((await sendToHook(trigger, '['.repeat(100_000))).status, 400);
    assert.equal((await listRuns(service, workflow, trigger.id)).length, 0);
  });

  it('accepts 60 requests per minute', async () => {
    const [busyHook, otherHook] = [await createHook(), await createHook()];
    const getMinute = (): number => Math.floor(Date.now() / 60_000);
    const startMinute = getMinute();
    const responses = await Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        sendToHook(busyHook, {}, { 'webhook-id': `same-${index % 5}` }),
      ),
    );
    const counts = Map.groupBy(responses, ({ status }) => status);
    const acceptedCount = counts.get(202)?.length ?? 0;
    // A new minute may start between any two requests.
    const maxCount = 60 * (1 + getMinute() - startMinute);
    assert.ok(acceptedCount >= 60 && acceptedCount <= maxCount, `${acceptedCount} accepted`);
    assert.equal(counts.get(429)?.length, 200 - acceptedCount);
    const [limited] = counts.get(429) ?? [];
    assert.equal(limited?.body.code, 'rate_limited');
    assert.ok(Number(limited?.headers.get('retry-after')) > 0);
    assert.equal((await sendToHook(otherHook, {})).status, 202);
    assert.equal((await listRuns(service, workflow, busyHook.id)).length, 5);
  });

  it('answers 60 requests of a network to unknown tokens per minute, and still those to hooks', async () => {
    const trigger = await createHook();
    assert.equal((await sendToHook(trigger, {})).status, 202);
    const guess = (): Promise<HookResponse> => sendToHook({ url: 'http://x/in/a-guess' }, {});
    const guesses: HookResponse[] = [];
    // The count starts again if a minute ends meanwhile.
    while (guesses.at(-1)?.status !== 429 && guesses.length < 2 * 61) guesses.push(await guess());
    const last = guesses.at(-1);
    assert.deepEqual([guesses[0]?.status, last?.status, last?.body.code], [404, 429, 'rate_limited']);
    assert.ok(Number(last?.headers.get('retry-after')) > 0);
    assert.equal((await sendToHook(trigger, {})).status, 202);
  });

  it('refuses requests over the limit without a database query', async () => {
    const headers = { 'webhook-id': 'same' };
    const send = async (trigger: Trigger, count: number): Promise<readonly number[]> =>
      (await Promise.all(Array.from({ length: count }, () => sendToHook(trigger, {}, headers)))).map(
        ({ status }) => status,
      );
    /** Returns undefined if a minute ended, which resets the limit, so that the requests may wait for the database. */
    const sendOverLimit = async (): Promise<readonly number[] | undefined> => {
      const trigger = await createHook();
      const endMs = Math.ceil(Date.now() / 60_000) * 60_000;
      await send(trigger, 70);
      const client = await service.db.pool.connect();
      try {
        // Blocks all reads of triggers.
        await client.query('begin; lock table triggers in access exclusive mode');
        const minuteEnd = sleep(Math.max(0, endMs - Date.now()), undefined, { ref: false });
        return await Promise.race([send(trigger, 2), minuteEnd]);
      } finally {
        await client.query('rollback');
        client.release();
      }
    };
    assert.deepEqual((await sendOverLimit()) ?? (await sendOverLimit()), [429, 429]);
  });

  it('pauses with a notice after five consecutive failed runs', async () => {
    const workflowId = await service.createWorkflow(FAILING_GRAPH);
    const trigger = await createTrigger(service, workflowId, { kind: 'hook', name: 'Orders' });
    for (let count = 0; count < 5; count++)
      await service.waitForStatus((await sendToHook(trigger, {})).body.executionId);
    await waitUntil('the trigger to pause', async () => !(await readTrigger(service, trigger.id)).isActive);
    assert.equal((await readTrigger(service, trigger.id)).pausedReason, 'failures');
    assert.equal((await sendToHook(trigger, {})).status, 409);
    const { body } = await service.request<{ data: { kind: string; title: string }[] }>('GET', '/notices');
    assert.deepEqual(
      body.data.filter(({ kind }) => kind === 'trigger_paused').map(({ title }) => title),
      ['Trigger paused: Orders'],
    );
    assert.equal((await changeTrigger(service, trigger.id, { isActive: true })).body.pausedReason, null);
  });

  it('does not pause after failed manual runs', async () => {
    const workflowId = await service.createWorkflow(FAILING_GRAPH);
    const trigger = await createTrigger(service, workflowId, { kind: 'hook', isActive: false });
    for (let count = 0; count < 6; count++) {
      const { status, body } = await service.request<HookResponse['body']>(
        'POST',
        `/triggers/${trigger.id}/run`,
        {},
      );
      assert.equal(status, 202);
      await service.waitForStatus(body.executionId);
    }
    await changeTrigger(service, trigger.id, { isActive: true });
    await waitForHistory(service, trigger.id, 'accepted', 6);
    assert.equal((await readTrigger(service, trigger.id)).isActive, true);
  });

  it('does not tell the sender why a run was refused', async () => {
    const inactiveWorkflow = await service.createWorkflow(GRAPH);
    const trigger = await createTrigger(service, inactiveWorkflow, { kind: 'hook' });
    await service.request('PUT', `/workflows/${inactiveWorkflow}`, { isActive: false });
    const { status, body } = await sendToHook(trigger, {}, { 'webhook-id': 'msg_later' });
    assert.deepEqual([status, body.code], [409, 'trigger_refused']);
    assert.match((await listHistory(service, trigger.id))[0]?.reason ?? '', /inactive/);
    await service.request('PUT', `/workflows/${inactiveWorkflow}`, { isActive: true });
    assert.equal((await sendToHook(trigger, {}, { 'webhook-id': 'msg_later' })).status, 202, 'sent again');
  });

  it('pauses if its creator may no longer run the workflow', async () => {
    const user = await service.createUser({ keyScopes: ['workflows:read', 'workflows:execute'] });
    const share = { userId: user.userId, role: 'EDIT' };
    await service.request('PUT', `/workflows/${workflow}/permissions`, share);
    const trigger = await createTrigger(user, workflow, { kind: 'hook' });
    const removal = await service.request('DELETE', `/workflows/${workflow}/permissions/${user.userId}`);
    assert.equal(removal.status, 200);
    assert.equal((await sendToHook(trigger, {})).body.code, 'trigger_refused');
    const current = await readTrigger(service, trigger.id);
    assert.deepEqual([current.isActive, current.pausedReason], [false, 'access_lost']);
  });
});

describe('PATCH /triggers/{id}', () => {
  it('refuses unknown inputs and changes nothing', async () => {
    const trigger = await createHook();
    const refusal = await changeTrigger(service, trigger.id, { name: 'Renamed', inputs: { out: '/a' } });
    assert.deepEqual([refusal.status, refusal.body.code], [400, 'invalid_inputs']);
    assert.equal((await readTrigger(service, trigger.id)).name, trigger.name);
    assert.equal((await changeTrigger(service, trigger.id, { inputs: { who: '/name' } })).status, 200);
    const { body } = await sendToHook(trigger, { name: 'Grace' });
    assert.deepEqual((await service.waitForStatus(body.executionId)).inputs, { who: 'Grace' });
  });

  it('renews the address for its creator only, because its runs have the permissions of the creator', async () => {
    const trigger = await createHook();
    const editor = await service.createUser();
    await service.request('PUT', `/workflows/${workflow}/permissions`, { email: editor.email, role: 'EDIT' });
    const refusal = await changeTrigger(editor, trigger.id, { renewToken: true, name: 'Renamed' });
    assert.deepEqual([refusal.status, refusal.body.code], [403, 'forbidden']);
    assert.equal((await readTrigger(service, trigger.id)).name, trigger.name);
    assert.equal((await sendToHook(trigger, {})).status, 202, 'the address still works');
  });

  it('renews the address of hooks only', async () => {
    const source = await service.createWorkflow(GRAPH);
    const trigger = await createTrigger(service, workflow, { kind: 'after', config: { workflowId: source } });
    const refusal = await changeTrigger(service, trigger.id, { renewToken: true });
    assert.deepEqual([refusal.status, refusal.body.code], [400, 'invalid_request']);
  });
});

describe('POST /workflows/{id}/triggers', () => {
  it('refuses config of another kind, missing config and unknown inputs', async () => {
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

  it('allows 100 active triggers per workspace', async () => {
    const user = await service.createUser();
    const workflowId = await user.createWorkflow(GRAPH);
    const first = await createTrigger(user, workflowId, { kind: 'hook' });
    await service.db.query(
      `insert into triggers (id, workflow_id, user_id, workspace, kind, name, config, inputs)
       select 'trg_' || n, workflow_id, user_id, workspace, kind, name, config, inputs
       from triggers, generate_series(1, 99) n where id = $1`,
      [first.id],
    );
    const refusal = await user.request<Trigger>('POST', `/workflows/${workflowId}/triggers`, {
      kind: 'hook',
    });
    assert.deepEqual([refusal.status, refusal.body.code], [409, 'conflict']);
    assert.equal((await changeTrigger(user, first.id, { isActive: false })).status, 200);
    await createTrigger(user, workflowId, { kind: 'hook' });
    assert.equal((await changeTrigger(user, first.id, { isActive: true })).status, 409);
  });
});
