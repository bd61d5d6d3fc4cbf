// Compares runs of random graphs with a simple evaluator that executes one node after the other.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isSettled, type Step } from '../../src/engine/types.ts';
import type { Plan, PlanNode } from '../../src/graph/plan.ts';
import type { Value, Values } from '../../src/graph/types.ts';
import { createSeededRandom } from '../../src/lib/seeded-random.ts';
import {
  type NodeSketch,
  planGraph,
  type RecordedRun,
  runRecorded,
  sketchGraph,
} from '../support/engine/engine.ts';
import { textValue } from '../support/engine/values.ts';
import { NODES } from './nodes.ts';

const SEEDS = Array.from({ length: 60 }, (_, index) => index + 1);
const INPUTS = {
  't:join': ['a', 'b', 'c'],
  't:requires_text': ['a', 'b'],
  't:branch': ['input'],
  't:fail': ['a'],
  't:merge': ['a', 'b'],
};
const OUTPUTS = {
  't:join': ['text'],
  't:requires_text': ['text'],
  't:branch': ['yes', 'no'],
  't:fail': ['text'],
  't:merge': ['output'],
};
type TestNodeType = keyof typeof INPUTS;
const TYPES: readonly TestNodeType[] = [
  't:join',
  't:join',
  't:join',
  't:requires_text',
  't:branch',
  't:merge',
  't:fail',
];

function randomPlan(seed: number): Plan {
  const random = createSeededRandom(seed);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const types = Array.from({ length: 5 + Math.floor(random() * 40) }, () => pick(TYPES));
  const nodes: Record<string, NodeSketch> = {};
  const edges: string[] = [];
  for (const [index, type] of types.entries()) {
    const config = { name: `n${index}`, isAsync: pick(['no', 'yes']), to: pick(['yes', 'no']) };
    nodes[`n${index}`] = {
      type,
      config: random() < 0.5 ? { ...config, a: 'set', input: 'set' } : config,
    };
    for (const port of index === 0 ? [] : INPUTS[type]) {
      if (random() < 0.3) continue;
      const source = Math.floor(random() * index);
      edges.push(`n${source}.${pick(OUTPUTS[types[source] as TestNodeType])} > n${index}.${port}`);
    }
  }
  return planGraph(NODES, sketchGraph(nodes, edges));
}

/** Returns status and outputs of every node by the rules of a run, without the engine. */
function evaluate(plan: Plan): Map<string, readonly [string, Values | undefined]> {
  const results: (readonly [string, Values | undefined])[] = [];
  for (const node of plan.nodes) results.push(evaluateNode(node, index => results[index]?.[1]));
  return new Map(plan.nodes.map((node, index) => [node.id, results[index] ?? ['?', undefined]]));
}

function evaluateNode(
  node: PlanNode,
  outputsOf: (index: number) => Values | undefined,
): readonly [string, Values | undefined] {
  const inputs = new Map<string, Value | undefined>();
  for (const { port, sourceIndex, sourcePort } of node.inputs)
    inputs.set(port, outputsOf(sourceIndex)?.[sourcePort]);
  const isRequired = (port: string) =>
    port === 'input' || (node.nodeType === 't:requires_text' && port === 'a');
  const values = [...inputs];
  if (values.length > 0 && values.every(([, value]) => value === undefined)) return ['SKIPPED', undefined];
  if (values.some(([port, value]) => value === undefined && isRequired(port))) return ['SKIPPED', undefined];
  const readInput = (port: string): string | undefined => {
    const value = inputs.get(port);
    if (value?.type === 'TEXT') return value.text;
    return value === undefined ? (node.config[port] as string | undefined) : assert.fail('expected a text');
  };
  const completed = (port: string, output: string | undefined) =>
    ['COMPLETED', output === undefined ? {} : { [port]: textValue(output) }] as const;
  if (node.nodeType === 't:fail') return ['FAILED', undefined];
  if (node.nodeType === 't:merge') return completed('output', readInput('a') ?? readInput('b'));
  if (node.nodeType === 't:join') {
    const parts = [readInput('a'), readInput('b'), readInput('c')].filter(part => part !== undefined);
    return completed('text', `${node.config.name}(${parts.join(',')})`);
  }
  const main = readInput(node.nodeType === 't:branch' ? 'input' : 'a');
  if (main === undefined) return ['FAILED', undefined];
  if (node.nodeType === 't:branch') return completed(String(node.config.to), main);
  return completed('text', `${main}/${readInput('b') ?? '-'}/5/fast`);
}

function toResults(steps: RecordedRun['steps']): Map<string, readonly [string, Values | undefined]> {
  return new Map([...steps].map(([id, step]) => [id, [step.status, step.outputs]]));
}

describe('a run of a random graph', () => {
  for (const seed of SEEDS) {
    it(`has the results of the simple evaluator and starts each node after its sources (seed ${seed})`, async () => {
      const plan = randomPlan(seed);
      const expected = evaluate(plan);
      const { reported, steps, outcome } = await runRecorded(NODES, plan, { concurrency: 1 + (seed % 5) });
      assert.deepEqual(new Map([...toResults(steps)].sort()), new Map([...expected].sort()));
      assertOrder(plan, reported);
      const hasFailed = [...expected.values()].some(([status]) => status === 'FAILED');
      assert.equal(outcome.kind, hasFailed ? 'failed' : 'completed');
    });
  }

  for (const seed of SEEDS.slice(0, 15)) {
    it(`has the same results when it resumes from any prefix of its steps (seed ${seed})`, async () => {
      const plan = randomPlan(seed);
      const wholeRun = await runRecorded(NODES, plan);
      for (let length = 0; length <= wholeRun.reported.length; length++) {
        const prefix = new Map(wholeRun.reported.slice(0, length).map(step => [step.nodeId, step]));
        const resumedRun = await runRecorded(NODES, plan, { steps: prefix });
        assert.deepEqual(
          new Map([...toResults(resumedRun.steps)].sort()),
          new Map([...toResults(wholeRun.steps)].sort()),
        );
        for (const step of resumedRun.reported) assert.notEqual(prefix.get(step.nodeId)?.status, 'COMPLETED');
      }
    });
  }
});

/** Asserts that every node starts after all of its sources have settled. */
function assertOrder(plan: Plan, reported: readonly Step[]): void {
  const firsts = new Map<string, number>();
  const settled = new Map<string, number>();
  for (const [index, step] of reported.entries()) {
    if (!firsts.has(step.nodeId)) firsts.set(step.nodeId, index);
    if (isSettled(step.status)) settled.set(step.nodeId, index);
  }
  for (const node of plan.nodes) {
    for (const { sourceIndex } of node.inputs) {
      const sourceId = plan.nodes[sourceIndex]?.id ?? '';
      assert.ok(
        (settled.get(sourceId) ?? Number.NaN) < (firsts.get(node.id) ?? Number.NaN),
        `${sourceId} before ${node.id}`,
      );
    }
  }
}
