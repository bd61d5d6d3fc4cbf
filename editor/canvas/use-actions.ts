// Provides the actions of the canvas to the rest of the page.
import { type ReactFlowInstance, useReactFlow } from '@xyflow/react';
import { type RefObject, useEffect } from 'react';
import type { Position } from '../../src/graph/types.ts';
import { type CanvasActions, useEditor } from '../session/editor-context.tsx';
import type { FlowNode } from './card-cache.ts';
import { getVisibleRect } from './painter/painting.ts';
import type { RenderState } from './painter/render-state.ts';
import { getBounds } from './painter/scene.ts';
import { fitViewport } from './zoom-bar.tsx';

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

const READABLE_ZOOM = 0.6;

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
    focusNode: id => {
      let isCentered = false;
      const find = (): HTMLElement | null => {
        const element = findElement(id);
        if (element !== null && (isCentered || isInside(element, root.current))) return element;
        const node = renderState.now.scene.byId.get(id);
        if (node === undefined || isCentered) return null;
        isCentered = true;
        const zoom = Math.max(renderState.now.viewport.zoom, READABLE_ZOOM);
        void flow.setCenter(node.x + node.width / 2, node.y + node.height / 2, { zoom });
        return findElement(id);
      };
      const element = find();
      renderState.set({ focusTarget: element === null ? id : undefined });
      if (element === null) focusWhenMounted(find);
      else element.focus({ preventScroll: true });
    },
  };
}

/** Returns the duration of an animation, or 0 if the user prefers reduced motion. */
const animationMs = (ms: number): number => (matchMedia('(prefers-reduced-motion: reduce)').matches ? 0 : ms);

function isInside(element: HTMLElement, root: HTMLElement | null): boolean {
  const elementRect = element.getBoundingClientRect();
  const rootRect = root?.getBoundingClientRect() ?? new DOMRect();
  return (
    elementRect.left >= rootRect.left &&
    elementRect.right <= rootRect.right &&
    elementRect.top >= rootRect.top &&
    elementRect.bottom <= rootRect.bottom
  );
}

const FOCUS_TRIES = 30;

// Focuses a node when a later frame mounts it.
function focusWhenMounted(find: () => HTMLElement | null, tries = FOCUS_TRIES): void {
  requestAnimationFrame(() => {
    const element = find();
    if (element !== null) element.focus({ preventScroll: true });
    else if (tries > 0) focusWhenMounted(find, tries - 1);
  });
}
