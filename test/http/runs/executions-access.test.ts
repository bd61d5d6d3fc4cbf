// Tests who may read, cancel and resume a run: editors of the workflow, and the user who started the run.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { type ApiUser, openTestApp, type TestApp } from '../../support/app.ts';
import type { Execution } from '../../support/client.ts';
import { PAIR } from '../../support/workflows.ts';

let test: TestApp;
let owner: ApiUser;
let starter: ApiUser;
let otherUser: ApiUser;
let workflow: string;
let execution: string;

before(async () => {
  test = await openTestApp();
  [owner, starter, otherUser] = await test.createUsers(3);
});
after(() => test.close());

/** Starts a run, which stays QUEUED because there is no worker. */
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

const readAndCancel = async (user: Pick<ApiUser, 'request'>): Promise<readonly number[]> => [
  (await user.request('GET', execution)).status,
  (await user.request('POST', `${execution}/cancel`)).status,
];

describe('an execution', () => {
  it('can be resumed by its starter and by owners of the workflow', async () => {
    await starter.request('POST', `${execution}/cancel`);
    await owner.request('PUT', `${workflow}/permissions`, { userId: otherUser.userId, role: 'EDIT' });
    const resume = async (user: ApiUser) => (await user.request('POST', `${execution}/resume`, {})).status;
    assert.deepEqual([await resume(starter), await resume(owner), await resume(otherUser)], [202, 202, 403]);
    await owner.request('PUT', `${workflow}/permissions`, { userId: otherUser.userId, role: 'OWNER' });
    assert.equal(await resume(otherUser), 202);
    await owner.request('DELETE', `${workflow}/permissions/${otherUser.userId}`);
  });

  it('has a trigger according to the X-Client header', async () => {
    const runAndGetTrigger = async (headers: Record<string, string>) => {
      const { body } = await starter.request('POST', `${workflow}/run`, {}, headers);
      return (await starter.request('GET', `/executions/${body.executionId}`)).body.trigger;
    };
    assert.equal(await runAndGetTrigger({}), 'api');
    assert.equal(await runAndGetTrigger({ 'x-client': 'editor' }), 'editor');
    assert.equal(await runAndGetTrigger({ 'x-client': 'cli' }), 'cli');
    assert.equal(await runAndGetTrigger({ 'x-client': 'mcp' }), 'api');
  });

  it('has only cancelled nodes if the run was cancelled before the start', async () => {
    const { body } = await starter.request<Execution>('POST', `${execution}/cancel`);
    assert.deepEqual(
      body.nodeStates.map(({ nodeId, status, attempt }) => [nodeId, status, attempt]),
      [
        ['a', 'CANCELLED', 0],
        ['b', 'CANCELLED', 0],
      ],
    );
  });

  it('can be read and cancelled by editors of the workflow', async () => {
    assert.deepEqual(await readAndCancel(owner), [200, 200]);
    assert.equal((await starter.request('GET', execution)).body.status, 'CANCELLED');
  });

  it('can only be read by a starter who may no longer run the workflow', async () => {
    await share('VIEW');
    assert.deepEqual(await readAndCancel(starter), [200, 403]);
    await owner.request('DELETE', `${workflow}/permissions/${starter.userId}`);
    assert.deepEqual(await readAndCancel(starter), [200, 403]);
  });

  it('can be read and cancelled by its starter after the workflow was deleted', async () => {
    await owner.request('DELETE', workflow);
    assert.deepEqual(await readAndCancel(starter), [200, 200]);
  });

  it('is 403 for viewers and other users, 401 for anonymous clients and 404 if unknown', async () => {
    assert.deepEqual(await readAndCancel(otherUser), [403, 403]);
    await owner.request('POST', `${workflow}/visibility`, { linkPermission: 'VIEW' });
    assert.deepEqual(await readAndCancel(otherUser), [403, 403]);
    assert.deepEqual(await readAndCancel(test.anonymous), [401, 401]);
    execution = '/executions/ex_00000000000000000000000000';
    assert.deepEqual(await readAndCancel(owner), [404, 404]);
  });

  it('can be cancelled only with workflows:execute', async () => {
    const reader = await test.withScopes(owner, ['workflows:read', 'workflows:write']);
    assert.deepEqual(await readAndCancel(reader), [200, 401]);
  });
});
