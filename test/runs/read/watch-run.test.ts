// Tests that nothing stays subscribed to a run when a client that followed the run disconnects.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { RunDeps } from '../../../src/runs/deps.ts';
import { awaitRun, watchRun } from '../../../src/runs/read/watch-run.ts';
import type { UserActor } from '../../../src/services/accounts/actor.ts';
import { SCOPES } from '../../../src/services/accounts/actor.ts';
import { type ApiUser, createTestApp, type TestApp } from '../../support/app.ts';
import { createWorkflow } from '../../support/workflows.ts';

describe('a client that disconnects', () => {
  let test: TestApp;
  let user: ApiUser;
  let deps: RunDeps;
  let id: string;
  let subscribers = 0;

  /** No worker is active here, so the run stays QUEUED. */
  before(async () => {
    test = await createTestApp();
    user = await test.createUser();
    const workflow = await createWorkflow(user);
    const { body } = await user.request('POST', `/workflows/${workflow.id}/run`, {});
    id = String(body.executionId);
    const { changeHub } = test.deps;
    deps = {
      ...test.deps,
      changeHub: {
        ...changeHub,
        subscribe(runId, subscriber) {
          subscribers++;
          const unsubscribe = changeHub.subscribe(runId, subscriber);
          return () => {
            subscribers--;
            unsubscribe();
          };
        },
      },
    };
  });
  after(() => test.close());
  const toActor = (userId: number): UserActor => ({
    kind: 'user',
    userId,
    credential: { kind: 'key', id: 'key_1' },
    scopes: new Set(SCOPES),
    accountPlan: 'free',
  });

  it('ends the event stream and its subscription', async () => {
    const abort = new AbortController();
    const events = await watchRun(deps, toActor(user.userId), id, { signal: abort.signal });
    assert.equal((await events?.next())?.value?.event, 'snapshot');
    const next = events?.next();
    assert.equal(subscribers, 1);
    abort.abort();
    assert.deepEqual(await next, { done: true, value: undefined });
    assert.equal(subscribers, 0);
  });

  it('ends the wait for a run and its subscription', async () => {
    const abort = new AbortController();
    const result = awaitRun(deps, toActor(user.userId), id, 60_000, abort.signal);
    assert.equal(subscribers, 1);
    abort.abort();
    assert.deepEqual(await result, { status: 'QUEUED' });
    assert.equal(subscribers, 0);
  });
});
