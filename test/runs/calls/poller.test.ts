// Tests that the poller of provider calls stops in time.
import { after, before, it } from 'node:test';
import { pollCalls } from '../../../src/runs/calls/poller.ts';
import { createTestApp, type TestApp } from '../../support/app.ts';

let test: TestApp;
before(async () => {
  test = await createTestApp();
});
after(() => test.close());

it('the poller stops if the signal fires while it reads the table of calls', {
  timeout: 60_000,
}, async () => {
  const { runDb, timing } = test.deps;
  const stop = new AbortController();
  const stoppingDb: typeof runDb = {
    ...runDb,
    query: (...args) => {
      stop.abort();
      return runDb.query(...args);
    },
  };
  const slowTiming = { ...timing, callReadMs: 3_600_000, unconfiguredCallReadMs: 3_600_000 };
  await pollCalls({ ...test.deps, runDb: stoppingDb, timing: slowTiming }, stop.signal);
});
