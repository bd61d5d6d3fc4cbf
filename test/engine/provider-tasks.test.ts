// Tests provider tasks, whose records are part of the node's step and reach the worker that takes over the run.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ProviderTask, Step } from '../../src/engine/types.ts';
import { NodeError, text } from '../../src/nodes/define.ts';
import { planGraph, runRecorded, sketchGraph } from '../support/engine/engine.ts';
import { defineTestNode, NODES } from './nodes.ts';

type StoredTasks = (ProviderTask | undefined)[];

/** Defines a node that saves a task named after its input unless a task is stored, and that fails for 'bad'. */
function defineCaller(storedTasks: StoredTasks) {
  return defineTestNode({
    nodeType: 't:call',
    category: 'model',
    inputs: { a: text('A', { default: 'a' }) },
    outputs: { text: text('Text') },
    run: async ({ a }, ctx) => {
      storedTasks.push(ctx.task.stored);
      if (ctx.task.stored === undefined) await ctx.task.save({ provider: 'fal', id: `job-${a}` });
      if (a === 'bad') throw new NodeError('bad', 'Bad.');
      return { text: a };
    },
  });
}

const singleGraph = sketchGraph({ m: { type: 't:call' } }, []);
const mappedGraph = sketchGraph(
  { l: { type: 't:list', config: { items: 'x y bad' } }, m: { type: 't:call' } },
  ['l.list > m.a'],
);

const run = (
  storedTasks: StoredTasks,
  graph = singleGraph,
  options: Parameters<typeof runRecorded>[2] = {},
) => {
  const nodes = [...NODES, defineCaller(storedTasks)];
  return runRecorded(nodes, planGraph(nodes, graph), options);
};

const selectCallSteps = (reported: readonly Step[]): readonly Step[] =>
  reported.filter(({ nodeId }) => nodeId === 'm');

describe('a provider task', () => {
  it('is reported in the step only while the node runs', async () => {
    const { reported } = await run([]);
    assert.deepEqual(
      selectCallSteps(reported).map(({ status, jobs }) => [status, jobs]),
      [
        ['RUNNING', { 0: { provider: 'fal', id: 'job-a' } }],
        ['RUNNING', { 0: { provider: 'fal', id: 'job-a' } }],
        ['COMPLETED', undefined],
      ],
    );
  });

  it('leaves its provider and id in the step after it has ended', async () => {
    const provider = { name: 'fal', jobId: 'job-a' };
    assert.deepEqual((await run([])).steps.get('m')?.provider, provider);
    const failingGraph = sketchGraph({ m: { type: 't:call', config: { a: 'bad' } } }, []);
    const { steps } = await run([], failingGraph);
    assert.deepEqual(
      [steps.get('m')?.status, steps.get('m')?.provider],
      ['FAILED', { name: 'fal', jobId: 'job-bad' }],
    );
  });

  it('fails the node if its record cannot be stored', async () => {
    const order: string[] = [];
    const { steps } = await run([], singleGraph, {
      onStep: ({ status, jobs }) => order.push(`${status}${jobs === undefined ? '' : ' with its job'}`),
      whenSaved: async () => {
        order.push('saved');
        throw new Error('The lease is gone.');
      },
    });
    assert.deepEqual(order.slice(0, 2), ['RUNNING with its job', 'saved']);
    assert.equal(steps.get('m')?.status, 'FAILED');
  });

  it('is passed to the node if another worker takes over the run', async () => {
    const storedTask = { provider: 'fal', id: 'job-a', state: '/x' } as const;
    const step: Step = { nodeId: 'm', status: 'RUNNING', attempt: 1, jobs: { 0: storedTask } };
    const storedTasks: StoredTasks = [];
    const { steps } = await run(storedTasks, singleGraph, { steps: new Map([['m', step]]) });
    assert.deepEqual(storedTasks, [storedTask]);
    assert.equal(steps.get('m')?.status, 'COMPLETED');
  });

  it('is reported and passed on for each item of a mapped node', async () => {
    // No call continues before all three are submitted.
    const allSubmitted = Promise.withResolvers<void>();
    const first = await run([], mappedGraph, {
      onStep: ({ jobs = {} }) => {
        if (Object.keys(jobs).length === 3) allSubmitted.resolve();
      },
      whenSaved: () => allSubmitted.promise,
    });
    const running = selectCallSteps(first.reported).filter(({ status }) => status === 'RUNNING');
    assert.ok(running.some(({ jobs }) => Object.values(jobs ?? {}).length === 3));
    assert.equal(first.steps.get('m')?.jobs, undefined);

    const storedTasks: StoredTasks = [];
    const jobs = { 1: { provider: 'fal', id: 'job-y' } as const };
    const items = [{ text: { type: 'TEXT' as const, text: 'x' } }, null, null];
    const step: Step = { nodeId: 'm', status: 'RUNNING', attempt: 1, items, jobs };
    await run(storedTasks, mappedGraph, { steps: new Map([['m', step]]) });
    assert.deepEqual(storedTasks, [jobs[1], undefined]);
  });

  it('is removed from the step if the run is stopped', async () => {
    const stop = new AbortController();
    const slow = defineTestNode({
      nodeType: 't:call',
      category: 'model',
      run: async (_values, ctx) => {
        await ctx.task.save({ provider: 'fal', id: 'job' });
        stop.abort('cancelled');
        return new Promise(() => undefined);
      },
    });
    const { steps } = await runRecorded([slow], planGraph([slow], singleGraph), {
      signal: stop.signal,
      graceMs: 10,
    });
    assert.deepEqual([steps.get('m')?.status, steps.get('m')?.jobs], ['CANCELLED', undefined]);
  });
});
