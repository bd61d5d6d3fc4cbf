// Tests how tests shorten the durations of the service.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { divideTiming, TIMING, type Timing } from '../../src/lib/timing.ts';

const names = Object.keys(TIMING) as (keyof Timing)[];

describe('divideTiming', () => {
  it('changes nothing if the divisor is 1', () => {
    assert.deepEqual(divideTiming(TIMING, 1), TIMING);
  });

  it('shortens durations by the divisor or down to their minimum', () => {
    const divided = divideTiming(TIMING, 20);
    for (const name of names)
      assert.ok(divided[name] <= TIMING[name] && divided[name] >= TIMING[name] / 20, name);
    assert.equal(divided.batchRetryMs, TIMING.batchRetryMs / 20);
  });

  it('never lengthens a duration', () => {
    const short = { ...TIMING, takeoverMs: 10 };
    assert.equal(divideTiming(short, 20).takeoverMs, 10);
  });

  it('keeps workers alive that miss several heartbeats', () => {
    const { takeoverMs, heartbeatMs } = divideTiming(TIMING, 100);
    assert.ok(takeoverMs >= 4 * heartbeatMs && takeoverMs - heartbeatMs >= 3000);
  });
});
