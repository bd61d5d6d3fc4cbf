// Keeps the nodes in view while the size of the canvas, or of the board, changes.
import { useReactFlow } from '@xyflow/react';
import { type RefObject, useCallback, useEffect } from 'react';
import { useEditor } from '../session/editor-context.tsx';
import type { FlowNode } from './card-cache.ts';
import { getVisibleRect } from './painter/painting.ts';
import { oncePerFrame, type RenderState, type Size } from './painter/render-state.ts';
import { contains, getBounds, intersects } from './painter/scene.ts';
import { fitViewport, panToShow } from './viewports.ts';

/**
 * Returns a callback that keeps the selected nodes visible when the canvas has become smaller, mostly because their
 * inspector opened.
 */
export function useKeepVisible(
  renderState: RenderState,
  root: RefObject<HTMLDivElement | null>,
): (before: Size) => void {
  const { store } = useEditor().session;
  const flow = useReactFlow<FlowNode>();
  return useCallback(
    before => {
      const { size, viewport, scene } = renderState.now;
      const isSmaller = size.width < before.width || size.height < before.height;
      // The view does not move under a pressed pointer.
      if (!isSmaller || root.current?.matches(':active')) return;
      const bounds = getBounds(scene, [...store.getState().selection]);
      if (bounds === undefined || !intersects(getVisibleRect(viewport, before), bounds)) return;
      const shown = panToShow(bounds, viewport, size);
      if (shown !== undefined && shown !== viewport) void flow.setViewport(shown);
    },
    [renderState, root, store, flow],
  );
}

/**
 * Fits the view again while the results of the nodes and the bars below the board arrive, until the user does something
 * or the view was moved.
 */
export function useInitialFit(renderState: RenderState): void {
  const flow = useReactFlow<FlowNode>();
  useEffect(() => {
    const controller = new AbortController();
    let fitted = renderState.now.viewport;
    const fit = oncePerFrame(() => {
      const { scene, size, viewport } = renderState.now;
      const bounds = getBounds(scene);
      if (viewport.x !== fitted.x || viewport.y !== fitted.y || viewport.zoom !== fitted.zoom)
        controller.abort();
      else if (bounds !== undefined && !contains(getVisibleRect(viewport, size), bounds)) {
        fitted = fitViewport(bounds, size);
        void flow.setViewport(fitted);
      }
    });
    const unsubscribe = renderState.watch(({ scene, size }) => {
      if (scene !== undefined || size !== undefined) fit.request();
    });
    controller.signal.addEventListener('abort', () => {
      unsubscribe();
      fit.cancel();
    });
    const options = { capture: true, passive: true, signal: controller.signal };
    for (const type of ['pointerdown', 'pointermove', 'wheel', 'keydown'] as const)
      window.addEventListener(type, () => controller.abort(), options);
    return () => controller.abort();
  }, [renderState, flow]);
}
