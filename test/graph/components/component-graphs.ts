// Creates graphs with component calls, and expands such graphs with the catalog of the service.
import { COMPONENT_CALL, type ComponentCall } from '../../../src/graph/components/calls.ts';
import { expandGraph } from '../../../src/graph/components/expand.ts';
import { createPlan, type Plan } from '../../../src/graph/plan.ts';
import type { Graph, Json } from '../../../src/graph/types.ts';
import { createNodeCatalog } from '../../../src/nodes/catalog.ts';
import { type NodeSketch, sketchGraph } from '../../support/engine/engine.ts';

export const catalog = createNodeCatalog({ SANDBOX_MODELS: true });

/** The graphs of components, by workflow id. */
export type Library = Readonly<Record<string, Graph>>;

export const call = (workflowId: string, values: Readonly<Record<string, Json>> = {}): NodeSketch => ({
  type: COMPONENT_CALL,
  config: { workflowId, version: 1, values },
});

export const text = (value: string): NodeSketch => ({ type: 'input:text', config: { value } });

/** A node that joins two texts with a dash. */
export const joinNode: NodeSketch = { type: 'utility:text_template', config: { template: '{{a}}-{{b}}' } };

export const preview: NodeSketch = { type: 'output:preview' };

/** A component that joins two texts. */
export const JOIN_COMPONENT = sketchGraph({ a: text('A'), b: text('B'), joined: joinNode, out: preview }, [
  'a.text > joined.a',
  'b.text > joined.b',
  'joined.text > out.input',
]);

/** Creates the function with which an expansion finds the graph of a called component. */
export const createGraphFinder =
  (library: Library) =>
  ({ workflowId }: ComponentCall): Graph =>
    library[workflowId] ?? { nodes: [], edges: [] };

export const expand = (graph: Graph, library: Library, workflowId?: string): Graph =>
  expandGraph(graph, { catalog, findGraph: createGraphFinder(library), measure, workflowId }).graph;

export const measure = (graph: Graph): number => JSON.stringify(graph).length;

export function plan(graph: Graph): Plan {
  const result = createPlan(graph, catalog);
  if (!result.ok) throw new Error(`The graph has no plan: ${result.code}.`);
  return result.plan;
}

/** Lists the connections of the plan as `a.text > b.prompt`, sorted. */
export const listConnections = (graph: Graph): readonly string[] =>
  plan(graph)
    .nodes.flatMap(({ id, inputs }, _, nodes) =>
      inputs.map(
        ({ port, sourceIndex, sourcePort }) => `${nodes[sourceIndex]?.id}.${sourcePort} > ${id}.${port}`,
      ),
    )
    .sort();
