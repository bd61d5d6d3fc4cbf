// Computes the height of each node's result. The map changes only when a height changes, not with each event of a run.
import { useMemo, useRef } from 'react';
import { useStore } from 'zustand';
import { getDims } from '../../src/graph/dims.ts';
import { isInputNode } from '../../src/graph/input-nodes.ts';
import { useBoard, useEditor, useRun } from '../session/editor-context.tsx';
import { getResultHeight, mediaAspects } from '../session/runs/result-height.ts';
import { getNodeResults } from '../session/runs/results.ts';

export function useResultHeights(): ReadonlyMap<string, number> {
  const { catalog } = useEditor().session;
  const nodes = useBoard(({ board }) => board.nodes);
  const states = useRun(run => run.nodeDisplays);
  const aspects = useStore(mediaAspects);
  const last = useRef<ReadonlyMap<string, number>>(new Map());
  return useMemo(() => {
    const heights = new Map<string, number>();
    for (const node of nodes) {
      const state = states.get(node.id);
      if (state === undefined && !isInputNode(node)) continue;
      const results = getNodeResults(node, state);
      if (results.length > 0)
        heights.set(node.id, getResultHeight(results, getDims(node, catalog).width, aspects));
    }
    const isSame =
      heights.size === last.current.size &&
      [...heights].every(([id, height]) => last.current.get(id) === height);
    if (!isSame) last.current = heights;
    return last.current;
  }, [nodes, states, aspects, catalog]);
}
