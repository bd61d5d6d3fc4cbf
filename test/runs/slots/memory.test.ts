// Tests the memory limits of runs: the bytes that one run records, and the memory that all runs of the process share.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RunMemoryPool } from '../../../src/runs/slots/memory.ts';
import { WorkerSlots } from '../../../src/runs/slots/worker-slots.ts';

const ignore = (): void => undefined;

describe('RunMemoryPool for one run', () => {
  it('stops a run at the output that exceeds 32 MB', () => {
    let stops = 0;
    const memory = new RunMemoryPool(1e9);
    const run = memory.track('a', () => stops++);
    const text = { out: { type: 'TEXT', text: 'x'.repeat(15 * 1024 * 1024) } } as const;
    assert.ok(run.record('one', text));
    assert.ok(run.record('two', text));
    const heldBytes = memory.usedBytes;
    assert.equal(run.record('three', text), false);
    assert.equal(run.record('four', { out: { type: 'NUMBER', number: 1 } }), false);
    assert.equal(run.exceededBy, 'three');
    assert.equal(memory.usedBytes, heldBytes);
    assert.equal(stops, 1);
    run.close();
    assert.equal(memory.usedBytes, 0);
  });
});

describe('memory that runs share', () => {
  it('counts once, until the last of them ends', () => {
    const memory = new RunMemoryPool(1000);
    const graph = {};
    const [first, second] = [memory.track('a', ignore), memory.track('b', ignore)];
    first.share(graph, 700);
    second.share(graph, 700);
    assert.equal(memory.usedBytes, 700);
    second.share({}, 400);
    assert.equal(memory.isFull(), true);
    first.close();
    assert.equal(memory.usedBytes, 1100);
    second.close();
    assert.equal(memory.usedBytes, 0);
  });
});

describe('RunMemoryPool for several runs', () => {
  it('lets only the oldest run of a workspace start nodes if the workspace uses more than is free', () => {
    const memory = new RunMemoryPool(1000);
    const [oldRun, newRun] = [memory.track('large', ignore), memory.track('large', ignore)];
    const smallRun = memory.track('small', ignore);
    newRun.reserve(500);
    assert.equal(newRun.canStart(), false);
    assert.equal(oldRun.canStart(), true);
    assert.equal(smallRun.canStart(), true);
  });

  it('lets only the oldest run continue past the limit until memory is freed', async () => {
    const memory = new RunMemoryPool(1000);
    const slots = new WorkerSlots(8, Date.now, memory);
    slots.open('w');
    const [oldest, next] = [memory.track('a', ignore), memory.track('b', ignore)];
    next.reserve(1200);
    assert.equal(oldest.canStart(), true);
    assert.equal(next.canStart(), false);
    assert.equal(slots.reserve('c'), undefined);
    const claimed = slots.waitForSlot();
    const freed = next.waitForMemory(new AbortController().signal);
    assert.equal(await Promise.race([claimed, Promise.resolve('waits')]), 'waits');
    oldest.close();
    await freed;
    assert.equal(next.canStart(), true);
    next.close();
    assert.notEqual(await claimed, undefined);
    assert.notEqual(slots.reserve('c'), undefined);
  });

  it('lets 40 runs end one after the other if memory suffices for one run', async () => {
    const memory = new RunMemoryPool(100);
    const { signal } = new AbortController();
    const work = async (workspace: string): Promise<void> => {
      const run = memory.track(workspace, ignore);
      for (let node = 0; node < 5; node++) {
        await run.waitForMemory(signal);
        run.reserve(60);
      }
      run.close();
    };
    await Promise.all(Array.from({ length: 40 }, (_, index) => work(`w${index % 7}`)));
    assert.equal(memory.usedBytes, 0);
  });

  it('stops waiting for memory if the run is stopped', async () => {
    const memory = new RunMemoryPool(100);
    memory.track('a', ignore).reserve(200);
    const stop = new AbortController();
    const freed = memory.track('b', ignore).waitForMemory(stop.signal);
    stop.abort();
    await freed;
  });
});
