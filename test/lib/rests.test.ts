// Tests when accounts rest after costly work, in limiters and in pools of threads.
import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { it, type TestContext } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { noteActive } from '../../src/lib/active-accounts.ts';
import { createLimiter } from '../../src/lib/limiter.ts';
import { Rests } from '../../src/lib/rests.ts';
import { createPool } from '../../src/lib/threads/pool.ts';
import { workAs } from '../support/work.ts';

/** Longer than any rest. */
const LONG_MS = 60_000;
const { signal } = new AbortController();

/** Longer than work may take without a rest. */
const WORK_MS = 210;

/** Holds timers and the clock. Returns a function that lets time pass on the clock. */
function holdTime(t: TestContext): (ms: number) => void {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let nowMs = performance.now();
  t.mock.method(performance, 'now', () => nowMs);
  return ms => {
    nowMs += ms;
  };
}

it('an account rests after long work while others are active', t => {
  holdTime(t);
  const rests = new Rests(account => account !== 'alone');
  const ended: string[] = [];
  const begin = (account: string, tookMs: number): boolean => {
    rests.begin(account, tookMs, () => ended.push(account));
    return rests.has(account);
  };
  assert.equal(begin('alone', 500), false);
  assert.equal(begin('short', 200), false);
  assert.equal(begin('long', 500), true);
  assert.equal(begin('long', 201), true);
  t.mock.timers.tick(100);
  assert.equal(rests.has('long'), true, 'the longer rest remains');
  t.mock.timers.tick(LONG_MS);
  assert.deepEqual([rests.has('long'), ended], [false, ['long']], 'and ends once');
});

it('a limiter of costly work gives an account one place while others are active, and lets it rest', async t => {
  const pass = holdTime(t);
  const limit = createLimiter({ concurrency: 2, isCostly: true });
  const log: string[] = [];
  const { promise: isEnded, resolve: end } = Promise.withResolvers<void>();
  const run = (account: string, name: string) =>
    workAs(account, () =>
      limit(async () => {
        log.push(name);
        if (name !== 'a1') return;
        pass(WORK_MS);
        await isEnded;
      }, signal),
    );
  noteActive('b');
  const results = ['a1', 'a2', 'b1'].map(name => run(name.slice(0, 1), name));
  await nextTurn();
  assert.deepEqual(log, ['a1', 'b1'], 'there is a place for a2');
  end();
  await results[0];
  await run('b', 'b2');
  assert.deepEqual(log, ['a1', 'b1', 'b2'], 'a rests');
  t.mock.timers.tick(LONG_MS);
  await Promise.all(results);
  assert.deepEqual(log, ['a1', 'b1', 'b2', 'a2']);
});

it('a pool of costly tasks lets an account rest after a long task', async t => {
  const pass = holdTime(t);
  const log: string[] = [];
  const start = () => {
    const events = new EventEmitter();
    const post = (message: unknown): void => {
      const { input } = message as { readonly input: string };
      log.push(input);
      if (input === 'a1') pass(WORK_MS);
      queueMicrotask(() => events.emit('message', { output: input }));
    };
    return { post, events, ref: ignore, unref: ignore, terminate: ignore };
  };
  const pool = createPool<string, string>({
    start,
    size: 2,
    timeoutMs: 1000,
    maxWaiting: 10,
    isCostly: true,
  });
  const run = (name: string) => workAs(name.slice(0, 1), () => pool.run(name, { signal }));
  noteActive('b');
  assert.equal(await run('a1'), 'a1');
  const waiting = run('a2');
  await run('b1');
  assert.deepEqual(log, ['a1', 'b1']);
  t.mock.timers.tick(LONG_MS);
  await waiting;
  assert.deepEqual(log, ['a1', 'b1', 'a2']);
});

const ignore = (): void => undefined;

it('a limiter of costly work starts calls in order once others are no longer active', async t => {
  const pass = holdTime(t);
  const limit = createLimiter({ concurrency: 2, isCostly: true });
  const log: string[] = [];
  const { promise: isEnded, resolve: end } = Promise.withResolvers<void>();
  const run = (name: string) =>
    workAs('a', () =>
      limit(async () => {
        log.push(name);
        if (name === '1') await isEnded;
      }, signal),
    );
  noteActive('b');
  const results = [run('1'), run('2')];
  await nextTurn();
  assert.deepEqual(log, ['1']);
  pass(LONG_MS);
  results.push(run('3'));
  await nextTurn();
  assert.deepEqual(log, ['1', '2', '3']);
  end();
  await Promise.all(results);
});
