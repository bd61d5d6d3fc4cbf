// Tests who may read and cancel a run: editors of its workflow; its starter may read it even after losing access.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { type Caller, createTestApp, type TestApp } from '../../support/app.ts';
import type { Execution } from '../../support/client.ts';
import { PAIR } from '../../support/workflows.ts';

let test: TestApp;
let owner: Caller;
let starter: Caller;
let otherUser: Caller;
let workflow: string;
let execution: string;

before(async () => {
  test = await createTestApp();
  [owner, starter, otherUser] = await test.createCallers(3);
});
after(() => test.close());

/** There is no worker, so the run stays QUEUED. */
beforeEach(async () => {
  const { body } = await owner.request('POST', '/workflows', { name: 'W', ...PAIR });
  workflow = `/workflows/${body.id}`;
  await share('EDIT');
  const { status, body: accepted } = await starter.request('POST', `${workflow}/run`, {});
  assert.equal(status, 202);
  execution = `/executions/${accepted.executionId}`;
});

const share = (role: string) =>
  owner.request('PUT', `${workflow}/permissions`, { userId: starter.userId, role });

const readAndCancel = async (caller: Pick<Caller, 'request'>): Promise<readonly number[]> => [
  (await caller.request('GET', execution)).status,
  (await caller.request('POST', `${execution}/cancel`)).status,
];

describe('an execution', () => {
  it('can be resumed by its starter and by owners of its workflow, not by other editors', async () => {
    await starter.request('POST', `${execution}/cancel`);
    await owner.request('PUT', `${workflow}/permissions`, { userId: otherUser.userId, role: 'EDIT' });
    const resume = async (caller: Caller) => (await caller.request('POST', `${execution}/resume`, {})).status;
    assert.deepEqual([await resume(starter), await resume(owner), await resume(otherUser)], [202, 202, 403]);
    await owner.request('PUT', `${workflow}/permissions`, { userId: otherUser.userId, role: 'OWNER' });
    assert.equal(await resume(otherUser), 202);
    await owner.request('DELETE', `${workflow}/permissions/${otherUser.userId}`);
  });

  it('reports what started it', async () => {
    const trigger = async (headers: Record<string, string>) => {
      const { body } = await starter.request('POST', `${workflow}/run`, {}, headers);
      return (await starter.request('GET', `/executions/${body.executionId}`)).body.trigger;
    };
    assert.equal(await trigger({}), 'api');
    assert.equal(await trigger({ 'x-client': 'editor' }), 'editor');
    assert.equal(await trigger({ 'x-client': 'cli' }), 'cli');
    assert.equal(await trigger({ 'x-client': 'mcp' }), 'api');
  });

  it('has no pending nodes if it was cancelled before its start', async () => {
    const { body } = await starter.request<Execution>('POST', `${execution}/cancel`);
    assert.deepEqual(
      body.nodeStates.map(({ nodeId, status, attempt }) => [nodeId, status, attempt]),
      [
        ['a', 'CANCELLED', 0],
        ['b', 'CANCELLED', 0],
      ],
    );
  });

  it('can be read and cancelled by editors of its workflow', async () => {
    assert.deepEqual(await readAndCancel(owner), [200, 200]);
    assert.equal((await starter.request('GET', execution)).body.status, 'CANCELLED');
  });

  it('can be read but not cancelled by a starter who may no longer run the workflow', async () => {
    await share('VIEW');
    assert.deepEqual(await readAndCancel(starter), [200, 403]);
    await owner.request('DELETE', `${workflow}/permissions/${starter.userId}`);
    assert.deepEqual(await readAndCancel(starter), [200, 403]);
  });

  it('can be read and cancelled by its starter after its workflow was deleted', async () => {
    await owner.request('DELETE', workflow);
    assert.deepEqual(await readAndCancel(starter), [200, 200]);
  });

  it('returns 403 to other users including viewers, 401 to anonymous callers, and 404 if it does not exist', async () => {
    assert.deepEqual(await readAndCancel(otherUser), [403, 403]);
    await owner.request('POST', `${workflow}/visibility`, { linkPermission: 'VIEW' });
    assert.deepEqual(await readAndCancel(otherUser), [403, 403]);
    assert.deepEqual(await readAndCancel(test.anonymous), [401, 401]);
    execution = '/executions/ex_00000000000000000000000000';
    assert.deepEqual(await readAndCancel(owner), [404, 404]);
  });

  it('can be cancelled with the scope workflows:execute only', async () => {
    const reader = await test.withScopes(owner, ['workflows:read', 'workflows:write']);
    assert.deepEqual(await readAndCancel(reader), [200, 401]);
  });
});
