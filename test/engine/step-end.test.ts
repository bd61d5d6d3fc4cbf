// Tests the errors of failed nodes, and what a canceled node is charged for calls that are still active.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toCancelled, toStepError } from '../../src/engine/step-end.ts';
import type { ProviderTask, Step } from '../../src/engine/types.ts';
import { createFetchError, FetchError, type FetchErrorCode } from '../../src/lib/fetch/error.ts';

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

describe('toStepError', () => {
  const refuse = (): never => assert.fail('the error is known');
  it('says why a request failed', () => {
    for (const code of [
      'dns_failed',
      'connect_failed',
      'timeout',
      'blocked_address',
    ] satisfies FetchErrorCode[])
      assert.deepEqual(toStepError(createFetchError(code, 'example.com'), refuse), {
        code: 'fetch_failed',
        message: createFetchError(code, 'example.com').message,
      });
    assert.match(
      toStepError(new FetchError('bad_url', 'The URL is malformed.'), refuse).message,
      /is malformed/,
    );
  });

  it('hides unknown errors and passes them on', () => {
    const unknown: unknown[] = [];
    const { code, message } = toStepError(new Error('secret'), thrown => unknown.push(thrown));
    assert.equal(code, 'node_failed');
    assert.doesNotMatch(message, /secret/);
    assert.equal(unknown.length, 1);
  });
});
