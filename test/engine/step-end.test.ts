// Tests what a node owes for its calls when its run ends before they do.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toCancelled } from '../../src/engine/step-end.ts';
import type { ProviderTask, Step } from '../../src/engine/types.ts';

const createTask = (changes: Partial<ProviderTask>): ProviderTask => ({
  provider: 'openai',
  id: null,
  submittedAtMs: 1,
  credits: 5,
  ...changes,
});
const running = (jobs: NonNullable<Step['jobs']>, credits?: number): Step => ({
  nodeId: 'm',
  status: 'RUNNING',
  attempt: 1,
  jobs,
  ...(credits === undefined ? {} : { credits }),
});

describe('a node whose run ends', () => {
  it('owes the reservation of calls without a provider id', () => {
    const { status, credits, jobs } = toCancelled(
      running({ 0: createTask({}), 1: createTask({ credits: 2 }) }, 10),
    );
    assert.deepEqual([status, credits, jobs], ['CANCELLED', 17, undefined]);
  });

  it('owes nothing yet for calls with an id, and nothing for calls that wait to be submitted', () => {
    const { credits } = toCancelled(
      running({ 0: createTask({ id: 'resp_1' }), 1: createTask({ queued: true }) }),
    );
    assert.equal(credits, undefined);
  });
});
