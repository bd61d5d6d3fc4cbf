// Sharing a worker: whose long runs take too much of it, and which runs go on without their place in the queue.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  besideFromStart,
  besideQueue,
  createHolder,
  hasRoomBeside,
  listCrowded,
  type RunHolder,
} from '../../src/runs/run-holder.ts';

const NOW_MS = 1_000_000;

function holderWith(capacity: number, runs: Readonly<Record<string, number>>, ageMs = 10_000): RunHolder {
  const holder = createHolder(capacity);
  for (const [workspace, count] of Object.entries(runs)) {
    for (let index = 0; index < count; index++) {
      const held = { workspace, sinceMs: NOW_MS - ageMs };
      holder.inHand.set(`${workspace}/${index}`, { stop: () => undefined, ended: Promise.resolve(), held });
    }
  }
  return holder;
}

describe('a worker', () => {
  it('gives a workspace no more long runs than it has places left', () => {
    assert.deepEqual(listCrowded(holderWith(8, { a: 3 }), NOW_MS), []);
    assert.deepEqual(listCrowded(holderWith(8, { a: 4 }), NOW_MS), ['a']);
    assert.deepEqual(listCrowded(holderWith(8, { a: 4, b: 1 }), NOW_MS), ['a']);
    assert.deepEqual(listCrowded(holderWith(8, { a: 4, b: 2, c: 0 }), NOW_MS), ['a', 'b']);
  });

  it('does not count short runs', () => {
    assert.deepEqual(listCrowded(holderWith(8, { a: 8 }, 100), NOW_MS), []);
  });

  it('takes runs as they are accepted while there is room, of one workspace half of its places', async () => {
    const work = Promise.withResolvers<void>();
    const holder = holderWith(8, { a: 3, b: 1 }, 0);
    assert.deepEqual([hasRoomBeside(holder, 'a'), hasRoomBeside(holder, 'b')], [true, true]);
    const full = holderWith(8, { a: 4 }, 0);
    assert.deepEqual([hasRoomBeside(full, 'a'), hasRoomBeside(full, 'b')], [false, true]);
    const taken = Array.from({ length: holder.beside.most }, () =>
      besideFromStart(holder, () => work.promise),
    );
    assert.equal(hasRoomBeside(holder, 'b'), false);
    work.reject(new Error('no matter what'));
    await Promise.allSettled(taken);
    assert.equal(hasRoomBeside(holder, 'b'), true);
  });

  it('keeps a quarter of its places for runs on their way through the queue', () => {
    const { queued, beside } = createHolder(256);
    assert.deepEqual([queued, beside.most], [64, 192]);
    assert.deepEqual([createHolder(1).queued, createHolder(1).beside.most], [1, 0]);
  });

  it('lets a claimed run that is long leave the queue, and tells its failure late', async () => {
    const holder = holderWith(8, { a: 1 });
    const work = Promise.withResolvers<void>();
    const late = Promise.withResolvers<unknown>();
    await besideQueue(holder, 'a/0', () => work.promise, late.resolve);
    assert.equal(holder.beside.now, 1);
    work.reject(new Error('too late'));
    assert.match(String(await late.promise), /too late/);
    assert.equal(holder.beside.now, 0);
  });

  it('tells a failure at once of a run in the queue', async () => {
    const fail = (): Promise<void> => Promise.reject(new Error('at once'));
    await assert.rejects(
      besideQueue(holderWith(8, {}), 'a/0', fail, () => undefined),
      /at once/,
    );
  });
});
