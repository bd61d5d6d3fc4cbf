// Tests limits of processor time, with a clock of the test and with that of a process.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import {
  limitProcessorTime,
  readProcessTime,
  readThreadTime,
} from '../../../src/lib/threads/processor-time.ts';

describe('a limit of processor time', () => {
  const CASES: readonly (readonly [of: string, share: number | undefined, endsAtMs: number])[] = [
    ['work that computes all the time', 1, 1000],
    ['work that gets half a processor', 0.5, 2000],
    ['work that waits', 0, 5000],
    ['work whose time is not known', undefined, 1000],
  ];
  for (const [of, share, endsAtMs] of CASES)
    it(`ends ${of}`, async t => {
      t.mock.timers.enable({ apis: ['setTimeout', 'Date'] });
      const usedMs = async () => (share === undefined ? undefined : 7000 + Date.now() * share);
      using limit = limitProcessorTime(usedMs, 1000);
      while (!limit.signal.aborted) {
        await turn();
        t.mock.timers.tick(50);
        await turn();
      }
      // The less time is left, the more often it is read.
      assert.ok(Math.abs(Date.now() - endsAtMs) <= 100, `${Date.now()} ms`);
      assert.equal(limit.signal.reason.name, 'TimeoutError');
    });
});

it('reads no processor time of a thread that is not running yet', async () => {
  const thread = new Worker('setInterval(() => undefined, 1000)', { eval: true });
  assert.equal(await readThreadTime(thread), 0);
  await thread.terminate();
});

it('reads the processor time of a process', { skip: process.platform !== 'linux' }, async () => {
  const { user, system } = process.cpuUsage();
  const usedMs = await readProcessTime(process.pid);
  // Its clock has a unit of 10 ms.
  assert.ok(usedMs >= (user + system) / 1000 - 20, `${usedMs} ms`);
});
