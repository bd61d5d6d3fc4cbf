// Tests the thread pool, in which the tasks of one account neither block the process nor delay other accounts.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AppError } from '../../../src/lib/errors.ts';
import {
  createThreadPool,
  TaskTooCostlyError,
  type ThreadPoolOptions,
} from '../../../src/lib/threads/pool.ts';
import { runAccepted } from '../../../src/lib/work.ts';
import { workAs } from '../../support/work.ts';

interface TestTask {
  readonly kind: 'echo' | 'spin' | 'wait' | 'refuse' | 'break' | 'context';
  readonly value?: number;
}

const createPool = (
  options: Partial<Pick<ThreadPoolOptions, 'threads' | 'timeoutMs' | 'maxWaiting' | 'reserved'>> = {},
) =>
  createThreadPool<TestTask, unknown>({
    module: new URL('./worker', import.meta.url),
    threads: 2,
    timeoutMs: 60_000,
    maxHeapMb: 64,
    maxWaiting: 100,
    ...options,
  });
const { signal } = new AbortController();

describe('createThreadPool', () => {
  it('returns results and rejects with errors and their details', async () => {
    const pool = createPool();
    assert.equal(await workAs('a', () => pool.run({ kind: 'echo', value: 7 }, { signal })), 7);
    await assert.rejects(
      workAs('a', () => pool.run({ kind: 'refuse' }, { signal })),
      (err: unknown) => {
        assert.ok(err instanceof AppError);
        assert.equal(err.code, 'invalid_graph');
        assert.deepEqual(err.issues, [{ code: 'bad', message: 'Bad.' }]);
        assert.deepEqual(err.details, { total: 3 });
        return true;
      },
    );
    await assert.rejects(
      workAs('a', () => pool.run({ kind: 'break' }, { signal })),
      /It broke/,
    );
    assert.equal(await workAs('a', () => pool.run({ kind: 'echo', value: 8 }, { signal })), 8);
  });

  it('ends a task that takes too long', async () => {
    const pool = createPool({ timeoutMs: 1_000 });
    await assert.rejects(
      workAs('a', () => pool.run({ kind: 'spin', value: 600_000 }, { signal })),
      TaskTooCostlyError,
    );
    assert.equal(await workAs('a', () => pool.run({ kind: 'echo', value: 1 }, { signal })), 1);
  });

  it('counts processor time instead of elapsed time', async () => {
    const pool = createPool({ timeoutMs: 1_000 });
    assert.equal(await workAs('a', () => pool.run({ kind: 'wait', value: 2_000 }, { signal })), 2_000);
  });

  it('serves another account before the remaining tasks of the first account', async () => {
    const pool = createPool({ threads: 1 });
    const endedAccounts: string[] = [];
    const run = (account: string): Promise<unknown> =>
      workAs(account, () => pool.run({ kind: 'spin', value: 5 }, { signal })).then(() =>
        endedAccounts.push(account),
      );
    await Promise.all([...Array.from({ length: 4 }, () => run('busy')), run('other')]);
    assert.equal(endedAccounts.join(' '), 'busy other busy busy busy');
  });

  it('serves the account next that has used the least time', async () => {
    const pool = createPool({ threads: 1 });
    const endedAccounts: string[] = [];
    const run = (account: string): Promise<unknown> =>
      workAs(account, () => pool.run({ kind: 'spin', value: 5 }, { signal })).then(() =>
        endedAccounts.push(account),
      );
    await run('a');
    await Promise.all([run('b'), run('a'), run('c')]);
    assert.equal(endedAccounts.join(''), 'abca');
  });

  it('keeps workers for tasks with short limits', async () => {
    const pool = createPool({ reserved: { workers: 1, maxTimeoutMs: 1000 } });
    const abort = new AbortController();
    const endless = ['a', 'b', 'c'].map(account =>
      workAs(account, () => pool.run({ kind: 'spin', value: 600_000 }, { signal: abort.signal })),
    );
    assert.equal(
      await workAs('d', () => pool.run({ kind: 'echo', value: 5 }, { signal, timeoutMs: 1000 })),
      5,
    );
    abort.abort();
    await Promise.allSettled(endless);
  });

  it('rejects tasks beyond maxWaiting of an account unless they belong to an accepted run', async () => {
    const pool = createPool({ maxWaiting: 2 });
    const queuedTasks = Array.from({ length: 3 }, () =>
      workAs('busy', () => pool.run({ kind: 'spin', value: 200 }, { signal })),
    );
    await assert.rejects(
      workAs('busy', () => pool.run({ kind: 'echo' }, { signal })),
      { code: 'unavailable' },
    );
    assert.equal(await workAs('other', () => pool.run({ kind: 'echo', value: 2 }, { signal })), 2);
    assert.equal(await runAccepted('busy', () => pool.run({ kind: 'echo', value: 3 }, { signal })), 3);
    await Promise.all(queuedTasks);
  });

  it('ends running and queued tasks whose signal fires', async () => {
    const pool = createPool();
    const abort = new AbortController();
    const running = workAs('a', () => pool.run({ kind: 'spin', value: 600_000 }, { signal: abort.signal }));
    const queued = workAs('a', () => pool.run({ kind: 'spin', value: 600_000 }, { signal: abort.signal }));
    setTimeout(() => abort.abort(new Error('Given up.')), 100);
    await assert.rejects(running, /Given up/);
    await assert.rejects(queued, /Given up/);
    assert.equal(await workAs('a', () => pool.run({ kind: 'echo', value: 4 }, { signal })), 4);
  });

  it('passes the current context to a task', async () => {
    const pool = createPool();
    for (const context of [{ name: 'one' }, { name: 'two' }]) {
      for (let time = 0; time < 2; time++) {
        assert.deepEqual(await pool.run({ kind: 'context' }, { signal, context }), context);
      }
    }
  });
});
