// Compares runs of random graphs with a simple evaluator that executes one node after the other.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isSettled, type Step } from '../../src/engine/types.ts';
import type { Plan, PlanNode } from '../../src/graph/plan.ts';
import type { Value, Values } from '../../src/graph/types.ts';
import { seededRandom } from '../../src/lib/seeded-random.ts';
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
const PORTS = {
  't:join': ['a', 'b', 'c'],
  't:need': ['a', 'b'],
  't:fork': ['input'],
  't:fail': ['a'],
  't:merge': ['a', 'b'],
};
const OUTPUTS = {
  't:join': ['text'],
  't:need': ['text'],
  't:fork': ['yes', 'no'],
  't:fail': ['text'],
  't:merge': ['output'],
};
type Kind = keyof typeof PORTS;
const KINDS: readonly Kind[] = ['t:join', 't:join', 't:join', 't:need', 't:fork', 't:merge', 't:fail'];

function randomPlan(seed: number): Plan {
  const random = seededRandom(seed);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const kinds = Array.from({ length: 5 + Math.floor(random() * 40) }, () => pick(KINDS));
  const nodes: Record<string, NodeSketch> = {};
  const edges: string[] = [];
  for (const [index, kind] of kinds.entries()) {
    const config = { name: `n${index}`, late: pick(['no', 'yes']), way: pick(['yes', 'no']) };
    nodes[`n${index}`] = {
      type: kind,
      config: random() < 0.5 ? { ...config, a: 'set', input: 'set' } : config,
    };
    for (const port of index === 0 ? [] : PORTS[kind]) {
      if (random() < 0.3) continue;
      const source = Math.floor(random() * index);
      edges.push(`n${source}.${pick(OUTPUTS[kinds[source] as Kind])} > n${index}.${port}`);
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
  const wired = new Map<string, Value | undefined>();
  for (const { port, source, sourcePort } of node.inputs) wired.set(port, outputsOf(source)?.[sourcePort]);
  const isRequired = (port: string) => port === 'input' || (node.nodeType === 't:need' && port === 'a');
  const values = [...wired];
  if (values.length > 0 && values.every(([, value]) => value === undefined)) return ['SKIPPED', undefined];
  if (values.some(([port, value]) => value === undefined && isRequired(port))) return ['SKIPPED', undefined];
  const at = (port: string): string | undefined => {
    const value = wired.get(port);
    if (value?.type === 'TEXT') return value.text;
    return value === undefined
      ? (node.settings[port] as string | undefined)
      : assert.fail('only texts flow here');
  };
  const completed = (port: string, output: string | undefined) =>
    ['COMPLETED', output === undefined ? {} : { [port]: textValue(output) }] as const;
  if (node.nodeType === 't:fail') return ['FAILED', undefined];
  if (node.nodeType === 't:merge') return completed('output', at('a') ?? at('b'));
  if (node.nodeType === 't:join') {
    const parts = [at('a'), at('b'), at('c')].filter(part => part !== undefined);
    return completed('text', `${node.settings.name}(${parts.join(',')})`);
  }
  const main = at(node.nodeType === 't:fork' ? 'input' : 'a');
  if (main === undefined) return ['FAILED', undefined];
  if (node.nodeType === 't:fork') return completed(String(node.settings.way), main);
  return completed('text', `${main}/${at('b') ?? '-'}/5/fast`);
}

function resultsOf(steps: RecordedRun['steps']): Map<string, readonly [string, Values | undefined]> {
  return new Map([...steps].map(([id, step]) => [id, [step.status, step.outputs]]));
}

describe('a run of a random graph', () => {
  for (const seed of SEEDS) {
    it(`of seed ${seed} ends like the simple evaluation, each node after its sources`, async () => {
      const plan = randomPlan(seed);
      const expected = evaluate(plan);
      const { reported, steps, outcome } = await runRecorded(NODES, plan, { concurrency: 1 + (seed % 5) });
      assert.deepEqual(new Map([...resultsOf(steps)].sort()), new Map([...expected].sort()));
      assertOrder(plan, reported);
      const hasFailed = [...expected.values()].some(([status]) => status === 'FAILED');
      assert.equal(outcome.kind, hasFailed ? 'failed' : 'completed');
    });
  }

  for (const seed of SEEDS.slice(0, 15)) {
    it(`of seed ${seed} ends the same from any prefix of its steps`, async () => {
      const plan = randomPlan(seed);
      const whole = await runRecorded(NODES, plan);
      for (let length = 0; length <= whole.reported.length; length++) {
        const prefix = new Map(whole.reported.slice(0, length).map(step => [step.nodeId, step]));
        const resumed = await runRecorded(NODES, plan, { steps: prefix });
        assert.deepEqual(
          new Map([...resultsOf(resumed.steps)].sort()),
          new Map([...resultsOf(whole.steps)].sort()),
        );
        for (const step of resumed.reported) assert.notEqual(prefix.get(step.nodeId)?.status, 'COMPLETED');
      }
    });
  }
});

/** Asserts that every node starts after all of its sources have settled. */
function assertOrder(plan: Plan, reported: readonly Step[]): void {
  const firsts = new Map<string, number>();
  const settled = new Map<string, number>();
  for (const [moment, step] of reported.entries()) {
    if (!firsts.has(step.nodeId)) firsts.set(step.nodeId, moment);
    if (isSettled(step.status)) settled.set(step.nodeId, moment);
  }
  for (const node of plan.nodes) {
    for (const { source } of node.inputs) {
      const sourceId = plan.nodes[source]?.id ?? '';
      assert.ok(
        (settled.get(sourceId) ?? Number.NaN) < (firsts.get(node.id) ?? Number.NaN),
        `${sourceId} before ${node.id}`,
      );
    }
  }
}
