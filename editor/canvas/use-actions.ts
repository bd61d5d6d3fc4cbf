// What the other parts of the page can have the canvas do.
import { type ReactFlowInstance, useReactFlow } from '@xyflow/react';
import { type RefObject, useEffect } from 'react';
import { type CanvasActions, type EditorContextValue, useEditor } from '../board/editor-context.tsx';
import type { CardNode, Wire } from './model.ts';

type Root = RefObject<HTMLDivElement | null>;

export function useActions(root: Root): void {
  const { canvas, session } = useEditor();
  const flow = useReactFlow<CardNode, Wire>();
  useEffect(() => {
    canvas.current = createActions(root, flow, session);
    return () => {
      canvas.current = undefined;
    };
  }, [canvas, flow, root, session]);
}

const READABLE_ZOOM = 0.6;

function createActions(
  root: Root,
  flow: ReactFlowInstance<CardNode, Wire>,
  { store }: EditorContextValue['session'],
): CanvasActions {
  const elementOf = (id: string): HTMLElement | null =>
    root.current?.querySelector<HTMLElement>(`[data-node-id="${CSS.escape(id)}"]`) ?? null;
  return {
    center: () => {
      const { left, top, width, height } = root.current?.getBoundingClientRect() ?? new DOMRect();
      return flow.screenToFlowPosition({ x: left + width / 2, y: top + height / 2 });
    },
    fit: ids =>
      void flow.fitView({
        padding: 0.15,
        maxZoom: 1,
        duration: calm(250),
        ...(ids === undefined ? {} : { nodes: ids.map(id => ({ id })) }),
      }),
    focus: () => root.current?.focus({ preventScroll: true }),
    focusNode: id => {
      const node = store.getState().board.nodes.find(other => other.id === id);
      if (node === undefined) return;
      const element = elementOf(id);
      if (element !== null && isInside(element, root.current)) {
        element.focus({ preventScroll: true });
        return;
      }
      const { width = 260, height = 120 } = flow.getNode(id) ?? {};
      const { x, y } = node.position;
      void flow.setCenter(x + width / 2, y + height / 2, { zoom: Math.max(flow.getZoom(), READABLE_ZOOM) });
      focusLater(() => elementOf(id));
    },
  };
}

/** Milliseconds of a movement, or none where the reader asked for little motion. */
const calm = (ms: number): number => (matchMedia('(prefers-reduced-motion: reduce)').matches ? 0 : ms);

function isInside(element: HTMLElement, root: HTMLElement | null): boolean {
  const inner = element.getBoundingClientRect();
  const outer = root?.getBoundingClientRect() ?? new DOMRect();
  return (
    inner.left >= outer.left &&
    inner.right <= outer.right &&
    inner.top >= outer.top &&
    inner.bottom <= outer.bottom
  );
}

const FOCUS_TRIES = 30;

// A node out of view is not in the page before the next frames.
function focusLater(find: () => HTMLElement | null, tries = FOCUS_TRIES): void {
  requestAnimationFrame(() => {
    const element = find();
    if (element !== null) element.focus({ preventScroll: true });
    else if (tries > 0) focusLater(find, tries - 1);
  });
}
