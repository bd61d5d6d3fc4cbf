// Tests lists of executions: access, order, filters, and pages that stay stable while rows are added.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Caller, createTestApp, type TestApp } from '../../support/app.ts';
import { assertRefused, createWorkflow } from '../../support/workflows.ts';

interface Page {
  readonly data: readonly { readonly id: string; readonly status: string; readonly createdAt: string }[];
  readonly nextCursor: string | null;
}

describe('lists of executions', () => {
  let test: TestApp;
  let caller: Caller;
  let workflow: string;
  const ids: string[] = [];

  /** There is no worker, so the runs stay QUEUED. */
  before(async () => {
    test = await createTestApp();
    caller = await test.createCaller();
    workflow = `/workflows/${(await createWorkflow(caller)).id}`;
    for (let count = 0; count < 5; count++) ids.unshift(await start());
    await caller.request('POST', `/executions/${ids[2]}/cancel`);
  });
  after(() => test.close());

  const start = async (): Promise<string> => {
    const { body } = await caller.request<{ executionId: string }>('POST', `${workflow}/run`, {
      inputs: { a: 'secret' },
    });
    return body.executionId;
  };
  const list = async (query = '', path = `${workflow}/executions`, user = caller) => {
    const { status, body } = await user.request<Page>('GET', `${path}${query}`);
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  };
  const listIds = ({ data }: Page): readonly string[] => data.map(({ id }) => id);

  it('come newest first, for a workflow or the caller, without states, inputs and outputs', async () => {
    const page = await list();
    assert.deepEqual(listIds(page), ids);
    assert.equal(page.nextCursor, null);
    assert.deepEqual(await list('', '/executions'), page);
    for (const member of ['nodeStates', 'inputs', 'outputs']) assert.ok(!(member in (page.data[0] ?? {})));
  });

  it('come in pages that stay stable while executions are added', async () => {
    const first = await list('?limit=2');
    const added = await start();
    const second = await list(`?limit=2&cursor=${first.nextCursor}`);
    const third = await list(`?limit=2&cursor=${second.nextCursor}`);
    assert.deepEqual([first, second, third].flatMap(listIds), ids);
    assert.equal(third.nextCursor, null);
    ids.unshift(added);
  });

  it('can be filtered by status and by time', async () => {
    assert.deepEqual(listIds(await list('?status=CANCELLED')), ids.slice(3, 4));
    assert.deepEqual(listIds(await list('?status=COMPLETED')), []);
    const { data } = await list();
    const at = encodeURIComponent(data[3]?.createdAt ?? '');
    const older = listIds(await list(`?createdBefore=${at}`));
    const newer = listIds(await list(`?createdAfter=${at}`));
    assert.ok(older.length + newer.length < ids.length);
    assert.ok(!older.includes(ids[3] ?? '') && !newer.includes(ids[3] ?? ''));
    assert.deepEqual(listIds(await list('?createdAfter=2999-01-01T00:00:00Z')), []);
  });

  it('refuse an invalid query', async () => {
    for (const query of [
      '?status=DONE',
      '?limit=0',
      '?limit=201',
      '?createdAfter=yesterday',
      '?limit=x',
      `?createdAfter=${encodeURIComponent('+275761-01-01T00:00:00Z')}`,
    ]) {
      assertRefused(await caller.request('GET', `/executions${query}`), 400, 'invalid_request');
    }
  });

  it('are visible to editors of the workflow only', async () => {
    const otherUser = await test.createCaller();
    assertRefused(await otherUser.request('GET', `${workflow}/executions`), 403, 'forbidden');
    assertRefused(await test.anonymous.request('GET', `${workflow}/executions`), 401, 'unauthorized');
    assert.deepEqual(listIds(await list('', '/executions', otherUser)), []);
    await caller.request('PUT', `${workflow}/permissions`, { userId: otherUser.userId, role: 'EDIT' });
    assert.deepEqual(listIds(await list('', `${workflow}/executions`, otherUser)), ids);
  });

  it('show metadata, but not long ones, and nothing else of long requests', async () => {
    const { id } = await createWorkflow(caller);
    const path = `/workflows/${id}`;
    const long = 'x'.repeat(40_000);
    const exact = '{"b":1,"2":"é","1":12345678901234567890}';
    const bodies = [
      `{"metadata":${exact}}`,
      `{"inputs":{"a":"${long}"},"metadata":${exact}}`,
      `{"inputs":{"a":"${long}"}}`,
      `{"metadata":{"long":"${long}"}}`,
      `{"inputs":{"a":"${long}"},"metadata":{"nul":"\\u0000"}}`,
    ];
    for (const payload of bodies) {
      const { statusCode } = await test.app.inject({
        method: 'POST',
        url: `/api/v1${path}/run`,
        headers: { authorization: `Bearer ${caller.key}`, 'content-type': 'application/json' },
        payload,
      });
      assert.equal(statusCode, 202);
    }
    const { body: listed } = await test.app.inject({
      url: `/api/v1${path}/executions`,
      headers: { authorization: `Bearer ${caller.key}` },
    });
    assert.deepEqual(
      Array.from(listed.matchAll(/"metadata":(null|\{[^}]*\})/g), match => match[1]),
      ['null', 'null', 'null', exact, exact],
    );
    assert.ok(listed.length < 10_000);
  });
});
