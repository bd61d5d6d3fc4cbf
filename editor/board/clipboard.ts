// Converts nodes and edges to clipboard text and back.

import { getChildIds } from '../../src/graph/edit.ts';
import { parseGraph } from '../../src/graph/parse.ts';
import type { GraphEdge, GraphNode, Json, JsonObject, Position } from '../../src/graph/types.ts';
import { type Board, type Change, findNode } from './board.ts';
import { add, findFreeId, makeNewId } from './edits.ts';
import { expandGroups } from './groups.ts';

/** Marks the text as copied from this editor. Its value is the format version. A paste accepts text without the key. */
const FORMAT_KEY = 'graphwright';

/** Serializes the selected nodes and the edges between them. Returns undefined if no node is selected. */
export function toClipboardText(board: Board, selection: ReadonlySet<string>): string | undefined {
  const copiedIds = expandGroups(board, selection);
  const nodes = board.nodes.filter(({ id }) => copiedIds.has(id));
  if (nodes.length === 0) return undefined;
  const ids = new Set(nodes.map(({ id }) => id));
  const edges = board.edges.filter(({ source, target }) => ids.has(source) && ids.has(target));
  const incoming = board.edges.filter(({ source, target }) => !ids.has(source) && ids.has(target));
  const connections = incoming.length === 0 ? {} : { incoming };
  return JSON.stringify({ [FORMAT_KEY]: 1, nodes, edges, ...connections }, null, 2);
}

export interface Subgraph {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  /** The edges from other nodes. */
  readonly incoming?: readonly GraphEdge[];
}

/** Parses text copied from this editor, the JSON of a workflow, or an export. Returns undefined for other text. */
export function parsePastedText(text: string): Subgraph | undefined {
  try {
    const json = JSON.parse(text) as Json;
    if (typeof json !== 'object' || json === null || Array.isArray(json)) return undefined;
    const fields = json as JsonObject;
    const workflow = fields.nodes === undefined ? (fields.workflow as JsonObject | undefined) : fields;
    if (workflow === undefined || !Array.isArray(workflow.nodes)) return undefined;
    const parsed = parseGraph(workflow.nodes, workflow.edges ?? []);
    if (!parsed.ok || parsed.graph.nodes.length === 0) return undefined;
    const incoming = parseGraph([], fields.incoming ?? []);
    return incoming.ok ? { ...parsed.graph, incoming: incoming.graph.edges } : parsed.graph;
  } catch {
    return undefined;
  }
}

/**
 * Returns the changes that add the nodes and edges with free ids, and the ids of the added nodes. Moves the nodes by
 * `offset`. With `keepsIncoming`, also connects them to the nodes that fed the copied ones, as far as the board has these.
 */
export function paste(
  board: Board,
  { nodes, edges, incoming = [] }: Subgraph,
  offset: Position,
  { keepsIncoming = false }: { readonly keepsIncoming?: boolean } = {},
): { readonly changes: readonly Change[]; readonly ids: readonly string[] } {
  const takenIds = new Set<string>();
  const newIds = new Map<string, string>();
  for (const { id } of nodes) {
    const newId = chooseId(board, id, takenIds);
    takenIds.add(newId);
    newIds.set(id, newId);
  }
  const pastedNodes = nodes.map(node => ({
    ...withNewIds(node, newIds),
    position: shift(node.position, offset),
  }));
  const addEdge = (edge: GraphEdge, source: string | undefined): GraphEdge[] => {
    const target = newIds.get(edge.target);
    if (source === undefined || target === undefined) return [];
    const id = chooseId(board, edge.id, takenIds);
    takenIds.add(id);
    return [{ ...edge, id, source, target }];
  };
  const pastedEdges = [
    ...edges.flatMap(edge => addEdge(edge, newIds.get(edge.source))),
    ...(keepsIncoming ? incoming : []).flatMap(edge => addEdge(edge, findNode(board, edge.source)?.id)),
  ];
  return {
    changes: add(board, { nodes: pastedNodes, edges: pastedEdges }),
    ids: pastedNodes.map(({ id }) => id),
  };
}

/** A random suffix of `makeNewId`. The digit tells the suffix from a word: `text-image` has no suffix. */
const RANDOM_SUFFIX = /-(?=[a-z]*\d)[0-9a-z]{5}$/;

/** Returns the id if it is free, otherwise the id with a new random suffix. */
function chooseId(board: Board, id: string, takenIds: ReadonlySet<string>): string {
  const isFree = findFreeId(board, id, takenIds) === id;
  return isFree ? id : makeNewId(board, id.replace(RANDOM_SUFFIX, ''), takenIds);
}

function withNewIds(node: GraphNode, newIds: ReadonlyMap<string, string>): GraphNode {
  const id = newIds.get(node.id) ?? node.id;
  const children = getChildIds(node);
  if (children.length === 0) return { ...node, id };
  const childNodeIds = children.flatMap(child => newIds.get(child) ?? []);
  return { ...node, id, data: { ...node.data, config: { ...node.data.config, childNodeIds } } };
}

const shift = ({ x, y }: Position, offset: Position): Position => ({
  x: Math.round(x + offset.x),
  y: Math.round(y + offset.y),
});
