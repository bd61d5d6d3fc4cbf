// Tests what a cancelled node is charged for calls that are still active.
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

describe('toCancelled', () => {
  it('charges the reservation of calls without a provider id', () => {
    const { status, credits, jobs } = toCancelled(
      running({ 0: createTask({}), 1: createTask({ credits: 2 }) }, 10),
    );
    assert.deepEqual([status, credits, jobs], ['CANCELLED', 17, undefined]);
  });

  it('charges nothing for queued calls and for calls that have a provider id', () => {
    const { credits } = toCancelled(
      running({ 0: createTask({ id: 'resp_1' }), 1: createTask({ queued: true }) }),
    );
    assert.equal(credits, undefined);
  });
});
