// The run of the board, for the components that show it.
import { useStore } from 'zustand';
import type { NodeState } from '../../sdk/src/types.ts';
import { useEditor } from '../board/editor-context.tsx';
import type { RunState } from './run-store.ts';

export function useRun<T>(select: (state: RunState) => T): T {
  return useStore(useEditor().runs, select);
}

/** What the run did with the node; undefined where none is shown, or it had nothing to do with it. */
export function useNodeRun(nodeId: string): NodeState | undefined {
  return useRun(({ nodes }) => nodes.get(nodeId));
}
