// The board as it is drawn: the scene of all of it for the painter, and the nodes that are in the page for React Flow.
import { useEffect, useLayoutEffect, useMemo, useState } from 'react';
import { useBoard, useEditor, useView } from '../board/editor-context.tsx';
import { type CardNode, Model } from './model.ts';
import { A_FRAME, FAR_ZOOM, FEW, nextMounted } from './scene/mounting.ts';
import { makeScene, type Scene } from './scene/scene.ts';
import { oncePerFrame, type Stage } from './scene/stage.ts';

export function useScene(): { readonly scene: Scene; readonly model: Model } {
  const { session } = useEditor();
  const model = useMemo(() => new Model(session.catalog), [session]);
  const nodes = useBoard(({ board }) => board.nodes);
  const edges = useBoard(({ board }) => board.edges);
  const collapsed = useView(view => view.collapsed);
  const scene = useMemo(() => {
    // Edges first: they say which ports nodes have to show in addition to their own.
    const wires = model.wires({ nodes, edges });
    return makeScene(model.cards(nodes), wires, collapsed);
  }, [model, nodes, edges, collapsed]);
  return { scene, model };
}

/** While the view moves one node is put in in so many frames. */
const REST_FRAMES = 3;
/** The view rests when it has not moved for so long. */
const STILL_MS = 120;

/** The nodes that are in the page: all of a small board, and of a large one those that are near enough to be read. */
export function useMounted(stage: Stage, scene: Scene, model: Model): CardNode[] {
  const { view } = useEditor();
  const selection = useBoard(state => state.selection);
  const isSmall = scene.boxes.length <= FEW;
  const [near, setNear] = useState<ReadonlySet<string>>(() => new Set());
  const all = useMemo(() => new Set(scene.boxes.map(({ id }) => id)), [scene]);
  const mounted = isSmall ? all : near;
  useLayoutEffect(() => stage.set({ scene, mounted }), [stage, scene, mounted]);
  useEffect(() => {
    let movedAt = 0;
    let frames = 0;
    const step = (): void => {
      const isFar = stage.now.viewport.zoom < FAR_ZOOM;
      if (view.getState().isFar !== isFar) view.setState({ isFar });
      const isMoving = performance.now() - movedAt < STILL_MS;
      frames++;
      const count = isMoving ? (frames % REST_FRAMES === 0 ? 1 : 0) : A_FRAME;
      const next = nextMounted(stage, { pinned: pinnedNodes(view.getState().connecting?.nodeId), count });
      if (next === stage.now.mounted) return;
      setNear(next);
    };
    const frame = oncePerFrame(step);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = stage.watch(({ viewport }) => {
      frame.request();
      if (viewport === undefined) return;
      movedAt = performance.now();
      clearTimeout(timer);
      timer = setTimeout(frame.request, STILL_MS + 1);
    });
    frame.request();
    return () => {
      stop();
      clearTimeout(timer);
      frame.cancel();
    };
  }, [stage, view]);
  return useMemo(
    () =>
      scene.boxes
        .filter(({ id }) => mounted.has(id))
        .map(({ id, card }) => model.shown(card, selection.has(id))),
    [scene, mounted, model, selection],
  );
}

function pinnedNodes(connecting: string | undefined): ReadonlySet<string> {
  const focused = document.activeElement?.closest<HTMLElement>('[data-node-id]')?.dataset.nodeId;
  return new Set([connecting, focused].filter(id => id !== undefined));
}
