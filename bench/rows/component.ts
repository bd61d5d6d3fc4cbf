// Measures the cost of components when a run is accepted: the expansion of 50 calls, compared with planning the result.

import { COMPONENT_CALL } from '../../src/graph/components/calls.ts';
import { expandGraph } from '../../src/graph/components/expand.ts';
import { createPlan } from '../../src/graph/plan.ts';
import type { Graph } from '../../src/graph/types.ts';
import { makeCatalog } from '../../src/nodes/catalog.ts';
import { edge, node } from '../../test/support/workflows.ts';
import { median } from '../load.ts';
import type { Row } from '../row.ts';

const CALLS = 50;
/** With its input and output, which both disappear or stay, a component has 40 nodes. */
const TEXTS = 38;
const ROUNDS = 41;
const TARGET_MS = 30;

const names = (count: number, prefix: string): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}`);

const toGraph = (graph: { readonly nodes: readonly object[]; readonly edges: readonly object[] }): Graph =>
  graph as unknown as Graph;

/** Creates a component: a chain of templates between an input and a preview. */
const COMPONENT = toGraph({
  nodes: [
    node('in', 'input:text'),
    ...names(TEXTS, 't').map(id => node(id, 'utility:text_template', { template: '{{a}} {{b}}' })),
    node('out', 'output:preview'),
  ],
  edges: [
    ...names(TEXTS, 't').map((id, index) =>
      edge(`${index === 0 ? 'in.text' : `t${index - 1}.text`} > ${id}.a`),
    ),
    edge(`t${TEXTS - 1}.text > out.input`),
  ],
});

/** Creates a chain of calls, of which the last one feeds a preview. */
const CALLER = toGraph({
  nodes: names(CALLS, 'c').map(id => node(id, COMPONENT_CALL, { workflowId: 'component', version: 1 })),
  edges: names(CALLS - 1, 'c').map((id, index) => edge(`${id}.out > c${index + 1}.in`)),
});

export async function* runComponentRows(): AsyncGenerator<Row> {
  const catalog = makeCatalog({ SANDBOX_MODELS: true });
  const expansions: number[] = [];
  const plans: number[] = [];
  let count = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const startMs = performance.now();
    const expanded = expandGraph(CALLER, catalog, () => COMPONENT);
    const expandedMs = performance.now();
    createPlan(expanded, catalog);
    expansions.push(expandedMs - startMs);
    plans.push(performance.now() - expandedMs);
    count = expanded.nodes.length;
  }
  yield {
    figure: `expansion of ${CALLS} calls into ${count.toLocaleString('en')} nodes`,
    value: median(expansions),
    unit: 'ms',
    target: { value: TARGET_MS, is: 'at most' },
    baseline: { name: 'plan of these nodes', value: median(plans) },
    note: `the first ${expansions[0]?.toFixed(1)} ms`,
  };
}
