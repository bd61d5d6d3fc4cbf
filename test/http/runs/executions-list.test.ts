// Tests lists of executions: access, order, filters, and pages that stay stable while rows are added.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ApiUser, openTestApp, type TestApp } from '../../support/app.ts';
import { assertRefused, createWorkflow } from '../../support/workflows.ts';

interface Page {
  readonly data: readonly { readonly id: string; readonly status: string; readonly createdAt: string }[];
  readonly nextCursor: string | null;
}

describe('lists of executions', () => {
  let test: TestApp;
  let owner: ApiUser;
  let workflow: string;
  const ids: string[] = [];

  /** Starts runs, which stay QUEUED because there is no worker. */
  before(async () => {
    test = await openTestApp();
    owner = await test.createUser();
    workflow = `/workflows/${(await createWorkflow(owner)).id}`;
    for (let count = 0; count < 5; count++) ids.unshift(await start());
    await owner.request('POST', `/executions/${ids[2]}/cancel`);
  });
  after(() => test.close());

  const start = async (): Promise<string> => {
    const { body } = await owner.request<{ executionId: string }>('POST', `${workflow}/run`, {
      inputs: { a: 'secret' },
    });
    return body.executionId;
  };
  const list = async (query = '', path = `${workflow}/executions`, user = owner) => {
    const { status, body } = await user.request<Page>('GET', `${path}${query}`);
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  };
  const listIds = ({ data }: Page): readonly string[] => data.map(({ id }) => id);

  it('are in order from newest to oldest, without states, inputs and outputs', async () => {
    const page = await list();
    assert.deepEqual(listIds(page), ids);
    assert.equal(page.nextCursor, null);
    assert.deepEqual(await list('', '/executions'), page);
    for (const member of ['nodeStates', 'inputs', 'outputs']) assert.ok(!(member in (page.data[0] ?? {})));
  });

  it('have pages that stay stable while executions are added', async () => {
    const first = await list('?limit=2');
    const newId = await start();
    const second = await list(`?limit=2&cursor=${first.nextCursor}`);
    const third = await list(`?limit=2&cursor=${second.nextCursor}`);
    assert.deepEqual([first, second, third].flatMap(listIds), ids);
    assert.equal(third.nextCursor, null);
    ids.unshift(newId);
  });

  it('can be filtered by status and by time', async () => {
    assert.deepEqual(listIds(await list('?status=CANCELLED')), ids.slice(3, 4));
    assert.deepEqual(listIds(await list('?status=COMPLETED')), []);
    const { data } = await list();
    const createdAt = encodeURIComponent(data[3]?.createdAt ?? '');
    const olderIds = listIds(await list(`?createdBefore=${createdAt}`));
    const newerIds = listIds(await list(`?createdAfter=${createdAt}`));
    assert.ok(olderIds.length + newerIds.length < ids.length);
    assert.ok(!olderIds.includes(ids[3] ?? '') && !newerIds.includes(ids[3] ?? ''));
    assert.deepEqual(listIds(await list('?createdAfter=2999-01-01T00:00:00Z')), []);
  });

  it('reject an invalid query', async () => {
    for (const query of [
      '?status=DONE',
      '?limit=0',
      '?limit=201',
      '?createdAfter=yesterday',
      '?limit=x',
      `?createdAfter=${encodeURIComponent('+275761-01-01T00:00:00Z')}`,
    ]) {
      assertRefused(await owner.request('GET', `/executions${query}`), 400, 'invalid_request');
    }
  });

  it('are visible only to editors of the workflow', async () => {
    const otherUser = await test.createUser();
    assertRefused(await otherUser.request('GET', `${workflow}/executions`), 403, 'forbidden');
    assertRefused(await test.anonymous.request('GET', `${workflow}/executions`), 401, 'unauthorized');
    assert.deepEqual(listIds(await list('', '/executions', otherUser)), []);
    await owner.request('PUT', `${workflow}/permissions`, { userId: otherUser.userId, role: 'EDIT' });
    assert.deepEqual(listIds(await list('', `${workflow}/executions`, otherUser)), ids);
  });

  it('include metadata only if the request is short', async () => {
    const { id } = await createWorkflow(owner);
    const path = `/workflows/${id}`;
    const longText = 'x'.repeat(40_000);
    const metadata = '{"b":1,"2":"é","1":12345678901234567890}';
    const bodies = [
      `{"metadata":${metadata}}`,
      `{"inputs":{"a":"${longText}"},"metadata":${metadata}}`,
      `{"inputs":{"a":"${longText}"}}`,
      `{"metadata":{"long":"${longText}"}}`,
      `{"inputs":{"a":"${longText}"},"metadata":{"nul":"\\u0000"}}`,
    ];
    for (const payload of bodies) {
      const { statusCode } = await test.app.inject({
        method: 'POST',
        url: `/api/v1${path}/run`,
        headers: { authorization: `Bearer ${owner.key}`, 'content-type': 'application/json' },
        payload,
      });
      assert.equal(statusCode, 202);
    }
    const { body: listBody } = await test.app.inject({
      url: `/api/v1${path}/executions`,
      headers: { authorization: `Bearer ${owner.key}` },
    });
    assert.deepEqual(
      Array.from(listBody.matchAll(/"metadata":(null|\{[^}]*\})/g), match => match[1]),
      ['null', 'null', 'null', metadata, metadata],
    );
    assert.ok(listBody.length < 10_000);
  });
});
