// Provides the actions of the canvas to the rest of the page.
import { type ReactFlowInstance, useReactFlow } from '@xyflow/react';
import { type RefObject, useEffect } from 'react';
import type { Position } from '../../src/graph/types.ts';
import { type CanvasActions, useEditor } from '../session/editor-context.tsx';
import type { FlowNode } from './card-cache.ts';
import { getVisibleRect } from './painter/painting.ts';
import type { RenderState } from './painter/render-state.ts';
import { getBounds } from './painter/scene.ts';
import { fitViewport, revealViewport } from './viewports.ts';

type Root = RefObject<HTMLDivElement | null>;

export function useActions(root: Root, renderState: RenderState): void {
  const { canvas } = useEditor();
  const flow = useReactFlow<FlowNode>();
  useEffect(() => {
    const pointer = trackPointer(root.current);
    canvas.current = createActions(root, flow, renderState, pointer.getPosition);
    return () => {
      canvas.current = undefined;
      pointer.stop();
    };
  }, [canvas, flow, root, renderState]);
}

/** Tracks the mouse position over the element, in window pixels. It is undefined for touch. */
function trackPointer(element: HTMLElement | null): { getPosition(): Position | undefined; stop(): void } {
  let lastPosition: Position | undefined;
  const controller = new AbortController();
  const options = { signal: controller.signal, passive: true };
  const onMove = ({ clientX: x, clientY: y, pointerType }: PointerEvent): void => {
    lastPosition = pointerType === 'touch' ? undefined : { x, y };
  };
  element?.addEventListener('pointermove', onMove, options);
  element?.addEventListener('pointerleave', () => (lastPosition = undefined), options);
  return { getPosition: () => lastPosition, stop: () => controller.abort() };
}

function createActions(
  root: Root,
  flow: ReactFlowInstance<FlowNode>,
  renderState: RenderState,
  getPointerPosition: () => Position | undefined,
): CanvasActions {
  const getCenter = (): Position => {
    const view = getVisibleRect(renderState.now.viewport, renderState.now.size);
    return { x: view.x + view.width / 2, y: view.y + view.height / 2 };
  };
  const findElement = (id: string): HTMLElement | null =>
    root.current?.querySelector<HTMLElement>(`[data-node-id="${CSS.escape(id)}"]`) ?? null;
  /** Shows the nodes wholly. Returns false if none of them is rendered yet. */
  const show = (ids: readonly string[]): boolean => {
    const bounds = getBounds(renderState.now.scene, ids);
    if (bounds === undefined || root.current === null) return false;
    const { viewport } = renderState.now;
    // A panel that was just opened has already changed the element, but not yet the state.
    const { width, height } = root.current.getBoundingClientRect();
    const shown = revealViewport(bounds, viewport, { width, height });
    if (shown !== viewport) void flow.setViewport(shown);
    return true;
  };
  return {
    getCenter,
    getPointerPosition,
    toScreen: position => flow.flowToScreenPosition(position),
    getPastePosition: () => {
      const pointer = getPointerPosition();
      return pointer === undefined ? getCenter() : flow.screenToFlowPosition(pointer);
    },
    zoomToFit: ids => {
      const viewport = fitViewport(getBounds(renderState.now.scene, ids), renderState.now.size);
      void flow.setViewport(viewport, { duration: animationMs(250) });
    },
    toBoard: point => flow.screenToFlowPosition(point),
    focus: () => root.current?.focus({ preventScroll: true }),
    reveal: ids => retryInFrames(() => show(ids)),
    focusNode: id => {
      let isShown = false;
      const find = (): HTMLElement | null => {
        if (!isShown) isShown = show([id]);
        return findElement(id);
      };
      const element = find();
      renderState.set({ focusTarget: element === null ? id : undefined });
      if (element !== null) element.focus({ preventScroll: true });
      else
        retryInFrames(() => {
          const mounted = find();
          mounted?.focus({ preventScroll: true });
          return mounted !== null;
        });
    },
  };
}

/** Returns the duration of an animation, or 0 if the user prefers reduced motion. */
const animationMs = (ms: number): number => (matchMedia('(prefers-reduced-motion: reduce)').matches ? 0 : ms);

const MAX_FRAMES = 30;

/** Calls back in each of the next frames, in which nodes are rendered and mounted, until it returns true. */
function retryInFrames(act: () => boolean, frames = MAX_FRAMES): void {
  requestAnimationFrame(() => {
    if (!act() && frames > 0) retryInFrames(act, frames - 1);
  });
}
