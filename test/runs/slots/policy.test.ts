// Tests which runs start first when slots are scarce.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  canStartLocally,
  countQueueSlots,
  createWorkspaceSlots,
  listSaturated,
  type Occupant,
} from '../../../src/runs/slots/policy.ts';
import { WorkerSlots } from '../../../src/runs/slots/worker-slots.ts';

const NOW_MS = 1_000_000;

const createOccupants = (runs: Readonly<Record<string, number>>, ageMs = 10_000): readonly Occupant[] =>
  Object.entries(runs).flatMap(([workspace, count]) =>
    Array.from({ length: count }, () => ({ workspace, sinceMs: NOW_MS - ageMs })),
  );

describe('a worker', () => {
  it('counts a workspace as saturated if its long runs occupy as many slots as are free', () => {
    const listSaturatedOf = (runs: Readonly<Record<string, number>>) =>
      listSaturated(8, createOccupants(runs), NOW_MS);
    assert.deepEqual(listSaturatedOf({ a: 3 }), []);
    assert.deepEqual(listSaturatedOf({ a: 4 }), ['a']);
    assert.deepEqual(listSaturatedOf({ a: 4, b: 1 }), ['a']);
    assert.deepEqual(listSaturatedOf({ a: 4, b: 2, c: 0 }), ['a', 'b']);
  });

  it('does not count short runs toward saturation', () => {
    assert.deepEqual(listSaturated(8, createOccupants({ a: 8 }, 100), NOW_MS), []);
  });

  it('starts runs locally for one workspace in up to half of its slots', () => {
    const canStart = (runs: Readonly<Record<string, number>>, workspace: string) =>
      canStartLocally(8, createOccupants(runs, 0), workspace);
    assert.deepEqual([canStart({ a: 3, b: 1 }, 'a'), canStart({ a: 3, b: 1 }, 'b')], [true, true]);
    assert.deepEqual([canStart({ a: 4 }, 'a'), canStart({ a: 4 }, 'b')], [false, true]);
  });

  it('reserves a quarter of its slots for queued runs', () => {
    assert.deepEqual([countQueueSlots(256), countQueueSlots(1)], [64, 1]);
    const slots = new WorkerSlots(4, () => NOW_MS);
    slots.open('wrk_1');
    const releases = ['a', 'b', 'c', 'd'].map(workspace => slots.reserve(workspace));
    assert.deepEqual(
      releases.map(release => release !== undefined),
      [true, true, true, false],
    );
    releases[0]?.();
    assert.ok(slots.reserve('d'));
  });

  it('lets queued runs wait for a slot until it is closed', async () => {
    const slots = new WorkerSlots(1, () => NOW_MS);
    slots.open('wrk_1');
    const first = await slots.waitForSlot();
    const second = slots.waitForSlot();
    first?.assign('a');
    assert.deepEqual(slots.listSaturated(), []);
    first?.release();
    assert.ok(await second);
    const third = slots.waitForSlot();
    slots.close();
    assert.equal(await third, undefined);
    assert.equal(await slots.waitForSlot(), undefined);
    assert.equal(slots.reserve('a'), undefined);
  });
});

describe('a workspace', () => {
  it('has no more concurrent runs than its limit', () => {
    const loads = [{ workspace: 'a', under_way: 1, has_parked: false }];
    const { tryClaim } = createWorkspaceSlots(loads, 3);
    assert.deepEqual(['a', 'a', 'a', 'b', 'b', 'b', 'b'].map(tryClaim), [
      true,
      true,
      false,
      true,
      true,
      true,
      false,
    ]);
  });
});
