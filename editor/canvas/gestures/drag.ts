// Drags nodes. The board changes only when the pointer is released, as one undo step. With Alt, the nodes are detached from
// their edges. A single node that is dropped on an edge is inserted into it.

import type { Rect } from '../../../src/graph/rects.ts';
import type { GraphEdge, Position } from '../../../src/graph/types.ts';
import { apply, type Board, type Change, findNode } from '../../board/board.ts';
import { move } from '../../board/edits.ts';
import { expandGroups } from '../../board/groups.ts';
import { detachNodes, insertIntoEdge } from '../../board/rewiring.ts';
import { messages } from '../../flow-messages.ts';
import { snap } from '../painter/guides.ts';
import { findEdgeAt } from '../painter/hit-test.ts';
import { getVisibleRect } from '../painter/painting.ts';
import { getBounds, intersects, NO_POSITIONS, type Positions } from '../painter/scene.ts';
import type { Gesture, PointerContext } from './pointer-context.ts';

const SNAP_PX = 5;
const EDGE_DROP_PX = 14;

export function startDrag(context: PointerContext, from: Position, nodeId: string): Gesture {
  const { board, selection } = context.editor.session.store.getState();
  const startPositions = getPositionsWithMembers(board, selection.has(nodeId) ? [...selection] : [nodeId]);
  const bounds = getBounds(context.renderState.now.scene, [...startPositions.keys()]);
  const neighbors = findNeighbors(context, startPositions);
  const elements = findElements(context, startPositions);
  const edgeTarget = createEdgeDropTarget(context, startPositions.size === 1 ? nodeId : undefined);
  let positions = startPositions;
  const finish = (): void => {
    context.overlay.clear();
    context.renderState.set({ positions: NO_POSITIONS, dropEdgeId: undefined });
  };
  return {
    move: (point, event) => {
      const offset = { x: point.x - from.x, y: point.y - from.y };
      const snapped =
        event.ctrlKey || event.metaKey ? offset : snapOffset(context, { bounds, neighbors, offset });
      positions = new Map(
        [...startPositions].map(([id, { x, y }]) => [id, { x: x + snapped.x, y: y + snapped.y }]),
      );
      setPositions(elements, positions);
      context.renderState.set({
        positions,
        dropEdgeId: event.altKey ? undefined : edgeTarget.find(point)?.id,
      });
    },
    end: ({ altKey }) => {
      positions = new Map(
        [...positions].map(([id, { x, y }]) => [id, { x: Math.round(x), y: Math.round(y) }]),
      );
      setPositions(elements, positions);
      drop(context, { positions, nodeId, isDetaching: altKey });
      finish();
    },
    cancel: () => {
      // Another user may have moved the nodes meanwhile.
      const { board: currentBoard } = context.editor.session.store.getState();
      setPositions(elements, getPositionsWithMembers(currentBoard, [...startPositions.keys()]));
      finish();
    },
  };
}

interface Drop {
  readonly positions: Positions;
  readonly nodeId: string;
  /** Whether to detach the nodes from their edges. */
  readonly isDetaching: boolean;
}

function drop(
  { renderState, editor: { session } }: PointerContext,
  { positions, nodeId, isDetaching }: Drop,
): void {
  const { store, catalog } = session;
  const { board } = store.getState();
  const edge = board.edges.find(({ id }) => id === renderState.now.dropEdgeId);
  const inserted = edge && insertIntoEdge(board, catalog, edge, nodeId);
  const rewiring = isDetaching ? detachNodes(board, catalog, [...positions.keys()]) : (inserted ?? []);
  const label = getLabel(rewiring, { isDetaching, count: positions.size });
  store.actions.perform(label, [...rewiring, ...move(apply(board, rewiring), positions)]);
}

const labels = messages.flow.edits;

function getLabel(
  rewiring: readonly Change[],
  { isDetaching, count }: { readonly isDetaching: boolean; readonly count: number },
): string {
  if (rewiring.length === 0) return labels.move(count);
  return isDetaching ? labels.detach : labels.insert;
}

/** Sets positions in the DOM. React does not overwrite them, because it writes only positions that changed. */
function setPositions(elements: ReadonlyMap<string, HTMLElement>, positions: Positions): void {
  for (const [id, element] of elements) {
    const { x, y } = positions.get(id) ?? { x: 0, y: 0 };
    element.style.transform = `translate(${x}px,${y}px)`;
  }
}

/** Returns the positions of the nodes, and of the members of groups among them. */
function getPositionsWithMembers(board: Board, ids: readonly string[]): ReadonlyMap<string, Position> {
  return new Map(
    [...expandGroups(board, ids)].flatMap(id => {
      const node = findNode(board, id);
      return node === undefined ? [] : [[id, node.position] as const];
    }),
  );
}

function findElements({ root }: PointerContext, positions: Positions): ReadonlyMap<string, HTMLElement> {
  const elements = new Map<string, HTMLElement>();
  for (const element of root.querySelectorAll<HTMLElement>('.react-flow__node')) {
    const id = element.dataset.nodeId;
    if (id !== undefined && positions.has(id)) elements.set(id, element);
  }
  return elements;
}

function findNeighbors(
  { renderState }: PointerContext,
  dragged: ReadonlyMap<string, Position>,
): readonly Rect[] {
  const { scene, viewport, size } = renderState.now;
  const view = getVisibleRect(viewport, size);
  return scene.nodes.filter(
    node => !dragged.has(node.id) && node.card.type !== 'group' && intersects(node, view),
  );
}

interface SnapRequest {
  readonly bounds: Rect | undefined;
  readonly neighbors: readonly Rect[];
  readonly offset: Position;
}

function snapOffset(
  { renderState, overlay }: PointerContext,
  { bounds, neighbors, offset }: SnapRequest,
): Position {
  if (bounds === undefined) return offset;
  const dragged = { ...bounds, x: bounds.x + offset.x, y: bounds.y + offset.y };
  const { offset: correction, guides } = snap(dragged, neighbors, SNAP_PX / renderState.now.viewport.zoom);
  overlay.guides(guides);
  return { x: offset.x + correction.x, y: offset.y + correction.y };
}

/** Finds the edge under the pointer if the node can be inserted into it. Caches the result of each edge. */
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
      const sceneEdge = findEdgeAt(scene, point, { maxDistance: EDGE_DROP_PX / viewport.zoom, positions });
      const { board } = store.getState();
      const edge = sceneEdge && board.edges.find(({ id }) => id === sceneEdge.id);
      if (edge === undefined) return undefined;
      const isFit = fits.get(edge.id) ?? insertIntoEdge(board, catalog, edge, nodeId) !== undefined;
      fits.set(edge.id, isFit);
      return isFit ? edge : undefined;
    },
  };
}
