// Tests how workspaces share PostgreSQL when some of them write a lot.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { LargeWrites } from '../../../src/runs/slots/large-writes.ts';

describe('large writes', () => {
  it('are performed one after the other within a workspace', async () => {
    const writes = new LargeWrites();
    const log: string[] = [];
    const write = (workspace: string, name: string, fails = false): Promise<string> =>
      writes.perform(workspace, async () => {
        log.push(`${name} begins`);
        await sleep(10);
        log.push(`${name} ends`);
        if (fails) throw new Error(`${name} failed`);
        return name;
      });
    const results = await Promise.allSettled([write('a', 'a1', true), write('a', 'a2'), write('b', 'b1')]);
    assert.deepEqual(
      results.map(result => (result.status === 'fulfilled' ? result.value : result.reason.message)),
      ['a1 failed', 'a2', 'b1'],
    );
    const entriesOfA = log.filter(entry => entry.startsWith('a'));
    assert.deepEqual(entriesOfA, ['a1 begins', 'a1 ends', 'a2 begins', 'a2 ends']);
    assert.ok(log.indexOf('b1 begins') < log.indexOf('a1 ends'), 'the other workspace does not wait');
  });

  it('pause between each other only while other workspaces write', async () => {
    const measurePause = async (others: readonly string[]): Promise<number> => {
      const writes = new LargeWrites();
      for (const workspace of ['a', ...others]) writes.record(workspace);
      let endedMs = 0;
      await writes.perform('a', async () => {
        await sleep(50);
        endedMs = performance.now();
      });
      return writes.perform('a', async () => performance.now() - endedMs);
    };
    assert.ok((await measurePause(['b'])) >= 190);
    // Without a pause, nothing but the event loop is in between.
    const pauses = await Promise.all(Array.from({ length: 5 }, () => measurePause(['a'])));
    assert.ok(Math.min(...pauses) < 190, pauses.join());
  });
});
