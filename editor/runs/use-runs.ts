// Provides the shown run to components.
import { useStore } from 'zustand';
import type { NodeState } from '../../sdk/src/types.ts';
import { useEditor } from './editor-context.tsx';
import type { RunState } from './run-store.ts';

export function useRun<T>(select: (state: RunState) => T): T {
  return useStore(useEditor().runs, select);
}

/** The state of the node in the shown run; undefined if there is none. */
export function useNodeRun(nodeId: string): NodeState | undefined {
  return useRun(({ nodes }) => nodes.get(nodeId));
}
