// Tests the Idempotency-Key header: repeated and concurrent requests return the same run, other requests are refused.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { type ApiUser, openTestApp, type TestApp } from '../../support/app.ts';
import { assertRefused, createWorkflow } from '../../support/workflows.ts';

describe('Idempotency-Key', () => {
  let test: TestApp;
  let owner: ApiUser;
  let path: string;

  before(async () => {
    test = await openTestApp();
    owner = await test.createUser();
  });
  after(() => test.close());
  beforeEach(async () => {
    path = `/workflows/${(await createWorkflow(owner)).id}`;
  });

  const run = (body: object, key: string, user = owner, route = 'run') =>
    user.request<{ executionId: string }>('POST', `${path}/${route}`, body, { 'idempotency-key': key });
  const countRuns = async (): Promise<number> => {
    const { body } = await owner.request<{ data: unknown[] }>('GET', `${path}/executions`);
    return body.data.length;
  };

  it('replays the first response for an equal body', async () => {
    const first = await run({ metadata: { a: 1, b: [2] }, useCache: true }, 'k');
    const repeated = await run({ useCache: true, metadata: { b: [2], a: 1 } }, 'k');
    assert.deepEqual([first.status, repeated.status], [202, 202]);
    assert.deepEqual(repeated.body, first.body);
    assert.equal(first.headers['idempotent-replayed'], undefined);
    assert.equal(repeated.headers['idempotent-replayed'], 'true');
    assert.equal(repeated.headers.location, first.headers.location);
    assert.equal(await countRuns(), 1);
  });

  it('returns 422 idempotency_key_reused for a different body', async () => {
    await run({ metadata: { a: 1 } }, 'k');
    assertRefused(await run({ metadata: { a: 2 } }, 'k'), 422, 'idempotency_key_reused');
    const webhook = { url: 'http://localhost:9/x' };
    assertRefused(await run({ metadata: { a: 1 }, webhook }, 'k'), 422, 'idempotency_key_reused');
    assert.equal(await countRuns(), 1);
  });

  it('starts one run for twenty concurrent requests', async () => {
    const responses = await Promise.all(Array.from({ length: 20 }, () => run({}, 'k')));
    const accepted = responses.filter(({ status }) => status === 202);
    assert.equal(new Set(accepted.map(({ body }) => body.executionId)).size, 1);
    assert.equal(accepted.filter(({ headers }) => headers['idempotent-replayed'] === undefined).length, 1);
    for (const response of responses.filter(({ status }) => status !== 202)) {
      assertRefused(response, 409, 'idempotency_in_progress');
      assert.equal(response.headers['retry-after'], '1');
    }
    assert.equal(await countRuns(), 1);
  });

  it('applies per account, workflow and route', async () => {
    const editor = await test.createUser();
    await owner.request('PUT', `${path}/permissions`, { userId: editor.userId, role: 'EDIT' });
    const ids = new Set<string>();
    ids.add((await run({}, 'k')).body.executionId);
    ids.add((await run({}, 'k', editor)).body.executionId);
    ids.add((await run({}, 'k', owner, 'execute')).body.executionId);
    path = `/workflows/${(await createWorkflow(owner)).id}`;
    ids.add((await run({}, 'k')).body.executionId);
    assert.equal(ids.size, 4);
  });

  it('is not stored if the run was refused', async () => {
    const body = { inputs: { nobody: 1 } };
    assertRefused(await run(body, 'k'), 400, 'invalid_inputs');
    await owner.request('PUT', path, { isActive: false });
    assertRefused(await run({}, 'k'), 400, 'workflow_inactive');
    await owner.request('PUT', path, { isActive: true });
    assert.equal((await run({}, 'k')).headers['idempotent-replayed'], undefined);
  });

  it('replays the response after the workflow was disabled', async () => {
    const first = await run({}, 'k');
    await owner.request('PUT', path, { isActive: false });
    assert.deepEqual((await run({}, 'k')).body, first.body);
  });

  it('starts another run after 24 hours', async () => {
    const first = await run({}, 'k');
    await test.deps.db.query(`update idempotency_keys set created_at = now() - interval '24 hours 1 second'`);
    const next = await run({ metadata: { other: true } }, 'k');
    assert.equal(next.status, 202);
    assert.notEqual(next.body.executionId, first.body.executionId);
    assert.equal((await run({ metadata: { other: true } }, 'k')).headers['idempotent-replayed'], 'true');
  });

  it('must be 1 to 255 printable ASCII characters', async () => {
    for (const key of ['', 'k'.repeat(256), 'tab\tkey', 'ключ']) {
      assertRefused(await run({}, key), 400, 'invalid_request');
    }
    assert.equal((await run({}, `~${'k'.repeat(254)}`)).status, 202);
  });

  it('can filter GET /executions', async () => {
    const { body } = await run({}, 'find me');
    await run({}, 'not me');
    const list = await owner.request<{ data: { id: string; idempotencyKey: string }[] }>(
      'GET',
      `/executions?idempotencyKey=${encodeURIComponent('find me')}`,
    );
    assert.deepEqual(
      list.body.data.map(item => [item.id, item.idempotencyKey]),
      [[body.executionId, 'find me']],
    );
  });
});
