// Alarms: at once for what is due, later for what is not, one ring for a moment.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createAlarms } from '../../src/lib/alarms.ts';

describe('alarms', () => {
  it('ring their own bell, once for times that fall together', async () => {
    const rings: string[] = [];
    const alarms = createAlarms<'a' | 'b'>(Date.now);
    alarms.listen('a', () => rings.push('a'));
    alarms.listen('b', () => rings.push('b'));
    const atMs = Date.now() + 30;
    for (let i = 0; i < 100; i++) alarms.set('a', atMs);
    alarms.set('b', 0);
    assert.deepEqual(rings, []);
    while (rings.length < 2) await sleep(5);
    assert.deepEqual(rings, ['b', 'a']);
    await sleep(30);
    assert.deepEqual(rings, ['b', 'a']);
  });

  it('never ring before the time, nor after they are closed', async () => {
    const alarms = createAlarms<'a'>(Date.now);
    const rungMs: number[] = [];
    alarms.listen('a', () => rungMs.push(Date.now()));
    const atMs = Date.now() + 25;
    alarms.set('a', atMs);
    while (rungMs.length === 0) await sleep(5);
    assert.ok((rungMs[0] ?? 0) >= atMs);
    alarms.set('a', Date.now() + 10);
    alarms.close();
    await sleep(60);
    assert.equal(rungMs.length, 1);
  });

  it('leave what is more than a day away to others', () => {
    const alarms = createAlarms<'a'>(() => 0);
    alarms.set('a', 86_400_001);
    alarms.set('a', Number.MAX_SAFE_INTEGER);
    alarms.close();
  });
});
