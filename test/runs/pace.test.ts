// Tests when calls are polled: often around the model's usual duration, rarely long before and after.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { computeFirstPollMs, computeNextPollMs, estimateProgress } from '../../src/runs/calls/pace.ts';

/** Returns the ages at which a call is polled, up to the given age. */
function listPollAges(usualMs: number | undefined, untilMs: number, hasHook = false): readonly number[] {
  const ages: number[] = [];
  const call = { submittedAtMs: 0, deadlineAtMs: 1e9, usualMs, hasHook, minDelayMs: 0 };
  for (
    let nowMs = computeFirstPollMs(0, 0, usualMs);
    nowMs <= untilMs;
    nowMs = computeNextPollMs({ ...call, nowMs })
  )
    ages.push(nowMs);
  return ages;
}

describe('polling', () => {
  it('notices the end of a usual call within a tenth of its duration, with few polls', () => {
    for (const usualMs of [10_000, 60_000, 120_000]) {
      const ages = listPollAges(usualMs, 2 * usualMs);
      const next = ages.find(age => age >= usualMs) ?? Number.POSITIVE_INFINITY;
      assert.ok(next - usualMs <= usualMs / 10, `${usualMs}: ${next}`);
      assert.ok(ages.filter(age => age <= usualMs).length <= 6, `${ages}`);
    }
  });

  it('depends on the age if nothing is known, at most 15 s apart', () => {
    const ages = listPollAges(undefined, 300_000);
    assert.equal(ages[0], 1000);
    for (const [index, age] of ages.entries())
      if (index > 0) assert.ok(age - (ages[index - 1] ?? 0) <= 15_001);
  });

  it('is slower if the provider sends hooks, and never passes the deadline', () => {
    assert.ok(listPollAges(10_000, 60_000, true).length < listPollAges(10_000, 60_000).length);
    const call = { submittedAtMs: 0, nowMs: 9000, usualMs: undefined, hasHook: true, minDelayMs: 60_000 };
    assert.equal(computeNextPollMs({ ...call, deadlineAtMs: 12_000 }), 12_000);
  });

  it('estimates progress by the usual duration, and never reports the end', () => {
    assert.deepEqual(
      [
        estimateProgress(0, 10_000, 5000),
        estimateProgress(0, 10_000, 50_000),
        estimateProgress(0, undefined, 5),
      ],
      [0.5, 0.95, undefined],
    );
  });
});
