// Measures the engine's own cost per node: a chain of 1,000 free nodes without checkpoints or a database.
import { runPlan } from '../src/engine/run.ts';
import type { RunOptions } from '../src/engine/types.ts';
import type { Catalog } from '../src/graph/catalog.ts';
import { createPlan } from '../src/graph/plan.ts';
import { readSettings } from '../src/lib/settings.ts';
import { defineNode, type NodeContext, type NodeDefinition, number, text } from '../src/nodes/define.ts';
import { median } from './load.ts';
import type { Row } from './row.ts';

const CHAIN_LENGTH = 1000;
const ROUNDS = 50;

const append = defineNode({
  nodeType: 'bench:append',
  label: 'Append',
  category: 'utility',
  inputs: { text: text('Text', { default: '' }) },
  config: {
    suffix: text('Suffix', { default: '.' }),
    times: number('Times', { default: 1, min: 1, max: 9 }),
  },
  outputs: { text: text('Text') },
  run: ({ text: input, suffix, times }) => ({ text: `${input.slice(-20)}${suffix.repeat(times)}` }),
});

/** Returns the median time per node in a chain of 1,000, in µs. */
async function measureUsPerNode(): Promise<number> {
  const timesUs: number[] = [];
  const plan = createChainPlan();
  for (let round = 0; round < ROUNDS; round++) {
    const startedMs = performance.now();
    const outcome = await runPlan(plan, createRunOptions(append));
    timesUs.push(((performance.now() - startedMs) * 1000) / CHAIN_LENGTH);
    if (outcome.kind !== 'completed') throw new Error(`The chain ended as ${outcome.kind}.`);
  }
  return median(timesUs);
}

function createChainPlan() {
  const indexes = Array.from({ length: CHAIN_LENGTH }, (_, index) => index);
  const graph = {
    nodes: indexes.map(index => ({
      id: `n${index}`,
      type: 'node',
      position: { x: 0, y: 0 },
      data: { label: 'Append', category: 'utility', nodeType: 'bench:append', config: { suffix: '!' } },
    })),
    edges: indexes.slice(1).map(index => ({
      id: `e${index}`,
      source: `n${index - 1}`,
      target: `n${index}`,
      sourceHandle: 'out-text',
      targetHandle: 'in-text',
    })),
  };
  const catalog: Catalog = {
    entries: [append.entry],
    find: () => append.entry,
    ports: (_, config) => append.ports(config),
  };
  const result = createPlan(graph, catalog);
  if (!result.ok) throw new Error('The chain has no plan.');
  return result.plan;
}

function createRunOptions(definition: NodeDefinition): RunOptions {
  const rejectAccess = (): never => {
    throw new Error('Benchmarks have no network access.');
  };
  const context = {
    executionId: 'ex_bench',
    media: {
      put: rejectAccess,
      read: rejectAccess,
      readRaster: rejectAccess,
      resolve: rejectAccess,
      open: rejectAccess,
    },
    openSegments: rejectAccess,
    fetch: rejectAccess,
    openCredential: rejectAccess,
    now: Date.now,
    providers: {},
    settings: { ...readSettings({}), CDN_URL: '' },
  } satisfies Partial<NodeContext>;
  return {
    findDefinition: () => definition,
    steps: new Map(),
    overrides: new Map(),
    createContext: () => context,
    onStep: () => undefined,
    concurrency: 16,
    signal: new AbortController().signal,
    now: Date.now,
  };
}

export async function* runEngineRows(): AsyncGenerator<Row> {
  yield {
    figure: 'engine alone, chain of 1,000 free nodes, per node',
    value: await measureUsPerNode(),
    unit: 'µs',
    target: { value: 20, is: 'at most' },
  };
}
