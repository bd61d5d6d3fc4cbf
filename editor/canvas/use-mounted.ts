// Builds the scene of the whole board for the painter, and the mounted nodes for React Flow.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { useBoard, useEditor, useView } from '../session/editor-context.tsx';
import { CardCache, type FlowNode } from './card-cache.ts';
import { getNextMounted, SMALL_BOARD_NODES } from './painter/mounting.ts';
import { oncePerFrame, type RenderState } from './painter/render-state.ts';
import { type BoardScene, createScene } from './painter/scene.ts';
import { useResultHeights } from './use-result-heights.ts';

export function useScene(): { readonly scene: BoardScene; readonly cardCache: CardCache } {
  const { session } = useEditor();
  const cardCache = useMemo(() => new CardCache(session.catalog), [session]);
  const nodes = useBoard(({ board }) => board.nodes);
  const edges = useBoard(({ board }) => board.edges);
  const collapsed = useView(view => view.collapsed);
  const resultHeights = useResultHeights();
  const scene = useMemo(() => {
    // Resolves edges first: they determine the missing ports that nodes show.
    const resolvedEdges = cardCache.resolveEdges({ nodes, edges });
    return createScene(cardCache.toFlowNodes(nodes, resultHeights), resolvedEdges, collapsed);
  }, [cardCache, nodes, edges, collapsed, resultHeights]);
  return { scene, cardCache };
}

/** Returns the mounted nodes: all nodes of a small board, and the readable nodes of a large board. */
export function useMountedNodes(
  renderState: RenderState,
  scene: BoardScene,
  cardCache: CardCache,
): FlowNode[] {
  const { view } = useEditor();
  const selection = useBoard(state => state.selection);
  const isSmall = scene.nodes.length <= SMALL_BOARD_NODES;
  const [nearIds, setNearIds] = useState<ReadonlySet<string>>(() => new Set());
  const lastIds = useRef<ReadonlySet<string>>(new Set());
  const allIds = useMemo(() => {
    const isSame =
      lastIds.current.size === scene.nodes.length && scene.nodes.every(({ id }) => lastIds.current.has(id));
    if (!isSame) lastIds.current = new Set(scene.nodes.map(({ id }) => id));
    return lastIds.current;
  }, [scene]);
  const mounted = isSmall ? allIds : nearIds;
  useLayoutEffect(() => renderState.set({ scene, mounted }), [renderState, scene, mounted]);
  useEffect(() => {
    const updateMounted = (): void => {
      const requiredIds = getRequiredIds(renderState.now.focusTarget, view.getState().connecting?.nodeId);
      const nextIds = getNextMounted(renderState.now, requiredIds);
      if (nextIds !== renderState.now.mounted) setNearIds(nextIds);
    };
    const frame = oncePerFrame(updateMounted);
    const unsubscribe = renderState.watch(frame.request);
    frame.request();
    return () => {
      unsubscribe();
      frame.cancel();
    };
  }, [renderState, view]);
  return useMemo(
    () =>
      scene.nodes
        .filter(({ id }) => mounted.has(id))
        .map(({ id, card }) => cardCache.withSelected(card, selection.has(id))),
    [scene, mounted, cardCache, selection],
  );
}

function getRequiredIds(...ids: readonly (string | undefined)[]): ReadonlySet<string> {
  const focusedId = document.activeElement?.closest<HTMLElement>('[data-node-id]')?.dataset.nodeId;
  return new Set([...ids, focusedId].filter(id => id !== undefined));
}
