// Pins results to nodes. A pin is the id of an execution in the node's data, and is sent with each run.
import { isBypassed } from '../../../src/graph/bypass.ts';
import type { GraphNode } from '../../../src/graph/types.ts';
import type { Board, Change } from '../../board/board.ts';
import { replaceNodes } from '../../board/edits.ts';

/** Returns the execution whose result the node uses, or undefined if the node runs. */
export function getPin({ data }: GraphNode): string | undefined {
  return typeof data.pinnedRun === 'string' ? data.pinnedRun : undefined;
}

/** Returns the pins of the nodes that run, as part of a run request. */
export function getPins({ nodes }: Board): { readonly pins?: Readonly<Record<string, string>> } {
  const pins = nodes.flatMap(node => {
    const executionId = getPin(node);
    return executionId === undefined || isBypassed(node) ? [] : [[node.id, executionId] as const];
  });
  return pins.length === 0 ? {} : { pins: Object.fromEntries(pins) };
}

/** Pins the result of the execution to the node. Without an execution, unpins the node. */
export function setPin(board: Board, nodeId: string, executionId: string | undefined): readonly Change[] {
  return replaceNodes(board, [nodeId], node => {
    const { pinnedRun: _, ...data } = node.data;
    return {
      ...node,
      data: (executionId === undefined ? data : { ...data, pinnedRun: executionId }) as typeof node.data,
    };
  });
}
