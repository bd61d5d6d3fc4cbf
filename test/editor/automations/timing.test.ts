// Tests the period for which the editor offers to run a schedule.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { getUsualPeriodMs } from '../../../editor/pages/automations/timing.ts';

const HOUR_MS = 3_600_000;

it('the usual period of a schedule has due times, but not too many', () => {
  const hours = (cron: string | null, everySeconds: number | null = null): number =>
    getUsualPeriodMs({ cron, everySeconds, timeZone: 'UTC' }) / HOUR_MS;
  assert.equal(hours('15 * * * *'), 24);
  assert.equal(hours('0 9 * * 1-5'), 7 * 24);
  assert.equal(hours('0 9 * * 1'), 35 * 24);
  assert.equal(hours('0 9 31 * *'), 93 * 24);
  assert.equal(hours(null, 7200), 10);
});
