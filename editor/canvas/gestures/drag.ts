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
import { boundsOf, intersects, NO_PLACES, type Places, type Rect } from '../painter/scene.ts';
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
  let places = starts;
  const finish = (): void => {
    context.overlay.clear();
    context.renderState.set({ places: NO_PLACES, dropEdge: undefined });
  };
  return {
    move: (place, event) => {
      const wish = { x: place.x - from.x, y: place.y - from.y };
      const by = event.ctrlKey || event.metaKey ? wish : snapped(context, { frame, others, wish });
      places = new Map([...starts].map(([id, { x, y }]) => [id, { x: x + by.x, y: y + by.y }]));
      put(elements, places);
      context.renderState.set({ places, dropEdge: event.altKey ? undefined : edgeTarget.find(place)?.id });
    },
    end: ({ altKey }) => {
      places = new Map([...places].map(([id, { x, y }]) => [id, { x: Math.round(x), y: Math.round(y) }]));
      put(elements, places);
      drop(context, { places, nodeId, isOut: altKey });
      finish();
    },
    cancel: () => {
      put(elements, starts);
      finish();
    },
  };
}

interface Drop {
  readonly places: Places;
  readonly nodeId: string;
  /** Whether the nodes are detached from their edges. */
  readonly isOut: boolean;
}

function drop({ renderState, editor: { session } }: PointerContext, { places, nodeId, isOut }: Drop): void {
  const { store, catalog } = session;
  const { board } = store.getState();
  const edge = board.edges.find(({ id }) => id === renderState.now.dropEdge);
  const inserted = edge && insertIntoEdge(board, catalog, edge, nodeId);
  const rewired = isOut ? detach(board, catalog, [...places.keys()]) : (inserted ?? []);
  const label = labelOf(rewired, { isOut, count: places.size });
  store.actions.perform(label, [...rewired, ...move(apply(board, rewired), places)]);
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
function put(elements: ReadonlyMap<string, HTMLElement>, places: Places): void {
  for (const [id, element] of elements) {
    const { x, y } = places.get(id) ?? { x: 0, y: 0 };
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

function elementsOf({ root }: PointerContext, wanted: Places): ReadonlyMap<string, HTMLElement> {
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

interface Wish {
  readonly frame: Rect | undefined;
  readonly others: readonly Rect[];
  readonly wish: Position;
}

function snapped({ renderState, overlay }: PointerContext, { frame, others, wish }: Wish): Position {
  if (frame === undefined) return wish;
  const dragged = { ...frame, x: frame.x + wish.x, y: frame.y + wish.y };
  const { by, guides } = snap(dragged, others, SNAP_PX / renderState.now.viewport.zoom);
  overlay.guides(guides);
  return { x: wish.x + by.x, y: wish.y + by.y };
}

/** Finds the edge under the pointer that the node can be inserted into. Tests each edge once. */
function createEdgeDropTarget(
  { renderState, editor }: PointerContext,
  nodeId: string | undefined,
): { find(place: Position): GraphEdge | undefined } {
  const { store, catalog } = editor.session;
  const fits = new Map<string, boolean>();
  return {
    find: place => {
      if (nodeId === undefined) return undefined;
      const { scene, viewport, places } = renderState.now;
      const found = curveAt(scene, place, { within: DROP_PX / viewport.zoom, places });
      const { board } = store.getState();
      const edge = found && board.edges.find(({ id }) => id === found.id);
      if (edge === undefined) return undefined;
      const isFit = fits.get(edge.id) ?? insertIntoEdge(board, catalog, edge, nodeId) !== undefined;
      fits.set(edge.id, isFit);
      return isFit ? edge : undefined;
    },
  };
}
