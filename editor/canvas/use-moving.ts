// Dragging and selecting: while nodes are dragged only their places on the screen change; dropping them is one gesture.
import type { EdgeChange, NodeChange } from '@xyflow/react';
import { useRef, useState } from 'react';
import type { Position } from '../../src/graph/types.ts';
import type { Board } from '../board/board.ts';
import { useEditor } from '../board/editor-context.tsx';
import { childrenOf, move } from '../board/edits.ts';
import { messages } from '../messages.ts';
import type { CardNode, Wire } from './model.ts';

const NOWHERE: ReadonlyMap<string, Position> = new Map();

export function useMoving() {
  const { session } = useEditor();
  const { store } = session;
  const [positions, setPositions] = useState(NOWHERE);
  const current = useRef(NOWHERE);
  const onNodesChange = (changes: NodeChange<CardNode>[]): void => {
    select(store.getState().selection, changes, store.actions.select);
    const moved = changes.flatMap(change =>
      change.type === 'position' && change.position !== undefined && change.dragging
        ? [[change.id, change.position] as const]
        : [],
    );
    if (moved.length === 0) return;
    current.current = withChildren(store.getState().board, new Map([...current.current, ...moved]));
    setPositions(current.current);
  };
  const onEdgesChange = (changes: EdgeChange<Wire>[]): void =>
    select(store.getState().selection, changes, store.actions.select);
  const drop = (): void => {
    const places = new Map(
      [...current.current].map(([id, { x, y }]) => [id, { x: Math.round(x), y: Math.round(y) }]),
    );
    current.current = NOWHERE;
    setPositions(NOWHERE);
    store.actions.perform(messages.flow.gestures.move(places.size), move(store.getState().board, places));
  };
  return {
    positions,
    handlers: { onNodesChange, onEdgesChange, onNodeDragStop: drop, onSelectionDragStop: drop },
  };
}

function select(
  selection: ReadonlySet<string>,
  changes: readonly (NodeChange<CardNode> | EdgeChange<Wire>)[],
  report: (ids: Iterable<string>) => void,
): void {
  const chosen = changes.filter(change => change.type === 'select');
  if (chosen.length === 0) return;
  const next = new Set(selection);
  for (const { id, selected } of chosen) {
    if (selected) next.add(id);
    else next.delete(id);
  }
  report(next);
}

// A group's nodes go where it goes, unless they are dragged themselves.
function withChildren(board: Board, places: ReadonlyMap<string, Position>): ReadonlyMap<string, Position> {
  const all = new Map(places);
  const byId = new Map(board.nodes.map(node => [node.id, node]));
  const dragged = new Set(places.keys());
  for (const [id, { x, y }] of all) {
    const group = byId.get(id);
    if (group === undefined) continue;
    for (const child of childrenOf(group)) {
      const node = byId.get(child);
      if (node === undefined || (dragged.has(child) && isDirect(child, places))) continue;
      all.set(child, {
        x: node.position.x + x - group.position.x,
        y: node.position.y + y - group.position.y,
      });
    }
  }
  return all;
}

const isDirect = (id: string, places: ReadonlyMap<string, Position>): boolean => places.has(id);
