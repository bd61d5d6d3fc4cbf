// Measures the cost of components when a run is accepted: the expansion of 50 calls, compared with planning the result.
import { COMPONENT_CALL } from '../../src/graph/components/calls.ts';
import { expandGraph } from '../../src/graph/components/expand.ts';
import { createPlan } from '../../src/graph/plan.ts';
import type { Graph } from '../../src/graph/types.ts';
import { createNodeCatalog } from '../../src/nodes/catalog.ts';
import { edge, node } from '../../test/support/workflows.ts';
import { median } from '../load.ts';
import type { Row } from '../row.ts';

const CALLS = 50;
/** With the input and the output, a component has 40 nodes. */
const TEMPLATE_NODES = 38;
const ROUNDS = 41;
const TARGET_MS = 30;

const createIds = (count: number, prefix: string): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}`);

const toGraph = (graph: { readonly nodes: readonly object[]; readonly edges: readonly object[] }): Graph =>
  graph as unknown as Graph;

/** A component: a chain of text templates between an input and a preview. */
const COMPONENT = toGraph({
  nodes: [
    node('in', 'input:text'),
    ...createIds(TEMPLATE_NODES, 't').map(id =>
      node(id, 'utility:text_template', { template: '{{a}} {{b}}' }),
    ),
    node('out', 'output:preview'),
  ],
  edges: [
    ...createIds(TEMPLATE_NODES, 't').map((id, index) =>
      edge(`${index === 0 ? 'in.text' : `t${index - 1}.text`} > ${id}.a`),
    ),
    edge(`t${TEMPLATE_NODES - 1}.text > out.input`),
  ],
});

/** A chain of calls of the component. */
const CALLER = toGraph({
  nodes: createIds(CALLS, 'c').map(id => node(id, COMPONENT_CALL, { workflowId: 'component', version: 1 })),
  edges: createIds(CALLS - 1, 'c').map((id, index) => edge(`${id}.out > c${index + 1}.in`)),
});

const CALLER_CHARACTERS = JSON.stringify(CALLER).length;
const COMPONENT_CHARACTERS = JSON.stringify(COMPONENT).length;

export async function* runComponentRows(): AsyncGenerator<Row> {
  const catalog = createNodeCatalog({ SANDBOX_MODELS: true });
  const expandTimes: number[] = [];
  const planTimes: number[] = [];
  let nodeCount = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const startMs = performance.now();
    const { graph: expandedGraph } = expandGraph(CALLER, {
      catalog,
      findGraph: () => COMPONENT,
      measure: graph => (graph === CALLER ? CALLER_CHARACTERS : COMPONENT_CHARACTERS),
    });
    const expandedAtMs = performance.now();
    createPlan(expandedGraph, catalog);
    expandTimes.push(expandedAtMs - startMs);
    planTimes.push(performance.now() - expandedAtMs);
    nodeCount = expandedGraph.nodes.length;
  }
  yield {
    figure: `expansion of ${CALLS} calls into ${nodeCount.toLocaleString('en')} nodes`,
    value: median(expandTimes),
    unit: 'ms',
    target: { value: TARGET_MS, is: 'at most' },
    baseline: { name: 'plan of these nodes', value: median(planTimes) },
    note: `the first ${expandTimes[0]?.toFixed(1)} ms`,
  };
}
