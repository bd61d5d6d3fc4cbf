// Tests what a node owes for its calls when its run ends before they do.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toCancelled } from '../../src/engine/step-end.ts';
import type { ProviderTask, Step } from '../../src/engine/types.ts';

const job = (facts: Partial<ProviderTask>): ProviderTask => ({
  provider: 'openai',
  id: null,
  submittedAtMs: 1,
  credits: 5,
  ...facts,
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
    const { status, credits, jobs } = toCancelled(running({ 0: job({}), 1: job({ credits: 2 }) }, 10));
    assert.deepEqual([status, credits, jobs], ['CANCELLED', 17, undefined]);
  });

  it('owes nothing yet for calls with an id, and nothing for calls that wait to be submitted', () => {
    const { credits } = toCancelled(running({ 0: job({ id: 'resp_1' }), 1: job({ queued: true }) }));
    assert.equal(credits, undefined);
  });
});
