// Pins results to nodes: stored in the node as the id of the execution, and sent with each run.
import type { GraphNode } from '../../src/graph/types.ts';
import type { Board, Change } from '../board/board.ts';
import { replaceNodes } from '../board/edits.ts';

/** The execution whose result the node uses; undefined: the node runs. */
export function pinOf({ data }: GraphNode): string | undefined {
  return typeof data.pinnedRun === 'string' ? data.pinnedRun : undefined;
}

/** In the form that a run request expects. */
export function pinsOf({ nodes }: Board): { readonly pins?: Readonly<Record<string, string>> } {
  const pins = nodes.flatMap(node => {
    const executionId = pinOf(node);
    return executionId === undefined ? [] : [[node.id, executionId] as const];
  });
  return pins.length === 0 ? {} : { pins: Object.fromEntries(pins) };
}

/** undefined unpins. */
export function pin(board: Board, nodeId: string, executionId: string | undefined): readonly Change[] {
  return replaceNodes(board, [nodeId], node => {
    const { pinnedRun: _, ...data } = node.data;
    return {
      ...node,
      data: (executionId === undefined ? data : { ...data, pinnedRun: executionId }) as typeof node.data,
    };
  });
}
