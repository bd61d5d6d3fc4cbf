// Drags nodes. Only their positions on screen change until the pointer is released, which makes one undo step. Alt
// detaches the nodes from their edges; a single node released over an edge is inserted into it.

import { childrenOf } from '../../../src/graph/edit.ts';
import type { GraphEdge, GraphNode, Position } from '../../../src/graph/types.ts';
import { apply, type Board, type Change, findNode } from '../../board/board.ts';
import { move } from '../../board/edits.ts';
import { detach, insertIntoEdge } from '../../board/rewiring.ts';
import { messages } from '../../flow-messages.ts';
import { snap } from '../painter/guides.ts';
import { curveAt } from '../painter/hit-test.ts';
import { viewOf } from '../painter/painting.ts';
import { boundsOf, intersects, NO_POSITIONS, type Positions, type Rect } from '../painter/scene.ts';
import type { Gesture, PointerContext } from './pointer-context.ts';

const SNAP_PX = 5;
const DROP_PX = 14;

export function startDrag(context: PointerContext, from: Position, nodeId: string): Gesture {
  const { board, selection } = context.editor.session.store.getState();
  const starts = withChildren(board, selection.has(nodeId) ? [...selection] : [nodeId]);
  const frame = boundsOf(context.renderState.now.scene, [...starts.keys()]);
  const others = neighbors(context, starts);
  const elements = elementsOf(context, starts);
  const edgeTarget = createEdgeDropTarget(context, starts.size === 1 ? nodeId : undefined);
  let positions = starts;
  const finish = (): void => {
    context.overlay.clear();
    context.renderState.set({ positions: NO_POSITIONS, dropEdge: undefined });
  };
  return {
    move: (point, event) => {
      const offset = { x: point.x - from.x, y: point.y - from.y };
      const by = event.ctrlKey || event.metaKey ? offset : snapped(context, { frame, others, offset });
      positions = new Map([...starts].map(([id, { x, y }]) => [id, { x: x + by.x, y: y + by.y }]));
      put(elements, positions);
      context.renderState.set({ positions, dropEdge: event.altKey ? undefined : edgeTarget.find(point)?.id });
    },
    end: ({ altKey }) => {
      positions = new Map(
        [...positions].map(([id, { x, y }]) => [id, { x: Math.round(x), y: Math.round(y) }]),
      );
      put(elements, positions);
      drop(context, { positions, nodeId, isOut: altKey });
      finish();
    },
    cancel: () => {
      put(elements, starts);
      finish();
    },
  };
}

interface Drop {
  readonly positions: Positions;
  readonly nodeId: string;
  /** Whether the nodes are detached from their edges. */
  readonly isOut: boolean;
}

function drop(
  { renderState, editor: { session } }: PointerContext,
  { positions, nodeId, isOut }: Drop,
): void {
  const { store, catalog } = session;
  const { board } = store.getState();
  const edge = board.edges.find(({ id }) => id === renderState.now.dropEdge);
  const inserted = edge && insertIntoEdge(board, catalog, edge, nodeId);
  const rewired = isOut ? detach(board, catalog, [...positions.keys()]) : (inserted ?? []);
  const label = labelOf(rewired, { isOut, count: positions.size });
  store.actions.perform(label, [...rewired, ...move(apply(board, rewired), positions)]);
}

const texts = messages.flow.edits;

function labelOf(
  rewired: readonly Change[],
  { isOut, count }: { readonly isOut: boolean; readonly count: number },
): string {
  if (rewired.length === 0) return texts.move(count);
  return isOut ? texts.detach : texts.insert;
}

/** Sets positions directly: React only writes a position that differs from the last one it wrote. */
function put(elements: ReadonlyMap<string, HTMLElement>, positions: Positions): void {
  for (const [id, element] of elements) {
    const { x, y } = positions.get(id) ?? { x: 0, y: 0 };
    element.style.transform = `translate(${x}px,${y}px)`;
  }
}

/** Returns the positions of the nodes and of the children of groups among them. */
function withChildren(board: Board, ids: readonly string[]): ReadonlyMap<string, Position> {
  const all = new Set(ids);
  // The loop also visits ids added during iteration, because groups can be nested.
  for (const id of all) for (const child of childrenOf(findNode(board, id) ?? NOBODY)) all.add(child);
  return new Map(
    [...all].flatMap(id => {
      const node = findNode(board, id);
      return node === undefined ? [] : [[id, node.position] as const];
    }),
  );
}

const NOBODY = { id: '', data: {} } as unknown as GraphNode;

function elementsOf({ root }: PointerContext, wanted: Positions): ReadonlyMap<string, HTMLElement> {
  const found = new Map<string, HTMLElement>();
  for (const element of root.querySelectorAll<HTMLElement>('.react-flow__node')) {
    const id = element.dataset.nodeId;
    if (id !== undefined && wanted.has(id)) found.set(id, element);
  }
  return found;
}

function neighbors({ renderState }: PointerContext, dragged: ReadonlyMap<string, Position>): readonly Rect[] {
  const { scene, viewport, size } = renderState.now;
  const view = viewOf(viewport, size);
  return scene.boxes.filter(
    box => !dragged.has(box.id) && box.card.type !== 'group' && intersects(box, view),
  );
}

interface SnapRequest {
  readonly frame: Rect | undefined;
  readonly others: readonly Rect[];
  readonly offset: Position;
}

function snapped({ renderState, overlay }: PointerContext, { frame, others, offset }: SnapRequest): Position {
  if (frame === undefined) return offset;
  const dragged = { ...frame, x: frame.x + offset.x, y: frame.y + offset.y };
  const { by, guides } = snap(dragged, others, SNAP_PX / renderState.now.viewport.zoom);
  overlay.guides(guides);
  return { x: offset.x + by.x, y: offset.y + by.y };
}

/** Finds the edge under the pointer that the node can be inserted into. Tests each edge once. */
function createEdgeDropTarget(
  { renderState, editor }: PointerContext,
  nodeId: string | undefined,
): { find(point: Position): GraphEdge | undefined } {
  const { store, catalog } = editor.session;
  const fits = new Map<string, boolean>();
  return {
    find: point => {
      if (nodeId === undefined) return undefined;
      const { scene, viewport, positions } = renderState.now;
      const found = curveAt(scene, point, { within: DROP_PX / viewport.zoom, positions });
      const { board } = store.getState();
      const edge = found && board.edges.find(({ id }) => id === found.id);
      if (edge === undefined) return undefined;
      const isFit = fits.get(edge.id) ?? insertIntoEdge(board, catalog, edge, nodeId) !== undefined;
      fits.set(edge.id, isFit);
      return isFit ? edge : undefined;
    },
  };
}
