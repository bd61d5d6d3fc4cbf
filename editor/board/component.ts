// Turns selected nodes into a component: a new workflow, and a node in place of the nodes that calls the workflow.

import { type Catalog, type InputDef, isCanvasOnly, type OutputDef } from '../../src/graph/catalog.ts';
import { COMPONENT_CALL } from '../../src/graph/components/calls.ts';
import { getDims } from '../../src/graph/dims.ts';
import { getChildIds, withoutItems } from '../../src/graph/edit.ts';
import { toHandle } from '../../src/graph/handles.ts';
import { withInputNames } from '../../src/graph/input-names.ts';
import { getBoundingBox, type Rect } from '../../src/graph/rects.ts';
import { toSlug } from '../../src/graph/slug.ts';
import type { GraphEdge, GraphNode, JsonObject } from '../../src/graph/types.ts';
import { type Board, type Change, findNode } from './board.ts';
import { getPorts } from './catalog.ts';
import type { Subgraph } from './clipboard.ts';
import { computeChanges, findFreeId, makeNewId } from './edits.ts';
import { findFreeSpace, getObstacles } from './free-space.ts';
import { expandGroups, withChildren } from './groups.ts';
import { getNodeRect } from './node-size.ts';
import { toCategory } from './placement.ts';
import { listWires, type Wire } from './wiring.ts';

export interface Extraction {
  /** The graph of the component. */
  readonly part: Subgraph;
  /** Returns the changes that replace the nodes by a call with this config, and the id of the call. */
  replace(name: string, config: JsonObject): { readonly id: string; readonly changes: readonly Change[] };
}

/** Why the nodes cannot become a component. */
export type ExtractionProblem =
  | { readonly problem: 'no nodes' }
  /** The nodes in `between` connect selected nodes, so that the component would be connected to itself. */
  | { readonly problem: 'nodes between'; readonly between: readonly GraphNode[] };

/**
 * Turns the nodes into a component. If they read an output of another node, the component gets an input node for that
 * output. If another node or no node reads one of their outputs, the component gets a preview of that output.
 */
export function extractComponent(
  board: Board,
  catalog: Catalog,
  ids: Iterable<string>,
): Extraction | ExtractionProblem {
  const innerIds = expandGroups(board, ids);
  const innerNodes = board.nodes.filter(({ id }) => innerIds.has(id));
  if (innerNodes.every(({ data }) => isCanvasOnly(catalog.find(data.nodeType))))
    return { problem: 'no nodes' };
  const between = findNodesBetween(board, innerIds);
  if (between.length > 0) return { problem: 'nodes between', between };
  const wires = listWires(board, catalog).map(withHandles);
  const bounds = getBoundingBox(innerNodes.map(node => getNodeRect(node, catalog)));
  const context = {
    board,
    catalog,
    innerNodes,
    innerIds,
    wires,
    bounds: bounds ?? NO_BOUNDS,
    usedNames: new Set<string>(),
  };
  const inputs = createInputs(context);
  const previews = createPreviews(context);
  return {
    part: {
      nodes: withInputNames([...innerNodes.map(withoutPin), ...inputs.nodes, ...previews.nodes]).map(
        node => ({
          ...node,
          position: { x: node.position.x - context.bounds.x, y: node.position.y - context.bounds.y },
        }),
      ),
      edges: [...inputs.edges, ...previews.edges],
    },
    replace: (name, config) => replace(context, { inputs, previews }, name, config),
  };
}

const NO_BOUNDS: Rect = { x: 0, y: 0, width: 0, height: 0 };

/** Returns the nodes on paths that leave the selected nodes and come back. */
function findNodesBetween({ nodes, edges }: Board, innerIds: ReadonlySet<string>): readonly GraphNode[] {
  const follow = (from: 'source' | 'target', to: 'source' | 'target'): ReadonlySet<string> => {
    const edgesByStart = Map.groupBy(edges, edge => edge[from]);
    const reached = new Set(innerIds);
    for (const id of reached) for (const edge of edgesByStart.get(id) ?? []) reached.add(edge[to]);
    return reached;
  };
  const [downstream, upstream] = [follow('source', 'target'), follow('target', 'source')];
  return nodes.filter(({ id }) => !innerIds.has(id) && downstream.has(id) && upstream.has(id));
}

/** Adds the handles that the edge lacks. */
const withHandles = ({ edge, from, to }: Wire): Wire => {
  const handles = { sourceHandle: toHandle('out', from.id), targetHandle: toHandle('in', to.id) };
  return { from, to, edge: edge.sourceHandle && edge.targetHandle ? edge : { ...edge, ...handles } };
};

interface Context {
  readonly board: Board;
  readonly catalog: Catalog;
  readonly innerNodes: readonly GraphNode[];
  readonly innerIds: ReadonlySet<string>;
  readonly wires: readonly Wire[];
  /** The box around the inner nodes. */
  readonly bounds: Rect;
  /** Ids and labels of the new nodes. */
  readonly usedNames: Set<string>;
}

/** New nodes of the component, and the edges of these nodes. */
interface Boundary {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  /** The port of the component for each edge that crosses its boundary, by edge id. */
  readonly ports: ReadonlyMap<string, string>;
}

/** The input node for each type of port. */
const INPUT_TYPES: Readonly<Record<string, string>> = {
  TEXT: 'input:text',
  NUMBER: 'input:number',
  JSON: 'input:json',
  IMAGE: 'input:image',
  VIDEO: 'input:video',
  AUDIO: 'input:audio',
  LIST: 'input:list',
};
const PREVIEW_TYPE = 'output:preview';

/** Creates one input node for each external output that a node of the component reads. Keeps the order of the edges. */
function createInputs(context: Context): Boundary {
  const { board, catalog, innerNodes, innerIds, wires } = context;
  const incoming = wires.filter(({ edge }) => !innerIds.has(edge.source) && innerIds.has(edge.target));
  const tops = new Map(innerNodes.map(({ id, position }) => [id, position.y]));
  const groups = [...Map.groupBy(incoming, wire => `${getInputType(wire)} ${getSourceKey(wire)}`).values()];
  const sortedGroups = groups.toSorted(
    ([a], [b]) => (tops.get(a?.edge.target ?? '') ?? 0) - (tops.get(b?.edge.target ?? '') ?? 0),
  );
  const column = new Column(context, 'left');
  const ports = new Map<string, string>();
  const inputNodes = new Map<string, GraphNode>();
  for (const group of sortedGroups) {
    const [first] = group;
    if (first === undefined) continue;
    const source = board.nodes.find(({ id }) => id === first.edge.source);
    const nodeType = getInputType(first);
    const isSameType = source?.data.nodeType === nodeType;
    const usesSourceLabel =
      source !== undefined && (source.data.category === 'input' || GENERIC_TYPES.has(first.to.type));
    const node = column.add(nodeType, {
      label: usesSourceLabel ? source.data.label : first.to.label,
      config: isSameType ? (source.data.config ?? {}) : getListConfig(nodeType, first.to),
      top: tops.get(first.edge.target) ?? 0,
    });
    for (const { edge } of group) {
      ports.set(edge.id, node.id);
      inputNodes.set(edge.id, node);
    }
  }
  const edges = wires.flatMap(({ edge }) => {
    if (!innerIds.has(edge.target)) return [];
    const input = inputNodes.get(edge.id);
    if (input === undefined) return [edge];
    const [output] = getPorts(catalog, input).outputs;
    return [{ ...edge, source: input.id, sourceHandle: toHandle('out', output?.id ?? '') }];
  });
  return { nodes: column.nodes, edges, ports };
}

/** Types of ports with generic labels, such as "Input 1". */
const GENERIC_TYPES: ReadonlySet<string> = new Set(['ANY', 'LIST']);

const getSourceKey = ({ edge }: Wire): string => JSON.stringify([edge.source, edge.sourceHandle]);

/** Returns the type of the input node for the values of the edge. A value of type ANY need not be a list. */
function getInputType({ from, to }: Wire): string {
  const type = from.type === 'ANY' ? (to.itemType ?? to.type) : from.type;
  return (type === from.type || type !== 'LIST' ? INPUT_TYPES[type] : undefined) ?? 'input:json';
}

function getListConfig(nodeType: string, { type, itemType }: InputDef): JsonObject {
  const items = itemType ?? type;
  return nodeType === 'input:list' && items !== 'LIST' && INPUT_TYPES[items] !== undefined
    ? { itemType: items }
    : {};
}

/** Creates a preview for each output that an external node or no node reads. Reuses existing previews. */
function createPreviews(context: Context): Boundary {
  const { catalog, innerNodes, innerIds, wires } = context;
  const types = new Map(innerNodes.map(({ id, data }) => [id, data.nodeType]));
  const previewIds = new Map<string, string>();
  for (const wire of wires)
    if (types.get(wire.edge.target) === PREVIEW_TYPE && types.has(wire.edge.source))
      previewIds.set(getSourceKey(wire), wire.edge.target);
  const column = new Column(context, 'right');
  const edges: GraphEdge[] = [];
  const addPreview = (source: GraphNode, from: OutputDef): string => {
    const edge = { source: source.id, sourceHandle: toHandle('out', from.id), targetHandle: 'in-input' };
    const key = JSON.stringify([edge.source, edge.sourceHandle]);
    const existing = previewIds.get(key);
    if (existing !== undefined) return existing;
    const isOnly = getPorts(catalog, source).outputs.length === 1;
    const label = isOnly ? source.data.label : `${source.data.label} ${from.label}`;
    const node = column.add(PREVIEW_TYPE, { label, config: {}, top: source.position.y });
    previewIds.set(key, node.id);
    edges.push({ id: `${source.id}.${from.id}->${node.id}`, target: node.id, ...edge });
    return node.id;
  };
  const ports = new Map<string, string>();
  const outgoing = Map.groupBy(wires, ({ edge }) => edge.source);
  for (const node of innerNodes.toSorted((a, b) => a.position.y - b.position.y)) {
    const outgoingEdges = outgoing.get(node.id) ?? [];
    for (const { edge, from } of outgoingEdges)
      if (!innerIds.has(edge.target)) ports.set(edge.id, addPreview(node, from));
    const [first] = getPorts(catalog, node).outputs;
    if (outgoingEdges.length === 0 && first !== undefined && node.data.category !== 'input')
      addPreview(node, first);
  }
  return { nodes: column.nodes, edges, ports };
}

const COLUMN_GAP = 80;
const ROW_GAP = 24;

/** New nodes on one side of the component, from top to bottom. */
class Column {
  readonly nodes: GraphNode[] = [];
  readonly #context: Context;
  readonly #side: 'left' | 'right';
  #bottom = Number.NEGATIVE_INFINITY;

  constructor(context: Context, side: 'left' | 'right') {
    this.#context = context;
    this.#side = side;
  }

  add(
    nodeType: string,
    { label, config, top }: { readonly label: string; readonly config: JsonObject; readonly top: number },
  ): GraphNode {
    const { board, catalog, bounds, usedNames } = this.#context;
    const id = findFreeId(board, toSlug(label) || 'port', usedNames);
    const entry = catalog.find(nodeType);
    const node = {
      id,
      type: entry?.customNodeType ?? 'basedNode',
      position: { x: 0, y: 0 },
      data: {
        label: findFreeLabel(label, usedNames),
        category: entry === undefined ? 'utility' : toCategory(entry),
        nodeType,
        config,
      },
    };
    usedNames.add(id);
    usedNames.add(node.data.label);
    const { width, height } = getDims(node, catalog);
    const y = Math.max(top, this.#bottom + ROW_GAP);
    const x = this.#side === 'left' ? bounds.x - COLUMN_GAP - width : bounds.x + bounds.width + COLUMN_GAP;
    this.#bottom = y + height;
    const placedNode = { ...node, position: { x, y } };
    this.nodes.push(placedNode);
    return placedNode;
  }
}

function findFreeLabel(label: string, usedNames: ReadonlySet<string>): string {
  if (!usedNames.has(label)) return label;
  for (let number = 2; ; number++) if (!usedNames.has(`${label} ${number}`)) return `${label} ${number}`;
}

/** Removes the pinned result, which belongs to a run of the original workflow. */
function withoutPin(node: GraphNode): GraphNode {
  const { pinnedRun: _, ...data } = node.data;
  return { ...node, data };
}

function replace(
  { board, catalog, innerNodes, innerIds, wires, bounds }: Context,
  { inputs, previews }: { readonly inputs: Boundary; readonly previews: Boundary },
  name: string,
  config: JsonObject,
): { readonly id: string; readonly changes: readonly Change[] } {
  const id = makeNewId(board, toSlug(name) || 'component');
  const call = {
    id,
    type: catalog.find(COMPONENT_CALL)?.customNodeType ?? 'basedNode',
    position: { x: 0, y: 0 },
    data: { label: name, category: 'logic', nodeType: COMPONENT_CALL, config },
  };
  const nestedIds = new Set(innerNodes.flatMap(getChildIds));
  const members = innerNodes.map(node => node.id).filter(innerId => !nestedIds.has(innerId));
  const nodes = withoutItems(board, { nodes: [...innerIds] }).nodes.map(node => {
    const before = findNode(board, node.id);
    const containsAll = before !== undefined && isSubset(members, getChildIds(before));
    return containsAll ? withChildren(node, [...getChildIds(node), id]) : node;
  });
  const { width, height } = getDims(call, catalog);
  const preferred = { x: bounds.x + (bounds.width - width) / 2, y: bounds.y + (bounds.height - height) / 2 };
  const space = findFreeSpace(getObstacles({ ...board, nodes }, catalog), { ...preferred, width, height });
  const position = { x: Math.round(space.x), y: Math.round(space.y) };
  const edgesById = new Map(wires.map(({ edge }) => [edge.id, edge]));
  const usedPorts = new Set<string>();
  // An edge keeps its id and its index, because LIST inputs depend on the order of their edges.
  const edges = board.edges.flatMap((stored): GraphEdge[] => {
    const edge = edgesById.get(stored.id) ?? stored;
    const [input, output] = [inputs.ports.get(edge.id), previews.ports.get(edge.id)];
    if (output !== undefined) return [{ ...edge, source: id, sourceHandle: toHandle('out', output) }];
    if (input === undefined) return innerIds.has(edge.source) || innerIds.has(edge.target) ? [] : [stored];
    if (usedPorts.has(input)) return [];
    usedPorts.add(input);
    return [{ ...edge, target: id, targetHandle: toHandle('in', input) }];
  });
  return {
    id,
    changes: computeChanges(board, { ...board, nodes: [...nodes, { ...call, position }], edges }),
  };
}

function isSubset(items: readonly string[], all: readonly string[]): boolean {
  const set = new Set(all);
  return items.every(item => set.has(item));
}
