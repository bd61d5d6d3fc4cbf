// Nodes and edges of the board as React Flow takes them.
import { useMemo } from 'react';
import type { Position } from '../../src/graph/types.ts';
import { useBoard, useEditor } from '../board/editor-context.tsx';
import { type CardNode, Model, type Wire } from './model.ts';

export function useShown(moving: ReadonlyMap<string, Position>): {
  readonly nodes: CardNode[];
  readonly edges: Wire[];
} {
  const { session } = useEditor();
  const model = useMemo(() => new Model(session.catalog), [session]);
  const board = useBoard(state => state.board);
  const selection = useBoard(state => state.selection);
  // Edges first: they say which ports nodes have to show beside their own.
  const edges = useMemo(() => model.edges(board, selection), [model, board, selection]);
  const nodes = model.nodes(board, { selection, moving });
  return { nodes, edges };
}
