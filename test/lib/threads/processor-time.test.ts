// Tests limits of processor time with a simulated clock, and the real processor time of a thread and a process.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import {
  limitProcessorTime,
  readProcessTime,
  readThreadTime,
} from '../../../src/lib/threads/processor-time.ts';

describe('limitProcessorTime', () => {
  /** `share` is the processor time per elapsed time. */
  const CASES: readonly (readonly [work: string, share: number | undefined, endsAtMs: number])[] = [
    ['work that computes all the time', 1, 1000],
    ['work that gets half a processor', 0.5, 2000],
    ['work that waits', 0, 5000],
    ['work of unknown processor time', undefined, 1000],
  ];
  for (const [work, share, endsAtMs] of CASES)
    it(`ends ${work}`, async t => {
      t.mock.timers.enable({ apis: ['setTimeout', 'Date'] });
      const readTime = async () => (share === undefined ? undefined : 7000 + Date.now() * share);
      using limit = limitProcessorTime(readTime, 1000);
      while (!limit.signal.aborted) {
        await turn();
        t.mock.timers.tick(50);
        await turn();
      }
      // The limit reads the time more often toward its end, so it ends the work at most two ticks late.
      assert.ok(Math.abs(Date.now() - endsAtMs) <= 100, `${Date.now()} ms`);
      assert.equal(limit.signal.reason.name, 'TimeoutError');
    });
});

it('readThreadTime returns 0 for a thread that is not running yet', async () => {
  const thread = new Worker('setInterval(() => undefined, 1000)', { eval: true });
  assert.equal(await readThreadTime(thread), 0);
  await thread.terminate();
});

it('readProcessTime returns the processor time of a process', {
  skip: process.platform !== 'linux',
}, async () => {
  const { user, system } = process.cpuUsage();
  const usedMs = await readProcessTime(process.pid);
  // Linux reports the time in units of 10 ms.
  assert.ok(usedMs >= (user + system) / 1000 - 20, `${usedMs} ms`);
});
