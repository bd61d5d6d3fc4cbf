// Applies operations to a graph in order, all or none: a table of what each operation does.
import type { Catalog } from '../graph/catalog.ts';
import { type NewEdge, withConfig, withEdge, withoutItems, withType } from '../graph/edit.ts';
import { nearest } from '../graph/nearest.ts';
import type { Graph, GraphEdge, JsonObject } from '../graph/types.ts';
import { type AppError, invalidField } from '../lib/errors.ts';
import type { EditedGraph } from '../services/workflows/change-workflow.ts';
import { edgeLine, type SentNode, toEdge, toNode } from './graph-form.ts';
import { RENDERER } from './renderer-rule.ts';

export const OPERATIONS = [
  'add_node',
  'remove_node',
  'connect',
  'disconnect',
  'set_config',
  'rename',
  'replace_node_type',
] as const;

export interface Operation {
  readonly op: (typeof OPERATIONS)[number];
  readonly nodeId?: string;
  readonly nodeType?: string;
  readonly label?: string;
  readonly config?: Readonly<Record<string, unknown>>;
  readonly edge?: string;
}

/** The graph so far, and the workflow's new name if it changes. */
interface Draft {
  readonly nodes: readonly SentNode[];
  readonly edges: readonly GraphEdge[];
  readonly name?: string;
}

interface Step {
  readonly draft: Draft;
  readonly operation: Operation;
  readonly catalog: Catalog;
  /** JSON pointer of the operation. */
  readonly path: string;
}

/** `path` is the pointer of the operations. Throws 400 with the location of the first impossible one. */
export function applyOperations(
  catalog: Catalog,
  graph: Graph,
  { operations, path }: { readonly operations: readonly Operation[]; readonly path: string },
): EditedGraph {
  return operations.reduce<Draft>(
    (draft, operation, index) => APPLY[operation.op]({ draft, operation, catalog, path: `${path}/${index}` }),
    graph,
  );
}

const APPLY: Readonly<Record<Operation['op'], (step: Step) => Draft>> = {
  add_node: step => {
    const { draft, operation, catalog, path } = step;
    const id = need(step, 'nodeId');
    const nodeType = need(step, 'nodeType');
    refuseRenderer(nodeType, `${path}/nodeType`, id);
    if (draft.nodes.some(node => node.id === id))
      throw fault(`${path}/nodeId`, `there is a node ${id} already: choose another id`);
    return { ...draft, nodes: [...draft.nodes, toNode(catalog, { ...operation, id, nodeType })] };
  },
  remove_node: step => ({ ...step.draft, ...withoutItems(step.draft, { nodes: [findNode(step).id] }) }),
  connect: step => {
    const edge = readEdge(step);
    for (const id of [edge.source, edge.target]) requireNode(step, id, 'edge');
    refuseWiring(step, edge);
    const portsOf = (node: SentNode) => step.catalog.ports(node.data.nodeType, node.data.config ?? {});
    return { ...step.draft, edges: withEdge(step.draft, edge, portsOf) };
  },
  disconnect: step => {
    const edge = readEdge(step);
    refuseWiring(step, edge);
    const kept = step.draft.edges.filter(it => !matches(it, edge));
    if (kept.length === step.draft.edges.length) {
      const near = nearest(edgeLine(edge), step.draft.edges.map(edgeLine));
      const hint = near === undefined ? 'read the workflow for its edges' : `did you mean "${near}"?`;
      throw fault(`${step.path}/edge`, `there is no such edge: ${hint}`);
    }
    return { ...step.draft, edges: kept };
  },
  set_config: step => {
    const node = findNode(step);
    if (step.operation.config === undefined) throw fault(`${step.path}/config`, 'config is missing');
    refuseRenderer(node.data.nodeType, `${step.path}/config`, node.id);
    const { inputs } = step.catalog.ports(node.data.nodeType, node.data.config ?? {});
    return replaceNode(step.draft, withConfig(node, step.operation.config as JsonObject, inputs));
  },
  rename: step => {
    const label = need(step, 'label');
    if (step.operation.nodeId === undefined) return { ...step.draft, name: label };
    const node = findNode(step);
    return replaceNode(step.draft, { ...node, data: { ...node.data, label } });
  },
  replace_node_type: step => {
    const node = findNode(step);
    const nodeType = need(step, 'nodeType');
    refuseRenderer(nodeType, `${step.path}/nodeType`, node.id);
    refuseRenderer(node.data.nodeType, `${step.path}/nodeId`, node.id);
    const { label, config } = step.operation as { label?: string; config?: JsonObject };
    return { ...step.draft, ...withType(step.draft, node, { nodeType, label, config }, step.catalog) };
  },
};

function replaceNode(draft: Draft, node: SentNode): Draft {
  return { ...draft, nodes: draft.nodes.map(it => (it.id === node.id ? node : it)) };
}

function need({ operation, path }: Step, name: 'nodeId' | 'nodeType' | 'label' | 'edge'): string {
  const value = operation[name];
  if (value !== undefined && value !== '') return value;
  throw fault(`${path}/${name}`, `${operation.op} needs ${name}`);
}

function findNode(step: Step): SentNode {
  return requireNode(step, need(step, 'nodeId'), 'nodeId');
}

/** Throws 400 for an unknown node id, with the nearest known one. */
function requireNode({ draft: { nodes }, path }: Step, id: string, member: string): SentNode {
  const found = nodes.find(node => node.id === id);
  if (found !== undefined) return found;
  const ids = nodes.map(node => node.id);
  const near = nearest(id, ids);
  const hint = near === undefined ? 'read the workflow for its nodes' : `did you mean ${near}?`;
  throw fault(`${path}/${member}`, `there is no node ${id}: ${hint}`);
}

function readEdge(step: Step): NewEdge {
  const ids = new Set(step.draft.nodes.map(({ id }) => id));
  return toEdge(need(step, 'edge'), ids, `${step.path}/edge`);
}

function matches(edge: GraphEdge, wanted: NewEdge): boolean {
  return (
    edge.source === wanted.source &&
    edge.target === wanted.target &&
    (wanted.sourceHandle === undefined || edge.sourceHandle === wanted.sourceHandle) &&
    (wanted.targetHandle === undefined || edge.targetHandle === wanted.targetHandle)
  );
}

function refuseWiring({ draft, path }: Step, { source, target }: NewEdge): void {
  for (const node of draft.nodes)
    if (node.id === source || node.id === target) refuseRenderer(node.data.nodeType, `${path}/edge`, node.id);
}

function refuseRenderer(nodeType: string, path: string, nodeId: string): void {
  if (nodeType === RENDERER.nodeType) throw RENDERER.refusal(path, nodeId);
}

function fault(path: string, message: string): AppError {
  return invalidField(path, message, `${path}:`);
}
