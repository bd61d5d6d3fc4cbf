// Creates a new node from a catalog entry and connects it to the open end of a connection.
import type { CatalogEntry } from '../../src/graph/catalog.ts';
import { estimateDims } from '../../src/graph/dims.ts';
import { CATEGORIES, type GraphNode, type Position } from '../../src/graph/types.ts';
import { apply, type Board, type Change } from './board.ts';
import { add, freeId } from './edits.ts';
import type { BoardSession } from './session.ts';
import { connect, fittingPort, isOutput, type PortRef } from './wiring.ts';

const GAP = 60;

/** Where a new node goes, and which port it connects to. */
export interface Placement {
  readonly at?: Position | undefined;
  readonly from?: PortRef | undefined;
}

/** Returns the changes that add the node, and its id. */
export function placeNode(
  { catalog, store }: Pick<BoardSession, 'catalog' | 'store'>,
  entry: CatalogEntry,
  { at, from }: Placement,
  fallback: Position,
): { readonly id: string; readonly changes: readonly Change[] } {
  const { board } = store.getState();
  const node = toNode(board, entry);
  const { width, height } = estimateDims(node, catalog);
  const wanted =
    at === undefined
      ? { x: fallback.x - width / 2, y: fallback.y - height / 2 }
      : { x: from !== undefined && !isOutput(from) ? at.x - width : at.x, y: at.y - 30 };
  const placed = { ...node, position: findFreePosition(board, round(wanted)) };
  const added = add(board, { nodes: [placed] });
  const port = from && fittingPort(catalog, board, entry, from);
  if (from === undefined || port === undefined) return { id: node.id, changes: added };
  const joined = connect(apply(board, added), catalog, from, { nodeId: node.id, handle: port });
  return { id: node.id, changes: [...added, ...joined] };
}

/** Creates a node of a type with a free id. */
export function toNode(board: Board, entry: CatalogEntry): GraphNode {
  const [, name = 'node'] = entry.nodeType.split(':');
  const category = CATEGORIES.find(known => known === entry.category) ?? 'model';
  const same = board.nodes.filter(({ data }) => data.label.replace(/ \d+$/, '') === entry.label).length;
  return {
    id: freeId(board, name.replaceAll('_', '-')),
    type: entry.customNodeType ?? 'basedNode',
    position: { x: 0, y: 0 },
    data: {
      label: same === 0 ? entry.label : `${entry.label} ${same + 1}`,
      category,
      nodeType: entry.nodeType,
      config: {},
    },
  };
}

// Avoids the exact position of another node.
function findFreePosition(board: Board, wanted: Position): Position {
  const isTaken = ({ x, y }: Position): boolean =>
    board.nodes.some(
      ({ position }) => Math.abs(position.x - x) < GAP / 2 && Math.abs(position.y - y) < GAP / 2,
    );
  let free = wanted;
  for (let tries = 0; tries < board.nodes.length && isTaken(free); tries++)
    free = { x: free.x + GAP, y: free.y + GAP };
  return free;
}

const round = ({ x, y }: Position): Position => ({ x: Math.round(x), y: Math.round(y) });
