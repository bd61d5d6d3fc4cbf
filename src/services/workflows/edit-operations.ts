// Applies a list of operations to a graph: all or none.
import { withBypass } from '../../graph/bypass.ts';
import { type Catalog, isCanvasOnly } from '../../graph/catalog.ts';
import { withConfig, withEdge, withoutItems, withType } from '../../graph/edit.ts';
import type { EdgeEnds } from '../../graph/handles.ts';
import { withLabel } from '../../graph/input-names.ts';
import { findNearestName } from '../../graph/nearest.ts';
import type { Graph, GraphEdge, JsonObject } from '../../graph/types.ts';
import { type AppError, createFieldError } from '../../lib/errors.ts';
import { formatEdge, parseEdgeText, RENDERER, toGraphNode, type UnplacedNode } from './graph-text.ts';

export const OPERATIONS = [
  'add_node',
  'remove_node',
  'connect',
  'disconnect',
  'set_config',
  'rename',
  'replace_node_type',
  'bypass',
  'restore',
] as const;

export interface Operation {
  readonly op: (typeof OPERATIONS)[number];
  readonly nodeId?: string;
  readonly nodeType?: string;
  readonly label?: string;
  readonly config?: Readonly<Record<string, unknown>>;
  readonly edge?: string;
}

/** The graph after the previous operations, and the new name of the workflow if an operation renames it. */
export interface Draft {
  readonly nodes: readonly UnplacedNode[];
  readonly edges: readonly GraphEdge[];
  readonly name?: string;
}

interface OperationStep {
  readonly draft: Draft;
  readonly operation: Operation;
  readonly catalog: Catalog;
  /** JSON pointer of the operation. */
  readonly path: string;
}

/** `path` is the JSON pointer of `operations`. Throws 400 with the location of the first invalid operation. */
export function applyOperations(
  catalog: Catalog,
  graph: Graph,
  { operations, path }: { readonly operations: readonly Operation[]; readonly path: string },
): Draft {
  return operations.reduce<Draft>(
    (draft, operation, index) =>
      APPLIERS[operation.op]({ draft, operation, catalog, path: `${path}/${index}` }),
    graph,
  );
}

const APPLIERS: Readonly<Record<Operation['op'], (step: OperationStep) => Draft>> = {
  add_node: step => {
    const { draft, operation, catalog, path } = step;
    const id = requireArgument(step, 'nodeId');
    const nodeType = requireArgument(step, 'nodeType');
    rejectRenderer(nodeType, `${path}/nodeType`, id);
    if (draft.nodes.some(node => node.id === id))
      throw createError(`${path}/nodeId`, `a node ${id} already exists: choose another id`);
    return { ...draft, nodes: [...draft.nodes, toGraphNode(catalog, { ...operation, id, nodeType })] };
  },
  remove_node: step => ({ ...step.draft, ...withoutItems(step.draft, { nodes: [getNode(step).id] }) }),
  connect: step => {
    const edge = parseEdge(step);
    for (const id of [edge.source, edge.target]) requireNode(step, id, 'edge');
    rejectRendererEdge(step, edge);
    const getPorts = (node: UnplacedNode) => step.catalog.ports(node.data.nodeType, node.data.config ?? {});
    return { ...step.draft, edges: withEdge(step.draft, edge, getPorts) };
  },
  disconnect: step => {
    const edge = parseEdge(step);
    rejectRendererEdge(step, edge);
    const remaining = step.draft.edges.filter(candidate => !matchesEdge(candidate, edge));
    if (remaining.length === step.draft.edges.length) {
      const near = findNearestName(formatEdge(edge), step.draft.edges.map(formatEdge));
      const hint = near === undefined ? 'read the workflow to see its edges' : `did you mean "${near}"?`;
      throw createError(`${step.path}/edge`, `edge not found: ${hint}`);
    }
    return { ...step.draft, edges: remaining };
  },
  set_config: step => {
    const node = getNode(step);
    if (step.operation.config === undefined) throw createError(`${step.path}/config`, 'config is missing');
    rejectRenderer(node.data.nodeType, `${step.path}/config`, node.id);
    const { inputs } = step.catalog.ports(node.data.nodeType, node.data.config ?? {});
    return replaceNode(step.draft, withConfig(node, step.operation.config as JsonObject, inputs));
  },
  rename: step => {
    const label = requireArgument(step, 'label');
    if (step.operation.nodeId === undefined) return { ...step.draft, name: label };
    const node = getNode(step);
    const data = withLabel(step.draft.nodes, node, label);
    return replaceNode(step.draft, { ...node, data });
  },
  replace_node_type: step => {
    const node = getNode(step);
    const nodeType = requireArgument(step, 'nodeType');
    rejectRenderer(nodeType, `${step.path}/nodeType`, node.id);
    rejectRenderer(node.data.nodeType, `${step.path}/nodeId`, node.id);
    const { label, config } = step.operation as { label?: string; config?: JsonObject };
    return { ...step.draft, ...withType(step.draft, node, { nodeType, label, config }, step.catalog) };
  },
  bypass: step => setBypassed(step, true),
  restore: step => setBypassed(step, false),
};

/** Throws 400 for a note or group, which does not run. */
function setBypassed(step: OperationStep, bypassed: boolean): Draft {
  const node = getNode(step);
  rejectRenderer(node.data.nodeType, `${step.path}/nodeId`, node.id);
  if (isCanvasOnly(step.catalog.find(node.data.nodeType)))
    throw createError(`${step.path}/nodeId`, `${node.id} does not run, so it cannot be bypassed`);
  return replaceNode(step.draft, withBypass(node, bypassed));
}

function replaceNode(draft: Draft, node: UnplacedNode): Draft {
  return { ...draft, nodes: draft.nodes.map(other => (other.id === node.id ? node : other)) };
}

function requireArgument(
  { operation, path }: OperationStep,
  name: 'nodeId' | 'nodeType' | 'label' | 'edge',
): string {
  const value = operation[name];
  if (value !== undefined && value !== '') return value;
  throw createError(`${path}/${name}`, `${operation.op} requires ${name}`);
}

function getNode(step: OperationStep): UnplacedNode {
  return requireNode(step, requireArgument(step, 'nodeId'), 'nodeId');
}

/** Returns the node. Throws 400 for an unknown id, suggesting the most similar one. */
function requireNode({ draft: { nodes }, path }: OperationStep, id: string, argument: string): UnplacedNode {
  const node = nodes.find(candidate => candidate.id === id);
  if (node !== undefined) return node;
  const ids = nodes.map(node => node.id);
  const near = findNearestName(id, ids);
  const hint = near === undefined ? 'read the workflow to see its nodes' : `did you mean ${near}?`;
  throw createError(`${path}/${argument}`, `node ${id} not found: ${hint}`);
}

function parseEdge(step: OperationStep): EdgeEnds {
  const ids = new Set(step.draft.nodes.map(({ id }) => id));
  return parseEdgeText(requireArgument(step, 'edge'), ids, `${step.path}/edge`);
}

function matchesEdge(edge: GraphEdge, pattern: EdgeEnds): boolean {
  return (
    edge.source === pattern.source &&
    edge.target === pattern.target &&
    (pattern.sourceHandle === undefined || edge.sourceHandle === pattern.sourceHandle) &&
    (pattern.targetHandle === undefined || edge.targetHandle === pattern.targetHandle)
  );
}

function rejectRendererEdge({ draft, path }: OperationStep, { source, target }: EdgeEnds): void {
  for (const node of draft.nodes)
    if (node.id === source || node.id === target) rejectRenderer(node.data.nodeType, `${path}/edge`, node.id);
}

function rejectRenderer(nodeType: string, path: string, nodeId: string): void {
  if (nodeType === RENDERER.nodeType) throw RENDERER.createError(path, nodeId);
}

function createError(path: string, message: string): AppError {
  return createFieldError(path, message, `${path}:`);
}
