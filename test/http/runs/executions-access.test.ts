// Who may read and stop a run: editors of its workflow; who started it may read it whatever became of the access.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { type Caller, createTestApp, type TestApp } from '../../support/app.ts';
import type { Execution } from '../../support/client.ts';
import { PAIR } from '../../support/workflows.ts';

let test: TestApp;
let owner: Caller;
let starter: Caller;
let stranger: Caller;
let workflow: string;
let execution: string;

before(async () => {
  test = await createTestApp();
  [owner, starter, stranger] = [
    await test.createCaller(),
    await test.createCaller(),
    await test.createCaller(),
  ];
});
after(() => test.close());

/** No worker is at work here, so the run stays QUEUED. */
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

const readAndCancel = async (by: Pick<Caller, 'request'>): Promise<readonly number[]> => [
  (await by.request('GET', execution)).status,
  (await by.request('POST', `${execution}/cancel`)).status,
];

describe('an execution', () => {
  it('is resumed by who started it and by owners of its workflow, by no other editor', async () => {
    await starter.request('POST', `${execution}/cancel`);
    await owner.request('PUT', `${workflow}/permissions`, { userId: stranger.userId, role: 'EDIT' });
    const resume = async (by: Caller) => (await by.request('POST', `${execution}/resume`, {})).status;
    assert.deepEqual([await resume(starter), await resume(owner), await resume(stranger)], [202, 202, 403]);
    await owner.request('PUT', `${workflow}/permissions`, { userId: stranger.userId, role: 'OWNER' });
    assert.equal(await resume(stranger), 202);
    await owner.request('DELETE', `${workflow}/permissions/${stranger.userId}`);
  });

  it('says what started it', async () => {
    const trigger = async (headers: Record<string, string>) => {
      const { body } = await starter.request('POST', `${workflow}/run`, {}, headers);
      return (await starter.request('GET', `/executions/${body.executionId}`)).body.trigger;
    };
    assert.equal(await trigger({}), 'api');
    assert.equal(await trigger({ 'x-client': 'editor' }), 'editor');
    assert.equal(await trigger({ 'x-client': 'cli' }), 'cli');
    assert.equal(await trigger({ 'x-client': 'mcp' }), 'api');
  });

  it('that is cancelled before it began has no node left to begin', async () => {
    const { body } = await starter.request<Execution>('POST', `${execution}/cancel`);
    assert.deepEqual(
      body.nodeStates.map(({ nodeId, status, attempt }) => [nodeId, status, attempt]),
      [
        ['a', 'CANCELLED', 0],
        ['b', 'CANCELLED', 0],
      ],
    );
  });

  it('is read and stopped by whoever may edit its workflow', async () => {
    assert.deepEqual(await readAndCancel(owner), [200, 200]);
    assert.equal((await starter.request('GET', execution)).body.status, 'CANCELLED');
  });

  it('is read and not stopped by who started it and may no longer run the workflow', async () => {
    await share('VIEW');
    assert.deepEqual(await readAndCancel(starter), [200, 403]);
    await owner.request('DELETE', `${workflow}/permissions/${starter.userId}`);
    assert.deepEqual(await readAndCancel(starter), [200, 403]);
  });

  it('of a deleted workflow is read and stopped by who started it', async () => {
    await owner.request('DELETE', workflow);
    assert.deepEqual(await readAndCancel(starter), [200, 200]);
  });

  it('is 403 to strangers, to viewers too, 401 to nobody, 404 where it does not exist', async () => {
    assert.deepEqual(await readAndCancel(stranger), [403, 403]);
    await owner.request('POST', `${workflow}/visibility`, { linkPermission: 'VIEW' });
    assert.deepEqual(await readAndCancel(stranger), [403, 403]);
    assert.deepEqual(await readAndCancel(test.anonymous), [401, 401]);
    execution = '/executions/ex_00000000000000000000000000';
    assert.deepEqual(await readAndCancel(owner), [404, 404]);
  });

  it('is stopped with the scope workflows:execute alone', async () => {
    const reader = await test.withScopes(owner, ['workflows:read', 'workflows:write']);
    assert.deepEqual(await readAndCancel(reader), [200, 401]);
  });
});
