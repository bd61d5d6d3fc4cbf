// Tests runs that are stopped by their signal: which nodes are cancelled, and how long the engine waits for them.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { text } from '../../src/nodes/define.ts';
import { textValue } from '../support/engine/values.ts';
import { defineTestNode } from './nodes.ts';
import { run } from './run-sketch.ts';

describe('stopping a run', () => {
  const defineHanging = (ignoresSignal: boolean) =>
    defineTestNode({
      nodeType: 't:hang',
      inputs: { a: text('A') },
      outputs: { text: text('Text') },
      run: async (_, ctx) => {
        await (ignoresSignal
          ? new Promise(() => undefined)
          : sleep(60_000, undefined, { signal: ctx.signal }));
        return {};
      },
    });

  it('cancels active nodes and starts no further nodes', async () => {
    const stop = new AbortController();
    const { outcome, statuses } = await run(
      { h: { type: 't:hang' }, w: { type: 't:wait' }, after: { type: 't:join' } },
      ['h.text > after.a'],
      { signal: stop.signal, onStep: step => step.nodeId === 'w' && stop.abort() },
      [defineHanging(false)],
    );
    assert.deepEqual(outcome, { kind: 'aborted' });
    assert.deepEqual(statuses, { h: 'CANCELLED', w: 'CANCELLED', after: undefined });
  });

  it('waits no longer than the grace period for a node that ignores the signal', async () => {
    const stop = new AbortController();
    const { outcome, reported } = await run(
      { h: { type: 't:hang' } },
      [],
      { signal: stop.signal, graceMs: 5, onStep: () => stop.abort() },
      [defineHanging(true)],
    );
    assert.deepEqual(outcome, { kind: 'aborted' });
    assert.deepEqual(
      reported.map(step => step.status),
      ['RUNNING', 'CANCELLED'],
    );
  });

  it('ignores the result of a node that ends after the grace period', async () => {
    const stop = new AbortController();
    const result = Promise.withResolvers<{ text: string }>();
    const unresponsive = defineTestNode({
      nodeType: 't:unresponsive',
      outputs: { text: text('Text') },
      run: () => result.promise,
    });
    const options = { signal: stop.signal, graceMs: 0, onStep: () => stop.abort() };
    const { reported } = await run({ d: { type: 't:unresponsive' } }, [], options, [unresponsive]);
    result.resolve({ text: 'too late' });
    await sleep(1);
    assert.deepEqual(
      reported.map(step => step.status),
      ['RUNNING', 'CANCELLED'],
    );
  });

  it('keeps the results of the items that have finished', async () => {
    const stop = new AbortController();
    const { outcome, steps } = await run(
      {
        l: { type: 't:list', config: { items: 'a b c' } },
        j: { type: 't:join', config: { isAsync: 'yes' } },
      },
      ['l.list > j.a'],
      {
        signal: stop.signal,
        concurrency: 1,
        onStep: step => step.items?.some(item => item !== null) && stop.abort(),
      },
    );
    assert.deepEqual(outcome, { kind: 'aborted' });
    assert.equal(steps.get('j')?.status, 'CANCELLED');
    assert.deepEqual(steps.get('j')?.items, [{ text: textValue('(a)') }, null, null]);
  });

  it('starts no node if the signal has fired before the run', async () => {
    const { outcome, reported } = await run({ a: { type: 't:text' } }, [], { signal: AbortSignal.abort() });
    assert.deepEqual([outcome.kind, reported.length], ['aborted', 0]);
  });

  it('completes the run if its last node has ended', async () => {
    const stop = new AbortController();
    const { outcome } = await run({ a: { type: 't:text' } }, [], {
      signal: stop.signal,
      onStep: () => stop.abort(),
    });
    assert.deepEqual(outcome, { kind: 'completed' });
  });
});
