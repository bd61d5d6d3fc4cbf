// Tests the lifecycle of a run: properties that hold for random sequences of events.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Step } from '../../src/engine/types.ts';
import { createSeededRandom } from '../../src/lib/seeded-random.ts';
import { TIMING } from '../../src/lib/timing.ts';
import {
  createInitialTransition,
  type Effect,
  type LifecycleEvent,
  type Transition,
  transition,
} from '../../src/runs/lifecycle.ts';
import type { RunRow, RunSpec } from '../../src/store/runs.ts';

const SPEC: RunSpec = {
  id: 'ex_1',
  workflow_id: 'wf_1',
  workflow_version: 1,
  user_id: 1,
  workspace: 'user:1',
  request: '{}',
  webhook: null,
  watched: false,
  is_paid: true,
  nodes_total: 3,
  resumed_from_id: null,
  credentials: null,
  components: null,
  traceparent: null,
  origin_id: null,
  origin_key: null,
  created_at: new Date(1000),
};
const WORKERS = ['wrk_1', 'wrk_2'];
const step = (more: Partial<Step> = {}): Step => ({ nodeId: 'a', status: 'RUNNING', attempt: 1, ...more });
const ENDING = { status: 'FAILED', error: null, runningMs: 7, atMs: 5000, delivery: null } as const;

function randomEvent(random: () => number, run: RunRow): LifecycleEvent {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const atMs = 1000 + Math.floor(random() * 10_000);
  // Sometimes the lease of a worker that has lost the run.
  const lease = random() < 0.2 ? run.lease - 1 : run.lease;
  const steps = Array.from({ length: Math.floor(random() * 3) }, () => step({ credits: 2 }));
  const report = { lease, steps, nodesDone: Math.floor(random() * 4), timeoutAtMs: 90_000 };
  return pick<LifecycleEvent>([
    { kind: 'claim', workerId: pick(WORKERS), atMs },
    { kind: 'checkpoint', ...report },
    {
      kind: 'suspend',
      ...report,
      atMs,
      runningMs: atMs,
      waitsFor: pick(['time', 'decision', 'call']),
      wakeAtMs: pick([null, atMs]),
    },
    { kind: 'release', ...report, runningMs: atMs },
    ...(random() < 0.2 ? [{ kind: 'end', ...report, ending: ENDING } as const] : []),
    ...(random() < 0.2 ? [{ kind: 'end unleased', ending: ENDING, steps } as const] : []),
    { kind: 'cancel' },
    { kind: 'decide', decisions: '{}' },
    { kind: 'wake', atMs },
    { kind: 'reassign', workerId: pick(WORKERS), ...(random() < 0.5 ? { lease } : {}) },
    { kind: 'bill', steps },
  ]);
}

const hasEffect = (effects: readonly Effect[], kind: Effect['kind']): boolean =>
  effects.some(item => item.kind === kind);

describe('a run after random events', () => {
  const walks: {
    readonly before: RunRow;
    readonly event: LifecycleEvent;
    readonly next: Transition | undefined;
  }[] = [];
  for (let seed = 1; seed <= 400; seed++) {
    const random = createSeededRandom(seed);
    let run = createInitialTransition({
      spec: SPEC,
      steps: [],
      workerId: random() < 0.5 ? 'wrk_1' : null,
    }).row;
    for (let count = 0; count < 60; count++) {
      const event = randomEvent(random, run);
      const next = transition(run, event, TIMING);
      walks.push({ before: run, event, next });
      run = next?.row ?? run;
    }
  }
  const applied = walks.flatMap(({ before, event, next }) =>
    next === undefined ? [] : [{ before, event, ...next }],
  );

  it('accepts only bills for its nodes after its end', () => {
    const walksAfterEnd = walks.filter(({ before }) => before.finished_at !== null);
    assert.ok(walksAfterEnd.length > 0);
    for (const { before, event, next } of walksAfterEnd) {
      if (event.kind !== 'bill') {
        assert.equal(next, undefined);
        continue;
      }
      assert.deepEqual(next?.row, { ...before, seq: before.seq + event.steps.length });
      assert.deepEqual(next?.effects, [{ kind: 'save steps', steps: event.steps }]);
    }
  });

  it('accepts no bills for cancelled calls before its end', () => {
    for (const { before, event, next } of walks)
      if (event.kind === 'bill' && before.finished_at === null) assert.equal(next, undefined);
  });

  it('changes only through the worker that holds its newest lease', () => {
    for (const { before, event, next } of walks)
      if ('nodesDone' in event && (before.worker_id === null || event.lease !== before.lease))
        assert.equal(next, undefined, event.kind);
  });

  it('has a lease number and an event number that only increase', () => {
    for (const { before, row, event } of applied) {
      assert.equal(row.lease, before.lease + (event.kind === 'claim' ? 1 : 0));
      assert.ok(row.seq >= before.seq);
      if (row.status !== before.status) assert.ok(row.seq > before.seq, event.kind);
    }
  });

  it('always has a worker, is queued, waits, or has ended', () => {
    for (const { row, effects, event } of applied) {
      if (row.worker_id !== null || row.finished_at !== null) continue;
      const waits = event.kind === 'suspend' && (event.waitsFor !== 'time' || event.wakeAtMs === null);
      assert.ok(waits || hasEffect(effects, 'queue'), `${event.kind} left ${row.status}`);
    }
  });

  it('is queued when it suspends if it was woken before', () => {
    for (const { before, event, row, effects } of applied)
      if (event.kind === 'suspend' && before.wake_at !== null) {
        assert.ok(hasEffect(effects, 'queue'));
        assert.ok(row.wake_at !== null && row.wake_at.getTime() === 0);
      }
  });

  it('stays CANCELLING until it ends', () => {
    for (const { before, row } of applied)
      if (before.status === 'CANCELLING') assert.ok(row.status === 'CANCELLING' || row.finished_at !== null);
  });

  it('occupies a slot of its workspace exactly while it is claimed or waits for a call', () => {
    for (const { before, row, event, effects } of applied) {
      if (row.worker_id !== null) assert.ok(row.under_way);
      if (row.running_since !== null) assert.ok(row.under_way && row.worker_id === null);
      const isReleased = before.under_way && !row.under_way;
      if (event.kind !== 'reassign') assert.equal(hasEffect(effects, 'release slot'), isReleased, event.kind);
    }
  });

  it('charges the credits that its steps report', () => {
    for (const { row, effects, event } of applied) {
      if (event.kind === 'bill') continue;
      assert.equal(hasEffect(effects, 'release credits'), row.finished_at !== null);
      const reported = 'steps' in event ? event.steps.length : 0;
      assert.equal(effects.filter(({ kind }) => kind === 'charge').length, reported);
    }
  });

  it('neither charges nor releases credits if it is free', () => {
    const free = createInitialTransition({
      spec: { ...SPEC, is_paid: false },
      steps: [],
      workerId: 'wrk_1',
    }).row;
    const end = {
      kind: 'end',
      lease: 1,
      steps: [step({ credits: 2 })],
      nodesDone: 1,
      timeoutAtMs: 0,
      ending: ENDING,
    } as const;
    assert.deepEqual(
      transition(free, end, TIMING)?.effects.map(({ kind }) => kind),
      ['save steps', 'cancel calls', 'release slot'],
    );
  });
});

describe('the clock of a run', () => {
  const claimedRow = createInitialTransition({ spec: SPEC, steps: [], workerId: 'wrk_1' }).row;
  const suspend = (waitsFor: 'time' | 'call'): RunRow =>
    transition(
      claimedRow,
      {
        kind: 'suspend',
        lease: 1,
        steps: [],
        nodesDone: 0,
        timeoutAtMs: 0,
        atMs: 2000,
        runningMs: 500,
        waitsFor,
        wakeAtMs: 9000,
      },
      TIMING,
    )?.row as RunRow;
  const claimAt = (run: RunRow, atMs: number) =>
    transition(run, { kind: 'claim', workerId: 'wrk_2', atMs }, TIMING)?.row.running_ms;

  it('continues while the run waits for a provider', () => {
    assert.equal(claimAt(suspend('call'), 5000), 500 + 3000);
  });

  it('stops while the run waits for a time', () => {
    assert.equal(claimAt(suspend('time'), 5000), 500);
  });
});

describe('an accepted run', () => {
  it('is queued with lease 0 or claimed by a worker with lease 1', () => {
    const queued = createInitialTransition({ spec: SPEC, steps: [step()], workerId: null });
    assert.deepEqual([queued.row.status, queued.row.lease, queued.row.seq], ['QUEUED', 0, 1]);
    assert.ok(hasEffect(queued.effects, 'queue'));
    const claimed = createInitialTransition({ spec: SPEC, steps: [step()], workerId: 'wrk_1' });
    assert.deepEqual([claimed.row.status, claimed.row.lease, claimed.row.seq], ['RUNNING', 1, 2]);
    assert.ok(!hasEffect(claimed.effects, 'queue'));
  });
});

describe('the calls of a node', () => {
  const run = createInitialTransition({ spec: SPEC, steps: [], workerId: 'wrk_1' }).row;
  const report = { lease: 1, nodesDone: 0, timeoutAtMs: 90_000 };
  const findEndedItems = (more: Partial<Step>): readonly number[] | null | undefined => {
    const steps = [step({ provider: { name: 'fal', jobId: 'j' }, ...more })];
    const effects = transition(run, { kind: 'checkpoint', ...report, steps }, TIMING)?.effects ?? [];
    return effects.find(effect => effect.kind === 'save calls')?.endedItems;
  };

  it('have ended for the items that have a result or a failure', () => {
    const failure = { code: 'provider_error', message: 'No.' };
    assert.deepEqual(findEndedItems({ items: [{}, null, null, null], failures: { 2: failure } }), [0, 2]);
    assert.deepEqual(findEndedItems({}), []);
  });

  it('have all ended when the node has settled', () => {
    assert.equal(findEndedItems({ status: 'COMPLETED' }), null);
  });
});
