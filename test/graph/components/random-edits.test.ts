// Edits components and their caller at random. After each edit, a run of the expanded graph must give every node of the
// caller the same result as a run of the graph in which all calls were unpacked by hand.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ComponentCall, isComponentCall, readCall } from '../../../src/graph/components/calls.ts';
import { ComponentError } from '../../../src/graph/components/component-error.ts';
import { expandGraph, unpackCall } from '../../../src/graph/components/expand.ts';
import { getInterface, toCallPorts } from '../../../src/graph/components/interface.ts';
import type { Graph, GraphEdge, GraphNode, Json, JsonObject } from '../../../src/graph/types.ts';
import { createSeededRandom } from '../../../src/lib/seeded-random.ts';
import { findNode } from '../../../src/nodes/catalog.ts';
import { type NodeSketch, runRecorded, sketchGraph } from '../../support/engine/engine.ts';
import { isNightly } from '../../support/tier.ts';
import { call, catalog, measure, plan } from './component-graphs.ts';

const EDIT_COUNT = isNightly ? 1000 : 200;
const SEEDS = isNightly ? [11, 22, 33] : [11];
/** The caller and its components. Each graph calls only graphs that come later in this list. */
const NAMES = ['caller', 'c1', 'c2', 'c3'] as const;
type Name = (typeof NAMES)[number];
const MAX_NODES = 9;

const SKETCHES: readonly NodeSketch[] = [
  { type: 'input:text', config: { value: 'text' } },
  { type: 'input:text', config: { value: 'other' } },
  { type: 'input:number', config: { value: 7 } },
  { type: 'input:list', config: { items: ['x', 'y'] } },
  { type: 'utility:text_template', config: { template: '{{a}}({{b}})' } },
  { type: 'utility:prompt_concat' },
  { type: 'utility:list_slice', config: { start: 0, end: 3 } },
  { type: 'utility:list_item' },
  { type: 'logic:collect' },
  { type: 'logic:merge' },
  { type: 'logic:if', config: { operator: 'equals', compare: 'text' } },
  { type: 'output:preview' },
  { type: 'output:preview' },
  { type: 'output:gallery' },
];
const VALUES: readonly Json[] = ['value', 3, ['p', 'q'], null];

describe('a component and its caller after any edit', () => {
  for (const seed of SEEDS) {
    it(`run like the unpacked graph after each of ${EDIT_COUNT} edits (seed ${seed})`, async () => {
      const edits = createEdits(seed);
      let runsWithComponents = 0;
      for (let step = 0; step < EDIT_COUNT; step++) {
        edits.edit();
        const find = (workflowId: string): Graph => edits.graphs.get(workflowId as Name) as Graph;
        const caller = find('caller');
        const options = { catalog, findGraph: (ref: ComponentCall) => find(ref.workflowId), measure };
        const expanded = tryBuild(() => expandGraph(caller, options).graph);
        const unpacked = tryBuild(() => unpackAll(caller, find));
        assert.equal(expanded === undefined, unpacked === undefined, `step ${step}`);
        if (expanded === undefined || unpacked === undefined) continue;
        const ids = caller.nodes.filter(node => !isComponentCall(node)).map(({ id }) => id);
        const [results, expected] = [await run(expanded, ids), await run(unpacked, ids)];
        assert.deepEqual(results, expected, `step ${step}`);
        if (caller.nodes.some(isComponentCall)) runsWithComponents++;
      }
      assert.ok(runsWithComponents > EDIT_COUNT / 5, `only ${runsWithComponents} runs had components`);
    });
  }
});

function tryBuild(build: () => Graph): Graph | undefined {
  try {
    return build();
  } catch (err) {
    if (err instanceof ComponentError) return undefined;
    throw err;
  }
}

function unpackAll(graph: Graph, find: (workflowId: string) => Graph): Graph {
  for (let unpacked = graph; ; ) {
    const node = unpacked.nodes.find(isComponentCall);
    if (node === undefined) return unpacked;
    unpacked = unpackCall(unpacked, node.id, find(readCall(node).workflowId), catalog);
  }
}

async function run(graph: Graph, ids: readonly string[]) {
  const { steps } = await runRecorded([], plan(graph), { findDefinition: findNode });
  return ids.map(id => [id, steps.get(id)?.status, steps.get(id)?.outputs, steps.get(id)?.error?.code]);
}

function createEdits(seed: number) {
  const random = createSeededRandom(seed);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const graphs = new Map<Name, Graph>(NAMES.map(name => [name, { nodes: [], edges: [] }]));
  let count = 0;
  const getPorts = (node: GraphNode) =>
    isComponentCall(node)
      ? toCallPorts(getInterface(graphs.get(readCall(node).workflowId as Name) as Graph, catalog))
      : catalog.ports(node.data.nodeType, node.data.config ?? {});
  const addNode = (graph: Graph, sketch: NodeSketch): Graph => {
    // New ids are higher than earlier ids, and edges lead from lower to higher ids, so that there are no cycles.
    const { nodes } = sketchGraph({ [`n${String(count++).padStart(5, '0')}`]: sketch }, []);
    return { ...graph, nodes: [...graph.nodes, ...nodes] };
  };
  const removeNode = ({ nodes, edges }: Graph): Graph => {
    const { id } = pick(nodes);
    return {
      nodes: nodes.filter(node => node.id !== id),
      edges: edges.filter(({ source, target }) => source !== id && target !== id),
    };
  };
  const addEdge = (graph: Graph): Graph => {
    const [source, target] = [pick(graph.nodes), pick(graph.nodes)].sort((a, b) => (a.id < b.id ? -1 : 1));
    const from = source && pick(getPorts(source).outputs);
    const input = target && pick(getPorts(target).inputs.filter(({ isPort }) => isPort));
    if (source === target || from === undefined || input === undefined) return graph;
    const hasHandles = random() < 0.8;
    const edge: GraphEdge = {
      id: `e${count++}`,
      source: source?.id ?? '',
      target: target?.id ?? '',
      ...(hasHandles ? { sourceHandle: `out-${from.id}`, targetHandle: `in-${input.id}` } : {}),
    };
    return { ...graph, edges: [...graph.edges, edge] };
  };
  const createCall = (name: Name): NodeSketch => {
    const laterNames = NAMES.slice(NAMES.indexOf(name) + 1);
    const component = pick(laterNames);
    const { inputs } = getInterface(graphs.get(component) as Graph, catalog);
    const values = inputs.flatMap(({ id }) => (random() < 0.4 ? [[id, pick(VALUES)] as const] : []));
    return call(component, Object.fromEntries(values));
  };
  /** Writes the ports of components into the calls of the graph, as the service does. */
  const updateCallPorts = (graph: Graph): Graph => ({
    ...graph,
    nodes: graph.nodes.map(node => {
      if (!isComponentCall(node)) return node;
      const component = graphs.get(readCall(node).workflowId as Name) as Graph;
      const config = { ...node.data.config, ...getInterface(component, catalog) } as unknown as JsonObject;
      return { ...node, data: { ...node.data, config } };
    }),
  });
  /** Removes edges whose ports no longer exist. */
  const removeDanglingEdges = (graph: Graph): Graph => {
    const nodes = new Map(graph.nodes.map(node => [node.id, node]));
    const hasPort = (ports: readonly { readonly id: string }[], handle: unknown): boolean =>
      typeof handle !== 'string' ? ports.length > 0 : ports.some(({ id }) => handle.endsWith(`-${id}`));
    return {
      ...graph,
      edges: graph.edges.filter(({ source, target, sourceHandle, targetHandle }) => {
        const ends = [nodes.get(source), nodes.get(target)] as const;
        return (
          hasPort(getPorts(ends[0] as GraphNode).outputs, sourceHandle) &&
          hasPort(getPorts(ends[1] as GraphNode).inputs, targetHandle)
        );
      }),
    };
  };
  return {
    graphs,
    edit(): void {
      const name = pick(NAMES);
      const graph = graphs.get(name) as Graph;
      const chance = random();
      let changedGraph = graph;
      if (graph.nodes.length >= MAX_NODES || (chance < 0.1 && graph.nodes.length > 0))
        changedGraph = removeNode(graph);
      else if (chance < 0.35) changedGraph = addNode(graph, pick(SKETCHES));
      else if (chance < 0.5 && name !== 'c3') changedGraph = addNode(graph, createCall(name));
      else if (chance < 0.9 && graph.nodes.length > 1) changedGraph = addEdge(graph);
      else if (graph.edges.length > 0) {
        const { id } = pick(graph.edges);
        changedGraph = { ...graph, edges: graph.edges.filter(edge => edge.id !== id) };
      }
      graphs.set(name, changedGraph);
      for (const other of NAMES.toReversed()) graphs.set(other, updateCallPorts(graphs.get(other) as Graph));
      if (random() < 0.9)
        for (const other of NAMES) graphs.set(other, removeDanglingEdges(graphs.get(other) as Graph));
    },
  };
}
