// Tests which due times of a schedule start, wait or are skipped.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chooseWaiting, planFirings, SKIP_REASONS } from '../../../src/automation/schedules/plan-firings.ts';
import type { OpenFiring, ScheduleRow } from '../../../src/automation/schedules/store.ts';

const NOON = new Date('2026-01-01T12:00:00Z');
const HOUR_MS = 3_600_000;

const beforeNoon = (ms: number): Date => new Date(NOON.getTime() - ms);

/** Creates a schedule that is due every hour. */
const createSchedule = (settings: Pick<ScheduleRow, 'next_run_at'> & Partial<ScheduleRow>): ScheduleRow => ({
  id: 'sch_1',
  workflow_id: 'wf_1',
  user_id: 1,
  spender_id: null,
  key_id: null,
  name: 'Hourly',
  cron: null,
  every_seconds: 3600,
  time_zone: 'UTC',
  inputs: '{}',
  max_credits: null,
  runs_version: 'current',
  overlap: 'skip',
  catch_up: 'latest',
  jitter_seconds: 0,
  offset_seconds: 0,
  is_active: true,
  paused_reason: null,
  anchor_at: beforeNoon(200 * HOUR_MS),
  failures_in_a_row: 0,
  created_at: beforeNoon(200 * HOUR_MS),
  ...settings,
});

const createOpenFiring = (firing: Partial<OpenFiring> = {}): OpenFiring => ({
  id: 'fir_1',
  schedule_id: 'sch_1',
  kind: 'scheduled',
  due_at: beforeNoon(HOUR_MS),
  is_waiting: false,
  execution_id: 'ex_1',
  ...firing,
});

/** Plans at noon, and returns each firing as text. */
const plan = (
  settings: Pick<ScheduleRow, 'next_run_at'> & Partial<ScheduleRow>,
  openFirings: readonly OpenFiring[] = [],
  now = NOON,
): readonly string[] =>
  planFirings(createSchedule(settings), openFirings, now).firings.map(
    ({ kind, outcome, due_at, reason }) =>
      `${kind} ${outcome} ${due_at.toISOString().slice(11, 16)}${reason === null ? '' : `: ${reason}`}`,
  );

describe('planFirings', () => {
  it('starts a run that is due, and plans the next one', () => {
    const { firings, next_run_at } = planFirings(createSchedule({ next_run_at: NOON }), [], NOON);
    assert.deepEqual(firings, [{ kind: 'scheduled', due_at: NOON, outcome: 'starting', reason: null }]);
    assert.deepEqual(next_run_at, beforeNoon(-HOUR_MS));
  });

  it('plans nothing if no due time is left', () => {
    assert.deepEqual(planFirings(createSchedule({ next_run_at: null }), [], NOON), {
      firings: [],
      next_run_at: null,
    });
  });

  it('skips to a due time that has just come', () => {
    assert.deepEqual(plan({ next_run_at: beforeNoon(HOUR_MS) }), ['scheduled starting 12:00']);
  });

  it('counts a due time as missed after a minute', () => {
    const at = (lateMs: number) => new Date(NOON.getTime() + lateMs);
    assert.deepEqual(plan({ next_run_at: NOON, catch_up: 'none' }, [], at(60_000)), [
      'scheduled starting 12:00',
    ]);
    assert.deepEqual(plan({ next_run_at: NOON, catch_up: 'none' }, [], at(60_001)), [
      `catch_up skipped 12:00: ${SKIP_REASONS.missed}`,
    ]);
  });

  it('starts the latest of the missed due times, unless it is more than a day ago', () => {
    assert.deepEqual(plan({ next_run_at: beforeNoon(5 * HOUR_MS) }, [], beforeNoon(-HOUR_MS / 2)), [
      'catch_up starting 12:00',
    ]);
    const daily = { every_seconds: 7 * 86_400, next_run_at: NOON };
    assert.deepEqual(plan(daily, [], beforeNoon(-24 * HOUR_MS)), ['catch_up starting 12:00']);
    assert.deepEqual(plan(daily, [], beforeNoon(-24 * HOUR_MS - 1)), [
      `catch_up skipped 12:00: ${SKIP_REASONS.missed}`,
    ]);
  });

  it('lets all missed due times wait with catch_up all, at most the last hundred', () => {
    assert.deepEqual(plan({ next_run_at: beforeNoon(2 * HOUR_MS), catch_up: 'all' }), [
      'catch_up waiting 10:00',
      'catch_up waiting 11:00',
      'catch_up waiting 12:00',
    ]);
    const { firings, next_run_at } = planFirings(
      createSchedule({ next_run_at: beforeNoon(150 * HOUR_MS), catch_up: 'all' }),
      [],
      NOON,
    );
    assert.deepEqual(
      [firings.length, firings[0]?.due_at, firings.at(-1)?.due_at, next_run_at],
      [100, beforeNoon(99 * HOUR_MS), NOON, beforeNoon(-HOUR_MS)],
    );
  });

  it('applies the overlap setting while another run is open', () => {
    const open = [createOpenFiring()];
    assert.deepEqual(plan({ next_run_at: NOON, overlap: 'skip' }, open), [
      `scheduled skipped 12:00: ${SKIP_REASONS.overlap}`,
    ]);
    assert.deepEqual(plan({ next_run_at: NOON, overlap: 'queue' }, open), ['scheduled waiting 12:00']);
    assert.deepEqual(plan({ next_run_at: NOON, overlap: 'queue' }), ['scheduled starting 12:00']);
    for (const overlap of ['allow', 'cancel_previous'] as const)
      assert.deepEqual(plan({ next_run_at: NOON, overlap }, open), ['scheduled starting 12:00']);
  });

  it('queues one run, besides catch-ups', () => {
    const queue = (...open: readonly OpenFiring[]) => plan({ next_run_at: NOON, overlap: 'queue' }, open);
    assert.deepEqual(queue(createOpenFiring(), createOpenFiring({ is_waiting: true })), [
      `scheduled skipped 12:00: ${SKIP_REASONS.queueFull}`,
    ]);
    assert.deepEqual(queue(createOpenFiring({ kind: 'catch_up', is_waiting: true })), [
      'scheduled waiting 12:00',
    ]);
  });
});

describe('chooseWaiting', () => {
  const waiting = (id: string, kind: OpenFiring['kind'], hour: number): OpenFiring =>
    createOpenFiring({ id, kind, is_waiting: true, due_at: beforeNoon(hour * HOUR_MS) });
  const choose = (overlap: ScheduleRow['overlap'], ...open: readonly OpenFiring[]): string | undefined =>
    chooseWaiting({ overlap }, open)?.id;
  const missed = [waiting('later', 'catch_up', 2), waiting('earlier', 'backfill', 3)];

  it('chooses the earliest firing, but a scheduled one before the others', () => {
    assert.equal(choose('queue'), undefined);
    assert.equal(choose('queue', ...missed), 'earlier');
    assert.equal(choose('queue', ...missed, waiting('scheduled', 'scheduled', 1)), 'scheduled');
  });

  it('waits for every run, or only for those that run one after the other', () => {
    for (const overlap of ['skip', 'queue'] as const)
      assert.equal(choose(overlap, createOpenFiring(), ...missed), undefined);
    for (const overlap of ['allow', 'cancel_previous'] as const) {
      assert.equal(choose(overlap, createOpenFiring(), ...missed), 'earlier');
      assert.equal(choose(overlap, createOpenFiring({ kind: 'catch_up' }), ...missed), undefined);
      assert.equal(choose(overlap, createOpenFiring({ kind: 'backfill' }), ...missed), undefined);
    }
  });
});
