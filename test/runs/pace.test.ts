// When a call is looked at: closely around the time that its model usually takes, rarely before and long after.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { firstPollAt, guessProgress, nextPollAt } from '../../src/runs/calls/pace.ts';

/** The ages at which a call is looked at, up to that age. */
function agesOf(usualMs: number | undefined, untilMs: number, hasHook = false): readonly number[] {
  const ages: number[] = [];
  const call = { submittedAtMs: 0, deadlineAtMs: 1e9, usualMs, hasHook, afterMs: 0 };
  for (let nowMs = firstPollAt(0, 0, usualMs); nowMs <= untilMs; nowMs = nextPollAt({ ...call, nowMs }))
    ages.push(nowMs);
  return ages;
}

describe('the pace of looks', () => {
  it('sees the end of a call of usual length within a tenth of it, at few looks', () => {
    for (const usualMs of [10_000, 60_000, 120_000]) {
      const ages = agesOf(usualMs, 2 * usualMs);
      const next = ages.find(age => age >= usualMs) ?? Number.POSITIVE_INFINITY;
      assert.ok(next - usualMs <= usualMs / 10, `${usualMs}: ${next}`);
      assert.ok(ages.filter(age => age <= usualMs).length <= 6, `${ages}`);
    }
  });

  it('is by age where nothing is known, 15 s apart at most', () => {
    const ages = agesOf(undefined, 300_000);
    assert.equal(ages[0], 1000);
    for (const [index, age] of ages.entries())
      if (index > 0) assert.ok(age - (ages[index - 1] ?? 0) <= 15_001);
  });

  it('is slower where the provider reports the end itself, and never passes the deadline', () => {
    assert.ok(agesOf(10_000, 60_000, true).length < agesOf(10_000, 60_000).length);
    const call = { submittedAtMs: 0, nowMs: 9000, usualMs: undefined, hasHook: true, afterMs: 60_000 };
    assert.equal(nextPollAt({ ...call, deadlineAtMs: 12_000 }), 12_000);
  });

  it('guesses progress by the usual length, and never the end', () => {
    assert.deepEqual(
      [guessProgress(0, 10_000, 5000), guessProgress(0, 10_000, 50_000), guessProgress(0, undefined, 5)],
      [0.5, 0.95, undefined],
    );
  });
});
