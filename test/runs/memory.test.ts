// The bounds of what runs record and hold: a run's bytes, the process's memory, and its shares.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MAX_RUN_BYTES, sizeOf } from '../../src/engine/budget.ts';
import { RunsMemory } from '../../src/runs/memory.ts';
import { WorkerSlots } from '../../src/runs/worker-slots.ts';

const ignore = (): void => undefined;

describe('the size of values', () => {
  it('is that of their JSON, escapes included', () => {
    for (const value of ['', 'a"\n\u0000é😀', [1, -2.5, null, true], { a: { 'ü"': [{}] } }, []]) {
      const { bytes } = sizeOf(value, MAX_RUN_BYTES);
      const exact = Buffer.byteLength(JSON.stringify(value));
      assert.ok(bytes >= exact && bytes <= exact + 4, `${JSON.stringify(value)}: ${bytes}, not ${exact}`);
    }
  });

  it('is not counted to the end where shared parts make it endless', () => {
    let value: unknown = 'x'.repeat(1000);
    for (let level = 0; level < 60; level++) value = [value, value];
    assert.ok(sizeOf(value, 1_000_000).bytes < 1_100_000);
  });
});

describe('what one run records', () => {
  it('is 32 MB at most; what passes it stops the run and counts for nothing', () => {
    let stops = 0;
    const memory = new RunsMemory(1e9);
    const run = memory.open('a', () => stops++);
    const text = { out: { type: 'TEXT', text: 'x'.repeat(15 * 1024 * 1024) } } as const;
    assert.ok(run.take('one', text));
    assert.ok(run.take('two', text));
    const held = memory.held;
    assert.equal(run.take('three', text), false);
    assert.equal(run.take('four', { out: { type: 'NUMBER', number: 1 } }), false);
    assert.equal(run.exceededBy, 'three');
    assert.equal(memory.held, held);
    assert.equal(stops, 1);
    run.close();
    assert.equal(memory.held, 0);
  });
});

describe('the memory of all runs', () => {
  it('leaves one workspace as much as is free, and lets its oldest run go on', () => {
    const memory = new RunsMemory(1000);
    const [old, young] = [memory.open('greedy', ignore), memory.open('greedy', ignore)];
    const other = memory.open('modest', ignore);
    young.hold(500);
    assert.equal(young.hasRoom(), false);
    assert.equal(old.hasRoom(), true);
    assert.equal(other.hasRoom(), true);
  });

  it('past its limit lets the oldest run alone go on, claims none, and tells who waits once some is free', async () => {
    const memory = new RunsMemory(1000);
    const slots = new WorkerSlots(8, Date.now, memory);
    slots.open('w');
    const [oldest, next] = [memory.open('a', ignore), memory.open('b', ignore)];
    next.hold(1200);
    assert.equal(oldest.hasRoom(), true);
    assert.equal(next.hasRoom(), false);
    assert.equal(slots.reserve('c'), undefined);
    const claimed = slots.enter();
    const room = next.room(new AbortController().signal);
    assert.equal(await Promise.race([claimed, Promise.resolve('waits')]), 'waits');
    oldest.close();
    await room;
    assert.equal(next.hasRoom(), true);
    next.close();
    assert.notEqual(await claimed, undefined);
    assert.notEqual(slots.reserve('c'), undefined);
  });

  it('lets every run of many end, however little there is', async () => {
    const memory = new RunsMemory(100);
    const { signal } = new AbortController();
    const work = async (workspace: string): Promise<void> => {
      const run = memory.open(workspace, ignore);
      for (let node = 0; node < 5; node++) {
        await run.room(signal);
        run.hold(60);
      }
      run.close();
    };
    await Promise.all(Array.from({ length: 40 }, (_, index) => work(`w${index % 7}`)));
    assert.equal(memory.held, 0);
  });

  it('ends the wait of a run that is stopped', async () => {
    const memory = new RunsMemory(100);
    memory.open('a', ignore).hold(200);
    const stop = new AbortController();
    const room = memory.open('b', ignore).room(stop.signal);
    stop.abort();
    await room;
  });
});
