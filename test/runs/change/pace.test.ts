// Tests how often calls are polled: most often around the usual duration of the model.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { TIMING } from '../../../src/lib/timing.ts';
import { computeFirstPollMs, computeNextPollMs, estimateProgress } from '../../../src/runs/change/pace.ts';

/** Returns the ages at which a call is polled, up to the given age. */
function listPollAges(usualMs: number | undefined, untilMs: number, hasCallback = false): readonly number[] {
  const ages: number[] = [];
  const call = { submittedAtMs: 0, deadlineAtMs: 1e9, usualMs, hasCallback, minDelayMs: 0 };
  for (
    let nowMs = computeFirstPollMs(0, 0, usualMs, TIMING);
    nowMs <= untilMs;
    nowMs = computeNextPollMs({ ...call, nowMs }, TIMING)
  )
    ages.push(nowMs);
  return ages;
}

describe('polling', () => {
  it('notices the end of a call of usual duration within a tenth of that duration', () => {
    for (const usualMs of [10_000, 60_000, 120_000]) {
      const ages = listPollAges(usualMs, 2 * usualMs);
      const next = ages.find(age => age >= usualMs) ?? Number.POSITIVE_INFINITY;
      assert.ok(next - usualMs <= usualMs / 10, `${usualMs}: ${next}`);
      assert.ok(ages.filter(age => age <= usualMs).length <= 6, `${ages}`);
    }
  });

  it('happens at least every 15 s if the usual duration is unknown', () => {
    const ages = listPollAges(undefined, 300_000);
    assert.equal(ages[0], 1000);
    for (const [index, age] of ages.entries())
      if (index > 0) assert.ok(age - (ages[index - 1] ?? 0) <= 15_001);
  });

  it('is rarer if the provider sends webhooks', () => {
    assert.ok(listPollAges(10_000, 60_000, true).length < listPollAges(10_000, 60_000).length);
    const call = { submittedAtMs: 0, nowMs: 9000, usualMs: undefined, hasCallback: true, minDelayMs: 60_000 };
    assert.equal(computeNextPollMs({ ...call, deadlineAtMs: 12_000 }, TIMING), 12_000);
  });
});

describe('estimateProgress', () => {
  it('divides the age by the usual duration and stays below 1', () => {
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
