// Tests nodes that wait, and runs that continue from stored steps.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Step } from '../../src/engine/types.ts';
import type { NodeSketch } from '../support/engine/engine.ts';
import { textValue } from '../support/engine/values.ts';
import { run } from './run-sketch.ts';

const DELAY = { w: { type: 't:wait', config: { ms: 1000 } }, after: { type: 't:join' } };
const APPROVAL = { w: { type: 't:wait', config: { kind: 'decision', ms: 1000 } }, after: { type: 't:join' } };
const EDGES = ['w.output > after.a'];

describe('a node that waits', () => {
  it('suspends the run until its time', async () => {
    const { outcome, reported } = await run(DELAY, EDGES, { now: () => 5000 });
    assert.deepEqual(outcome, { kind: 'suspended', untilMs: 6000, waitsFor: 'time' });
    assert.deepEqual(reported, [
      {
        nodeId: 'w',
        status: 'WAITING',
        attempt: 1,
        startedAtMs: 5000,
        suspended: { kind: 'time', sinceMs: 5000, untilMs: 6000 },
      },
    ]);
  });

  it('waits on if the run continues too early', async () => {
    const { steps } = await run(DELAY, EDGES, { now: () => 5000 });
    const { outcome, reported } = await run(DELAY, EDGES, { steps, now: () => 5999 });
    assert.deepEqual(outcome, { kind: 'suspended', untilMs: 6000, waitsFor: 'time' });
    assert.deepEqual(reported, []);
  });

  it('wakes at its time and learns how long it has waited', async () => {
    const { steps } = await run(DELAY, EDGES, { now: () => 5000 });
    const resumedRun = await run(DELAY, EDGES, { steps, now: () => 6000 });
    assert.deepEqual(resumedRun.outcome, { kind: 'completed' });
    assert.deepEqual(resumedRun.steps.get('after')?.outputs, { text: textValue('(waited 1000)') });
    assert.equal(resumedRun.steps.get('w')?.attempt, 1);
    assert.equal(resumedRun.steps.get('w')?.startedAtMs, 5000);
    assert.equal(resumedRun.steps.get('w')?.suspended, undefined);
  });

  it('wakes while other branches are still running', async () => {
    let nowMs = 0;
    const nodes = { ...DELAY, w: { type: 't:wait', config: { ms: 10 } }, ...asyncNodes(50) };
    const { outcome } = await run(nodes, [...EDGES, ...chainEdges(50)], { now: () => nowMs++ });
    assert.deepEqual(outcome, { kind: 'completed' });
  });

  it('wakes with a decision', async () => {
    const { steps, outcome } = await run(APPROVAL, EDGES, { now: () => 0 });
    assert.deepEqual(outcome, { kind: 'suspended', untilMs: 1000, waitsFor: 'decision' });
    const decisions = new Map([['w', { approved: true }]]);
    const resumedRun = await run(APPROVAL, EDGES, { steps, decisions, now: () => 500 });
    assert.deepEqual(resumedRun.steps.get('after')?.outputs, {
      text: textValue('(decided {"approved":true})'),
    });
  });

  it('expires the run if no decision arrives in time', async () => {
    const { steps } = await run(APPROVAL, EDGES, { now: () => 0 });
    const expiredRun = await run(APPROVAL, EDGES, { steps, now: () => 1000 });
    assert.deepEqual(expiredRun.outcome, {
      kind: 'expired',
      nodeId: 'w',
      error: { code: 'decision_timeout', message: 'No decision was made in time.' },
    });
    assert.equal(expiredRun.steps.get('after')?.status, 'SKIPPED');
  });

  it('suspends the run until the earliest time of all waiting nodes', async () => {
    const nodes = {
      d: { type: 't:wait', config: { ms: 50 } },
      a: { type: 't:wait', config: { kind: 'decision', ms: 900 } },
    };
    assert.deepEqual((await run(nodes, [], { now: () => 0 })).outcome, {
      kind: 'suspended',
      untilMs: 50,
      waitsFor: 'decision',
    });
  });

  it('finishes before the failure of another node fails the run', async () => {
    const nodes = { f: { type: 't:fail' }, ...DELAY };
    const first = await run(nodes, EDGES, { now: () => 0 });
    assert.equal(first.outcome.kind, 'suspended');
    const second = await run(nodes, EDGES, { steps: first.steps, now: () => 1000 });
    assert.equal(second.outcome.kind === 'failed' && second.outcome.nodeId, 'f');
    assert.equal(second.steps.get('after')?.status, 'COMPLETED');
  });
});

describe('a run that continues', () => {
  const nodes = {
    a: { type: 't:text', config: { value: 'x' } },
    b: { type: 't:join' },
    c: { type: 't:join' },
  };
  const edges = ['a.text > b.a', 'b.text > c.a'];
  const createStep = (nodeId: string, status: Step['status'], rest: Partial<Step> = {}): [string, Step] => [
    nodeId,
    { nodeId, status, attempt: 1, ...rest },
  ];

  it('keeps the outputs of completed nodes', async () => {
    const steps = new Map([createStep('a', 'COMPLETED', { outputs: { text: textValue('kept') } })]);
    const { reported, steps: after } = await run(nodes, edges, { steps });
    assert.deepEqual(
      reported.map(step => step.nodeId),
      ['b', 'c'],
    );
    assert.deepEqual(after.get('c')?.outputs, { text: textValue('((kept))') });
  });

  it('runs an active node again as its next attempt', async () => {
    const { steps } = await run(nodes, edges, {
      steps: new Map([createStep('a', 'RUNNING', { attempt: 2 })]),
    });
    assert.equal(steps.get('a')?.attempt, 3);
    assert.equal(steps.get('a')?.status, 'COMPLETED');
  });

  it('keeps a failed node failed', async () => {
    const error = { code: 'x', message: 'y' };
    const { outcome, reported } = await run(nodes, edges, {
      steps: new Map([createStep('a', 'FAILED', { error })]),
    });
    assert.deepEqual(outcome, { kind: 'failed', nodeId: 'a', error });
    assert.deepEqual(
      reported.map(step => step.status),
      ['SKIPPED', 'SKIPPED'],
    );
  });

  it('runs a skipped node if its failed source is repaired', async () => {
    const error = { code: 'x', message: 'y' };
    const skipped = [createStep('b', 'SKIPPED'), createStep('c', 'SKIPPED')] as const;
    const repeatedRun = await run(nodes, edges, {
      steps: new Map([createStep('a', 'FAILED', { error }), ...skipped]),
    });
    assert.deepEqual(repeatedRun.reported, []);
    const repairedRun = await run(nodes, edges, { steps: new Map(skipped) });
    assert.equal(repairedRun.steps.get('c')?.status, 'COMPLETED');
  });

  it('resumes a node that had been woken before its worker died', async () => {
    const suspended = { kind: 'time', sinceMs: 0, untilMs: 10 } as const;
    const { outcome } = await run(DELAY, EDGES, {
      steps: new Map([createStep('w', 'RUNNING', { suspended })]),
    });
    assert.deepEqual(outcome, { kind: 'completed' });
  });
});

/** Returns nodes that each take a turn of the event loop. */
function asyncNodes(length: number): Record<string, NodeSketch> {
  return Object.fromEntries(
    Array.from({ length }, (_, index) => [`s${index}`, { type: 't:join', config: { isAsync: 'yes' } }]),
  );
}

function chainEdges(length: number): string[] {
  return Array.from({ length: length - 1 }, (_, index) => `s${index}.text > s${index + 1}.b`);
}
