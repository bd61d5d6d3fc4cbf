// Tests how schedules read in words.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { describeTiming } from '../../../editor/pages/automations/describe.ts';

const CRONS: Readonly<Record<string, string>> = {
  '0 9 * * 1-5': 'every weekday at 9:00, Berlin time',
  '0 9 * * MON-FRI': 'every weekday at 9:00, Berlin time',
  '30 7,19 * * *': 'every day at 7:30 and 19:30, Berlin time',
  '5 0 * * 0': 'every Sunday at 0:05, Berlin time',
  '0 8 * * 6,7': 'every weekend day at 8:00, Berlin time',
  '0 8 * * 1,3,5': 'every Monday, Wednesday, and Friday at 8:00, Berlin time',
  '0 12 1,15 * *': 'on days 1 and 15 of every month at 12:00, Berlin time',
  '0 0 24 12 *': 'on day 24 of December at 0:00, Berlin time',
  '@daily': 'every day at 0:00, Berlin time',
  '* * * * *': 'every minute',
  '*/15 * * * *': 'every 15 minutes',
  '0 * * * *': 'every hour',
  '20 */6 * * *': 'every day at 0:20, 6:20, 12:20, and 18:20, Berlin time',
  '5 */3 * * *': 'every 3 hours from 0:05, Berlin time',
  '0 */5 * * *': 'every day at 0:00, 5:00, 10:00, 15:00, and 20:00, Berlin time',
  '10 * * * *': 'every hour, 10 minutes past',
  '0,30 * * * *': 'every 30 minutes',
  // Steps that do not divide the hour are not equally long.
  '*/45 * * * *': 'every hour at :00 and :45, Berlin time',
  '*/7 * * * *': 'at the times of "*/7 * * * *", Berlin time',
  '5,10 * * * *': 'every hour at :05 and :10, Berlin time',
  // These would be unclear or wrong in words: a day of the month or of the week, steps in ranges, too many times.
  '0 9 13 * 5': 'at the times of "0 9 13 * 5", Berlin time',
  '0 9-17/2 * * *': 'at the times of "0 9-17/2 * * *", Berlin time',
  '*/10 9 * * *': 'at the times of "*/10 9 * * *", Berlin time',
  '0,30 9-17 * * *': 'at the times of "0,30 9-17 * * *", Berlin time',
  '0 25 * * *': 'at the times of "0 25 * * *", Berlin time',
};

describe('describeTiming', () => {
  for (const [cron, words] of Object.entries(CRONS))
    it(`says "${words}" for ${cron}`, () =>
      assert.equal(describeTiming({ cron, everySeconds: null, timeZone: 'Europe/Berlin' }), words));

  it('uses the largest unit of an interval and the city of a time zone', () => {
    const every = (everySeconds: number): string =>
      describeTiming({ cron: null, everySeconds, timeZone: 'UTC' });
    assert.deepEqual([60, 90, 3600, 7200, 86_400].map(every), [
      'every minute',
      'every 90 seconds',
      'every hour',
      'every 2 hours',
      'every day',
    ]);
    const describeIn = (timeZone: string): string =>
      describeTiming({ cron: '0 9 * * *', everySeconds: null, timeZone });
    assert.match(describeIn('America/New_York'), /, New York time$/);
    assert.match(describeIn('America/Argentina/Buenos_Aires'), /, Buenos Aires time$/);
    assert.match(describeIn('Etc/UTC'), /, UTC$/);
  });
});
