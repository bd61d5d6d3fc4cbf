// Creates a new node from a catalog entry and connects it to the open end of a connection.

import type { Catalog, CatalogEntry, InputDef } from '../../src/graph/catalog.ts';
import { getDims } from '../../src/graph/dims.ts';
import { toHandle } from '../../src/graph/handles.ts';
import {
  CATEGORIES,
  type Category,
  type GraphNode,
  type Json,
  type JsonObject,
  type Position,
} from '../../src/graph/types.ts';
import { apply, type Board, type Change, findNode } from './board.ts';
import { getPorts } from './catalog.ts';
import { add, makeNewId, remove } from './edits.ts';
import { findFreeSpace, findFreeSpaceInColumn, getObstacles } from './free-space.ts';
import { getNodeRect } from './node-size.ts';
import type { OpenBoard } from './open-board.ts';
import { connectPorts, findFittingPort, isOutput, type PortRef } from './wiring.ts';

/** The position of a new node, and the port that the node connects to. */
export interface Placement {
  readonly position?: Position | undefined;
  readonly from?: PortRef | undefined;
}

/** Returns the changes that add the node with the config, and the node's id. */
export function placeNode(
  { catalog, store }: Pick<OpenBoard, 'catalog' | 'store'>,
  entry: CatalogEntry,
  { position, from }: Placement,
  fallback: Position,
  config: JsonObject = {},
): { readonly id: string; readonly changes: readonly Change[] } {
  const { board } = store.getState();
  const nodeWithoutConfig = createNode(board, entry);
  const node = { ...nodeWithoutConfig, data: { ...nodeWithoutConfig.data, config } };
  const { width, height } = getDims(node, catalog);
  const preferredPosition =
    position === undefined
      ? { x: fallback.x - width / 2, y: fallback.y - height / 2 }
      : { x: from !== undefined && !isOutput(from) ? position.x - width : position.x, y: position.y - 30 };
  const positionedNode = {
    ...node,
    position: round(findFreeSpace(getObstacles(board, catalog), { ...preferredPosition, width, height })),
  };
  const addition = add(board, { nodes: [positionedNode] });
  const port = from && findFittingPort(catalog, board, getPorts(catalog, node), from);
  if (from === undefined || port === undefined) return { id: node.id, changes: addition };
  const connection = connectPorts(apply(board, addition), catalog, from, { nodeId: node.id, handle: port });
  return { id: node.id, changes: [...addition, ...connection] };
}

/** The input node type for each port type, and the setting that holds its value. */
const INPUT_NODE_TYPES: Readonly<Record<string, { readonly nodeType: string; readonly key: string }>> = {
  TEXT: { nodeType: 'input:text', key: 'value' },
  NUMBER: { nodeType: 'input:number', key: 'value' },
  JSON: { nodeType: 'input:json', key: 'value' },
  IMAGE: { nodeType: 'input:image', key: 'url' },
  VIDEO: { nodeType: 'input:video', key: 'url' },
  AUDIO: { nodeType: 'input:audio', key: 'url' },
};

/** Returns the input node type for a port, and the setting that holds its value. */
export const findInputNodeType = ({ type }: InputDef) => INPUT_NODE_TYPES[type];

/** Space between a new input node and its target. */
const INPUT_NODE_GAP = 80;

/**
 * Returns the changes that add an input node with the value to the left of the target, and connect both nodes. The input
 * nodes of a target form a column, in the order of its ports.
 */
export function placeInputNode(
  { catalog, store }: Pick<OpenBoard, 'catalog' | 'store'>,
  target: GraphNode,
  input: InputDef,
  value: Json,
): readonly Change[] {
  const { board } = store.getState();
  const source = findInputNodeType(input);
  const entry = source && catalog.find(source.nodeType);
  if (source === undefined || entry === undefined) return [];
  const node = createNode(board, entry);
  const data = { ...node.data, label: input.label, config: { [source.key]: value } };
  const { width, height } = getDims({ ...node, data }, catalog);
  const column = findColumn(board, catalog, target, input.id);
  const preferredRect = {
    x: target.position.x - width - INPUT_NODE_GAP,
    y: column.below ?? (column.above === undefined ? target.position.y : column.above - height),
    width,
    height,
  };
  const position = round(findFreeSpaceInColumn(getObstacles(board, catalog), preferredRect));
  const addition = add(board, { nodes: [{ ...node, data, position }] });
  const to = { nodeId: target.id, handle: toHandle('in', input.id) };
  const port = findFittingPort(catalog, board, entry, to);
  if (port === undefined) return [];
  const connection = connectPorts(apply(board, addition), catalog, to, { nodeId: node.id, handle: port });
  return [...addition, ...connection];
}

/**
 * Returns the edge of the column that a new source of the port has to keep: `below` the sources of the ports above it, or
 * `above` those of the ports below it.
 */
function findColumn(
  board: Board,
  catalog: Catalog,
  target: GraphNode,
  portId: string,
): { readonly below?: number; readonly above?: number } {
  const handles = getPorts(catalog, target).inputs.map(({ id }) => toHandle('in', id));
  const index = handles.indexOf(toHandle('in', portId));
  const sources = board.edges.flatMap(edge => {
    const source = edge.target === target.id ? findNode(board, edge.source) : undefined;
    if (source === undefined) return [];
    return [{ port: handles.indexOf(edge.targetHandle ?? ''), rect: getNodeRect(source, catalog) }];
  });
  const bottoms = sources.filter(({ port }) => port < index).map(({ rect }) => rect.y + rect.height);
  const tops = sources.filter(({ port }) => port > index).map(({ rect }) => rect.y);
  return {
    ...(bottoms.length === 0 ? {} : { below: Math.max(...bottoms) + COLUMN_GAP }),
    ...(tops.length === 0 ? {} : { above: Math.min(...tops) - COLUMN_GAP }),
  };
}

/** Space between the input nodes of a target. */
const COLUMN_GAP = 24;

/**
 * Returns the changes that remove an input node that was added for this port, and has no value any more; undefined if the
 * node has another label or further connections.
 */
export function removeEmptyInput(
  board: Board,
  source: GraphNode,
  input: InputDef,
): readonly Change[] | undefined {
  const edges = board.edges.filter(edge => edge.source === source.id || edge.target === source.id);
  if (source.data.label !== input.label || edges.length !== 1) return undefined;
  return remove(board, { nodes: [source.id] });
}

/** Returns the entry's category, or `model` if the graph format does not define it. */
export const toCategory = ({ category }: CatalogEntry): Category =>
  CATEGORIES.find(known => known === category) ?? 'model';

/** Creates a node of a type with a free id. */
export function createNode(board: Board, entry: CatalogEntry): GraphNode {
  const [, name = 'node'] = entry.nodeType.split(':');
  const sameLabelCount = board.nodes.filter(
    ({ data }) => data.label.replace(/ \d+$/, '') === entry.label,
  ).length;
  return {
    id: makeNewId(board, name.replaceAll('_', '-')),
    type: entry.customNodeType ?? 'basedNode',
    position: { x: 0, y: 0 },
    data: {
      label: sameLabelCount === 0 ? entry.label : `${entry.label} ${sameLabelCount + 1}`,
      category: toCategory(entry),
      nodeType: entry.nodeType,
      config: {},
    },
  };
}

const round = ({ x, y }: Position): Position => ({ x: Math.round(x), y: Math.round(y) });
