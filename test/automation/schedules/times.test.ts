// Tests the due times of schedules, also when daylight saving time begins or ends.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  findNextTime,
  listLastTimes,
  listNextTimes,
  requireTiming,
  type Timing,
} from '../../../src/automation/schedules/times.ts';

const createTiming = (cron: string, time_zone: string, more: Partial<Timing> = {}): Timing => ({
  cron,
  every_seconds: null,
  time_zone,
  anchor_at: new Date('2026-01-01T00:00:00Z'),
  offset_seconds: 0,
  ...more,
});

const listNext = (cron: string, zone: string, after: string, count: number): readonly string[] =>
  listNextTimes(createTiming(cron, zone), new Date(after), count).map(time =>
    time.toISOString().replace(':00.000Z', 'Z'),
  );

describe('a cron expression with fixed hours', () => {
  const cases: readonly (readonly [
    name: string,
    cron: string,
    zone: string,
    after: string,
    times: string[],
  ])[] = [
    [
      'in Berlin in spring, at the end of the gap',
      '30 2 * * *',
      'Europe/Berlin',
      '2026-03-28T12:00:00Z',
      ['2026-03-29T01:00Z', '2026-03-30T00:30Z'],
    ],
    [
      'in Berlin in autumn, the first time',
      '30 2 * * *',
      'Europe/Berlin',
      '2026-10-24T12:00:00Z',
      ['2026-10-25T00:30Z', '2026-10-26T01:30Z'],
    ],
    [
      'in New York in spring',
      '30 2 * * *',
      'America/New_York',
      '2026-03-07T12:00:00Z',
      ['2026-03-08T07:00Z', '2026-03-09T06:30Z'],
    ],
    [
      'in New York in autumn',
      '30 1 * * *',
      'America/New_York',
      '2026-10-31T12:00:00Z',
      ['2026-11-01T05:30Z', '2026-11-02T06:30Z'],
    ],
    [
      'on Lord Howe in spring, where the gap is half an hour',
      '15 2 * * *',
      'Australia/Lord_Howe',
      '2026-10-03T12:00:00Z',
      ['2026-10-03T15:30Z', '2026-10-04T15:15Z'],
    ],
    [
      'on Lord Howe in autumn',
      '45 1 * * *',
      'Australia/Lord_Howe',
      '2026-04-04T12:00:00Z',
      ['2026-04-04T14:45Z', '2026-04-05T15:15Z'],
    ],
    [
      'for each of several hours in autumn',
      '0 1,2,3 * * *',
      'Europe/Berlin',
      '2026-10-24T22:00:00Z',
      ['2026-10-24T23:00Z', '2026-10-25T00:00Z', '2026-10-25T02:00Z', '2026-10-26T00:00Z'],
    ],
    [
      'in a zone that abolished daylight saving time, at its last change',
      '30 0 * * *',
      'America/Mexico_City',
      '2022-10-29T12:00:00Z',
      ['2022-10-30T05:30Z', '2022-10-31T06:30Z'],
    ],
    [
      'in that zone in the next spring',
      '30 2 * * *',
      'America/Mexico_City',
      '2023-04-01T12:00:00Z',
      ['2023-04-02T08:30Z', '2023-04-03T08:30Z'],
    ],
    [
      'in a zone that made daylight saving time permanent',
      '30 0 * * *',
      'Asia/Amman',
      '2022-10-26T12:00:00Z',
      ['2022-10-26T21:30Z', '2022-10-27T21:30Z', '2022-10-28T21:30Z'],
    ],
  ];
  for (const [name, cron, zone, after, times] of cases)
    it(`fires once a day ${name}`, () => assert.deepEqual(listNext(cron, zone, after, times.length), times));
});

describe('the due times by elapsed time', () => {
  it('of an expression with several times an hour continue in an hour that repeats', () => {
    assert.deepEqual(listNext('*/15 * * * *', 'Europe/Berlin', '2026-10-25T00:20:00Z', 6), [
      '2026-10-25T00:30Z',
      '2026-10-25T00:45Z',
      '2026-10-25T01:00Z',
      '2026-10-25T01:15Z',
      '2026-10-25T01:30Z',
      '2026-10-25T01:45Z',
    ]);
  });

  it('of an interval ignore changes of daylight saving time', () => {
    const interval = { ...createTiming('', 'Europe/Berlin'), cron: null, every_seconds: 86_400 };
    const times = listNextTimes(interval, new Date('2026-03-28T12:00:00Z'), 2);
    assert.deepEqual(
      times.map(time => time.toISOString()),
      ['2026-03-29T00:00:00.000Z', '2026-03-30T00:00:00.000Z'],
    );
  });

  it('of an interval start one interval after the anchor', () => {
    const interval = { ...createTiming('', 'UTC'), cron: null, every_seconds: 90 };
    const first = '2026-01-01T00:01:30.000Z';
    for (const after of ['2025-12-01T00:00:00Z', '2026-01-01T00:00:00Z', '2026-01-01T00:01:29.999Z'])
      assert.equal(findNextTime(interval, new Date(after))?.toISOString(), first);
    assert.equal(findNextTime(interval, new Date(first))?.toISOString(), '2026-01-01T00:03:00.000Z');
    const range = { from: new Date('2025-01-01'), to: new Date(first) };
    assert.deepEqual(
      listLastTimes(interval, range, 10).map(time => time.toISOString()),
      [first],
    );
  });
});

it('listLastTimes lists the same times as listNextTimes', () => {
  const days = [
    ['Europe/Berlin', '2026-03-28T20:00:00Z'],
    ['Europe/Berlin', '2026-10-24T20:00:00Z'],
    ['America/New_York', '2026-11-01T00:00:00Z'],
    ['America/New_York', '2026-03-08T00:00:00Z'],
    ['Australia/Lord_Howe', '2026-04-04T10:00:00Z'],
    ['Australia/Lord_Howe', '2026-10-03T10:00:00Z'],
  ] as const;
  const crons = ['*/20 * * * *', '30 2 * * *', '45 1 * * *', '0 1,2,3 * * *', '15 */2 * * *', '0 * * * *'];
  for (const [zone, start] of days) {
    for (const cron of crons) {
      const timing = createTiming(cron, zone, { offset_seconds: 17 });
      const from = new Date(start);
      const to = new Date(from.getTime() + 86_400_000);
      const forward = listNextTimes(timing, new Date(from.getTime() - 1), 200).filter(time => time <= to);
      assert.deepEqual(listLastTimes(timing, { from, to }, 200), forward, `${cron} in ${zone} from ${start}`);
    }
  }
});

it('listNextTimes shifts every time by offset_seconds', () => {
  const timing = createTiming('0 9 * * *', 'UTC', { offset_seconds: 120 });
  const times = listNextTimes(timing, new Date('2026-05-01T09:01:00Z'), 2);
  assert.deepEqual(
    times.map(time => time.toISOString()),
    ['2026-05-01T09:02:00.000Z', '2026-05-02T09:02:00.000Z'],
  );
});

describe('requireTiming', () => {
  const check = (cron: string, zone = 'UTC'): void =>
    requireTiming(createTiming(cron, zone), new Date('2026-05-01T00:00:00Z'));

  it('accepts names such as @daily', () => {
    for (const name of ['@hourly', '@daily', '@weekly', '@monthly', '@yearly']) check(name);
  });

  it('rejects an invalid expression or time zone with a message', () => {
    for (const cron of ['', 'daily', '* * * * * *', '61 * * * *', '*/0 * * * *', '@reboot'])
      assert.throws(() => check(cron), /^AppError: cron must be five fields/, cron);
    assert.throws(() => check('0 0 30 2 *'), /never fires/);
    assert.throws(() => check('0 0 * * *', 'Mars/Base'), /must be a time zone such as Europe\/Berlin/);
  });
});
