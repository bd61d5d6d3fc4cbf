// Tests the limiter: the order of work, its limits, and aborted callers.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createLimiter } from '../../src/lib/limiter.ts';
import { runAccepted } from '../../src/lib/work.ts';
import { workAs } from '../support/work.ts';

const { signal } = new AbortController();

/** Creates work that the test ends. */
function createWork(name: string, log: string[]) {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const work = () => {
    log.push(name);
    return promise;
  };
  return { work, end: () => resolve(name), fail: (err: Error) => reject(err) };
}

describe('createLimiter', () => {
  it('starts work up to the limit immediately and the rest in order of arrival', async () => {
    const limit = createLimiter({ concurrency: 2, maxWaiting: 10 });
    const log: string[] = [];
    const works = ['a', 'b', 'c', 'd'].map(name => createWork(name, log));
    const results = works.map(({ work }) => limit(work, signal));
    await Promise.resolve();
    assert.deepEqual(log, ['a', 'b']);
    for (const { end } of works) end();
    assert.deepEqual(await Promise.all(results), ['a', 'b', 'c', 'd']);
    assert.deepEqual(log, ['a', 'b', 'c', 'd']);
  });

  it('rejects work if the queue is full', async () => {
    const limit = createLimiter({ concurrency: 1, maxWaiting: 1 });
    const log: string[] = [];
    const [first, second] = [createWork('a', log), createWork('b', log)];
    const results = [limit(first.work, signal), limit(second.work, signal)];
    await assert.rejects(
      limit(async () => 'c', signal),
      { code: 'unavailable' },
    );
    first.end();
    second.end();
    assert.deepEqual(await Promise.all(results), ['a', 'b']);
  });

  it('leaves places for other accounts if the work of some accounts never ends', async () => {
    const limit = createLimiter({ concurrency: 32, maxPerAccount: 4, maxShareOfFree: 0.25 });
    const log: string[] = [];
    const start = (account: string): void => void limit(createWork(account, log).work, signal, account);
    for (let index = 0; index < 8; index++) for (let count = 0; count < 4; count++) start(`stuck ${index}`);
    await nextTurn();
    const stuckCount = log.length;
    assert.equal(new Set(log).size, 8, 'every account has a place');
    assert.ok(stuckCount < 32);
    start('other');
    await nextTurn();
    assert.deepEqual(log.slice(stuckCount), ['other']);
  });

  it('says whether an account with fewer places waits', async () => {
    const limit = createLimiter({ concurrency: 3, maxPerAccount: 2 });
    const log: string[] = [];
    const ends: (() => void)[] = [];
    const mustYield = () => ['a', 'b', 'c'].filter(account => workAs(account, limit.mustYield));
    const results = ['a1', 'a2', 'a3', 'b1', 'b2'].map(name => {
      const { work, end } = createWork(name, log);
      ends.push(end);
      return workAs(name[0] ?? '', () => limit(work, signal));
    });
    await nextTurn();
    assert.deepEqual([log, mustYield()], [['a1', 'a2', 'b1'], ['a']], 'b waits and has one place');
    const { work, end } = createWork('c1', log);
    const last = workAs('c', () => limit(work, signal));
    assert.deepEqual(mustYield(), ['a', 'b']);
    for (const endWork of [...ends, end]) endWork();
    await Promise.all([...results, last]);
    assert.deepEqual(log, ['a1', 'a2', 'b1', 'c1', 'a3', 'b2']);
    assert.deepEqual(mustYield(), []);
  });

  it('gives accounts turns, however many calls one of them has', async () => {
    const limit = createLimiter({ concurrency: 2, maxWaiting: 3 });
    const log: string[] = [];
    const call = (account: string, name: string) => {
      const { work, end } = createWork(name, log);
      const result = workAs(account, () => limit(work, signal));
      return { result, end };
    };
    const calls = [...['a1', 'a2', 'a3', 'a4', 'a5'], ...['b1', 'b2'], 'c1'].map(name =>
      call(name[0] ?? '', name),
    );
    await assert.rejects(call('a', 'a6').result, { code: 'unavailable' });
    for (const { end } of calls) end();
    await Promise.all(calls.map(({ result }) => result));
    // The account with the fewest places is next.
    assert.deepEqual(log, ['a1', 'a2', 'b1', 'a3', 'c1', 'b2', 'a4', 'a5']);
  });

  it('leaves places to others if an account has as many as it may have', async () => {
    const limit = createLimiter({ concurrency: 3, maxPerAccount: 2 });
    const log: string[] = [];
    const call = (account: string, name: string) => {
      const { work, end } = createWork(name, log);
      const result = workAs(account, () => limit(work, signal));
      return { result, end };
    };
    const ofA = ['a1', 'a2', 'a3', 'a4'].map(name => call('a', name));
    const b1 = call('b', 'b1');
    await Promise.resolve();
    assert.deepEqual(log, ['a1', 'a2', 'b1']);
    b1.end();
    await b1.result;
    assert.deepEqual(log, ['a1', 'a2', 'b1'], 'The free place is not for the account.');
    for (const { end } of ofA) end();
    await Promise.all(ofA.map(({ result }) => result));
    assert.deepEqual(log, ['a1', 'a2', 'b1', 'a3', 'a4']);
  });

  it('never rejects work of accepted runs', async () => {
    const limit = createLimiter({ concurrency: 1, maxWaiting: 1 });
    const log: string[] = [];
    const works = ['a', 'b', 'c', 'd'].map(name => createWork(name, log));
    const results = runAccepted('', async () => {
      await Promise.resolve();
      return Promise.all(works.map(({ work }) => limit(work, AbortSignal.any([signal]))));
    });
    await new Promise(setImmediate);
    await assert.rejects(
      limit(async () => 'e', signal),
      { code: 'unavailable' },
    );
    for (const { end } of works) end();
    assert.deepEqual(await results, ['a', 'b', 'c', 'd']);
  });

  it('skips the work of an aborted caller and continues after a failure', async () => {
    const limit = createLimiter({ concurrency: 1, maxWaiting: 10 });
    const log: string[] = [];
    const [first, second, third] = [createWork('a', log), createWork('b', log), createWork('c', log)];
    const secondCaller = new AbortController();
    const results = [
      limit(first.work, signal),
      limit(second.work, secondCaller.signal),
      limit(third.work, signal),
    ];
    const settled = Promise.allSettled(results);
    secondCaller.abort();
    first.fail(new Error('broken'));
    third.end();
    assert.deepEqual(
      (await settled).map(result => result.status),
      ['rejected', 'rejected', 'fulfilled'],
    );
    assert.deepEqual(log, ['a', 'c']);
  });
});
