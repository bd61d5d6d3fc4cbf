// Tests the lifecycle of a run: properties that hold for random sequences of events, and what each event changes.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import type { ProviderTask, Step } from '../../../src/engine/types.ts';
import { createSeededRandom } from '../../../src/lib/seeded-random.ts';
import { TIMING } from '../../../src/lib/timing.ts';
import {
  createInitialTransition,
  type Effect,
  type Ending,
  type LifecycleEvent,
  type Transition,
  transition,
} from '../../../src/runs/change/lifecycle.ts';
import { computeFirstPollMs } from '../../../src/runs/change/pace.ts';
import type { RunRow, RunSpec } from '../../../src/store/runs.ts';

const SPEC: RunSpec = {
  id: 'ex_1',
  workflow_id: 'wf_1',
  workflow_version: 1,
  user_id: 1,
  key_id: null,
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
    ...(random() < 0.2 ? [{ kind: 'end without worker', ending: ENDING, steps } as const] : []),
    { kind: 'cancel' },
    { kind: 'decide', decisions: '{}', atMs },
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

  const TASK = { provider: 'fal', id: 'job', submittedAtMs: 2000, deadlineAtMs: 80_000 } as const;
  const listCalls = (task: ProviderTask, more: Partial<Step> = {}) => {
    const steps = [step({ provider: { name: 'fal', jobId: 'j' }, jobs: { 4: task }, ...more })];
    const effects = transition(run, { kind: 'checkpoint', ...report, steps }, TIMING)?.effects ?? [];
    return effects.find(effect => effect.kind === 'save calls')?.calls;
  };

  it('have rows with a deadline and the time of the first poll', () => {
    assert.deepEqual(listCalls(TASK), [
      {
        item: 4,
        provider: 'fal',
        credential_id: null,
        value_id: null,
        model: null,
        job_id: 'job',
        state: null,
        token: null,
        asks: 0,
        has_slot: true,
        credits: 0,
        terms: null,
        pool: null,
        moves: 0,
        submitted_at: new Date(2000),
        due_at: new Date(computeFirstPollMs(2000, 0, undefined, TIMING)),
        deadline_at: new Date(80_000),
      },
    ]);
  });

  it('have rows with all properties of their tasks', () => {
    const terms = { nodeType: 'generate:x', values: {}, isExact: true };
    const [call] =
      listCalls({
        ...TASK,
        deadlineAtMs: 95_000,
        credentialId: 'cred_1',
        valueId: 'val_1',
        model: 'm',
        state: 's',
        token: 't',
        asks: 2,
        credits: 9,
        terms,
        usualMs: 50_000,
      }) ?? [];
    assert.deepEqual(call, {
      item: 4,
      provider: 'fal',
      credential_id: 'cred_1',
      value_id: 'val_1',
      model: 'm',
      job_id: 'job',
      state: 's',
      token: 't',
      asks: 2,
      has_slot: true,
      credits: 9,
      terms,
      pool: null,
      moves: 0,
      submitted_at: new Date(2000),
      due_at: new Date(computeFirstPollMs(2000, 2, 50_000, TIMING)),
      // The time limit of the run is earlier.
      deadline_at: new Date(90_000),
    });
  });

  it('have a row before their submission only if they wait for a slot, have one, or use a stored credential', () => {
    const unsubmitted: ProviderTask = { ...TASK, id: null };
    assert.deepEqual(listCalls(unsubmitted), []);
    assert.equal(listCalls({ ...unsubmitted, queued: true })?.[0]?.has_slot, false);
    const withSlot = listCalls({ ...unsubmitted, slot: true })?.[0];
    assert.deepEqual(
      [withSlot?.has_slot, withSlot?.due_at, withSlot?.job_id],
      [true, new Date(80_000), null],
    );
    assert.equal(listCalls({ ...unsubmitted, valueId: 'val_1' })?.[0]?.value_id, 'val_1');
  });

  it('have no row if the worker itself tracks them, or if their node has ended', () => {
    const { submittedAtMs, deadlineAtMs, ...tracked } = TASK;
    assert.deepEqual(listCalls({ ...tracked, submittedAtMs }), []);
    assert.deepEqual(listCalls({ ...tracked, deadlineAtMs }), []);
    assert.deepEqual(listCalls(TASK, { status: 'FAILED' }), []);
    assert.equal(listCalls(TASK, { status: 'CANCELLED' }), undefined);
  });
});

describe('an event of a run', () => {
  /** Returns the columns that the event changes and its effects, or undefined if it does not apply. */
  const apply = (run: RunRow, event: LifecycleEvent) => {
    const next = transition(run, event, TIMING);
    if (next === undefined) return undefined;
    const changes = Object.entries(next.row).filter(
      ([column, value]) => !isDeepStrictEqual(value, run[column as keyof RunRow]),
    );
    return { changes: Object.fromEntries(changes), effects: next.effects };
  };
  const queueAt = (ms: number): Effect => ({ kind: 'queue', at: new Date(ms) });
  const report = { lease: 1, steps: [], nodesDone: 0, timeoutAtMs: 90_000 };
  const { row: queued, effects: firstEffects } = createInitialTransition({
    spec: SPEC,
    steps: [],
    workerId: null,
  });
  const claimed = createInitialTransition({ spec: SPEC, steps: [], workerId: 'wrk_1' }).row;
  const waiting: RunRow = { ...claimed, worker_id: null, under_way: false, status: 'WAITING' };

  it('accepts the run', () => {
    assert.deepEqual(queued, {
      ...SPEC,
      status: 'QUEUED',
      lease: 0,
      worker_id: null,
      parked: false,
      under_way: false,
      seq: 0,
      nodes_done: 0,
      running_ms: 0,
      running_since: null,
      wake_at: null,
      error: null,
      decisions: null,
      started_at: null,
      finished_at: null,
    });
    assert.deepEqual(firstEffects, [queueAt(1000)]);
    const steps = [step()];
    const saved = { kind: 'save steps', steps };
    assert.deepEqual(createInitialTransition({ spec: SPEC, steps, workerId: null }).effects, [
      saved,
      queueAt(1000),
    ]);
    assert.deepEqual(createInitialTransition({ spec: SPEC, steps, workerId: 'wrk_1' }).effects, [saved]);
  });

  it('claims the run with the next lease', () => {
    const claim = { kind: 'claim', workerId: 'wrk_2', atMs: 4000 } as const;
    const lease = { lease: 1, seq: 1, worker_id: 'wrk_2', under_way: true };
    assert.deepEqual(apply(queued, claim), {
      changes: { ...lease, status: 'RUNNING', started_at: new Date(4000) },
      effects: [],
    });
    const woken = {
      ...queued,
      parked: true,
      status: 'CANCELLING',
      started_at: new Date(2000),
      wake_at: new Date(3000),
      running_since: new Date(3500),
      running_ms: 10,
    } as const;
    assert.deepEqual(apply(woken, claim)?.changes, {
      ...lease,
      parked: false,
      running_ms: 510,
      running_since: null,
      wake_at: null,
    });
    assert.equal(
      apply({ ...queued, running_since: new Date(4001) }, claim)?.changes.running_ms,
      undefined,
      'a clock that went back',
    );
  });

  it('saves the steps of a checkpoint', () => {
    const steps = [step({ credits: 2, nodeType: 'x' }), step({ nodeId: 'b' })];
    assert.deepEqual(apply(claimed, { ...report, kind: 'checkpoint', steps, nodesDone: 1 }), {
      changes: { seq: 3, nodes_done: 1 },
      effects: [
        { kind: 'save steps', steps },
        { kind: 'charge', nodeId: 'a', nodeType: 'x', total: 2 },
      ],
    });
    assert.deepEqual(apply(claimed, { ...report, kind: 'checkpoint' }), { changes: {}, effects: [] });
  });

  it('releases the run for another worker', () => {
    assert.deepEqual(apply({ ...claimed, parked: true }, { ...report, kind: 'release', runningMs: 12.6 }), {
      changes: { parked: false, under_way: false, seq: 2, worker_id: null, running_ms: 13 },
      effects: [queueAt(0), { kind: 'release slot' }],
    });
  });

  it('keeps the running time within the limits of its column', () => {
    const release = (runningMs: number) =>
      apply(claimed, { ...report, kind: 'release', runningMs })?.changes.running_ms;
    assert.deepEqual([release(-5), release(3e9)], [undefined, 2e9]);
  });

  it('suspends the run until a time, a decision or the end of a call', () => {
    const suspend = (run: RunRow, waitsFor: 'time' | 'decision' | 'call', wakeAtMs: number | null) =>
      apply(run, { ...report, kind: 'suspend', atMs: 3000, runningMs: 500, waitsFor, wakeAtMs });
    const released = { seq: 2, worker_id: null, running_ms: 500 };
    const slot: Effect = { kind: 'release slot' };
    assert.deepEqual(suspend(claimed, 'time', 9000), {
      changes: { ...released, under_way: false, wake_at: new Date(9000) },
      effects: [queueAt(9000), slot],
    });
    assert.deepEqual(suspend(claimed, 'decision', null), {
      changes: { ...released, under_way: false, status: 'WAITING' },
      effects: [slot],
    });
    assert.deepEqual(suspend(claimed, 'call', 9000), {
      changes: { ...released, wake_at: new Date(9000), running_since: new Date(3000) },
      effects: [queueAt(9000)],
    });
    const due = { ...released, wake_at: new Date(0), under_way: false };
    const cancelling = { ...claimed, status: 'CANCELLING' } as const;
    assert.deepEqual(suspend(cancelling, 'decision', null), { changes: due, effects: [queueAt(0), slot] });
    const woken = { ...claimed, wake_at: new Date(2500) };
    assert.deepEqual(suspend(woken, 'time', null), { changes: due, effects: [queueAt(0), slot] });
  });

  it('queues a waiting run after a decision', () => {
    const decide = { kind: 'decide', decisions: '{"ask":true}', atMs: 5000 } as const;
    assert.deepEqual(apply({ ...waiting, wake_at: new Date(9000) }, decide), {
      changes: { decisions: decide.decisions, status: 'QUEUED', wake_at: null, seq: 2 },
      effects: [queueAt(0)],
    });
    assert.equal(apply({ ...waiting, status: 'CANCELLING' }, decide), undefined);
  });

  it('wakes a run whose other nodes are active after a decision', () => {
    const decide = { kind: 'decide', decisions: '{"ask":true}', atMs: 5000 } as const;
    const changes = { decisions: decide.decisions, wake_at: new Date(5000), seq: 2 };
    assert.deepEqual(apply({ ...waiting, worker_id: 'wrk_1' }, decide), {
      changes,
      effects: [{ kind: 'notify worker of wake' }],
    });
    assert.deepEqual(apply({ ...waiting, status: 'RUNNING' }, decide), { changes, effects: [queueAt(0)] });
  });

  it('asks the worker to cancel the run', () => {
    const effects = [{ kind: 'notify worker of cancel' }];
    assert.deepEqual(apply(claimed, { kind: 'cancel' }), {
      changes: { status: 'CANCELLING', seq: 2 },
      effects,
    });
    assert.deepEqual(apply({ ...claimed, status: 'CANCELLING' }, { kind: 'cancel' }), {
      changes: {},
      effects,
    });
    assert.equal(apply(waiting, { kind: 'cancel' }), undefined);
  });

  it('wakes the run, or tells its worker', () => {
    const wake = { kind: 'wake', atMs: 6000 } as const;
    const changes = { wake_at: new Date(6000) };
    assert.deepEqual(apply(waiting, wake), { changes, effects: [queueAt(0)] });
    assert.deepEqual(apply(claimed, wake), { changes, effects: [{ kind: 'notify worker of wake' }] });
  });

  it('takes the run from a dead worker', () => {
    const reassign = (workerId: string, lease?: number) =>
      apply(
        { ...claimed, wake_at: new Date(1) },
        { kind: 'reassign', workerId, ...(lease === undefined ? {} : { lease }) },
      );
    const taken = { changes: { worker_id: null, under_way: false, wake_at: null }, effects: [queueAt(0)] };
    assert.deepEqual(reassign('wrk_1'), taken);
    assert.deepEqual(reassign('wrk_1', 1), taken);
    assert.equal(reassign('wrk_1', 0), undefined);
    assert.equal(reassign('wrk_2', 1), undefined);
  });

  it('ends the run', () => {
    const delivery = {
      id: 'del_1',
      event_id: 'evt_1',
      event: 'execution.failed',
      url: 'https://example.com',
      secret: null,
      body: '{}',
    } as const;
    const ended = { running_ms: 7, finished_at: new Date(5000), under_way: false };
    const [deliver, release, cancelCalls, slot]: readonly Effect[] = [
      { kind: 'deliver', delivery },
      { kind: 'release credits' },
      { kind: 'cancel calls' },
      { kind: 'release slot' },
    ];
    const end = (ending: Ending) =>
      apply({ ...claimed, wake_at: new Date(1) }, { ...report, kind: 'end', nodesDone: 2, ending });
    assert.deepEqual(end({ ...ENDING, error: 'No.', delivery }), {
      changes: {
        ...ended,
        status: 'FAILED',
        error: 'No.',
        wake_at: null,
        worker_id: null,
        seq: 2,
        nodes_done: 2,
      },
      effects: [deliver, release, cancelCalls, slot],
    });
    assert.deepEqual(end({ ...ENDING, status: 'COMPLETED' })?.effects, [release, slot]);
    const endUnleased = (run: RunRow) =>
      apply(run, { kind: 'end without worker', ending: { ...ENDING, status: 'CANCELLED' }, steps: [] });
    assert.equal(endUnleased(claimed), undefined);
    assert.deepEqual(endUnleased({ ...waiting, under_way: true, running_since: new Date(1) }), {
      changes: { ...ended, status: 'CANCELLED', running_since: null, seq: 2, nodes_done: 3 },
      effects: [release, cancelCalls, slot],
    });
  });
});
