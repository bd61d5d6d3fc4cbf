// Resizes notes and groups by dragging a corner. One drag is one undo step.
import { useReactFlow } from '@xyflow/react';
import { type KeyboardEvent, type PointerEvent, useRef } from 'react';
import type { GraphNode } from '../../src/graph/types.ts';
import { resize } from '../board/edits.ts';
import { messages } from '../flow-messages.ts';
import { useEditor } from '../runs/editor-context.tsx';
import styles from './note.module.css';

const MIN = { width: 120, height: 60 };
const STEP = 16;
const ARROWS: Readonly<Record<string, readonly [width: number, height: number]>> = {
  ArrowLeft: [-STEP, 0],
  ArrowRight: [STEP, 0],
  ArrowUp: [0, -STEP],
  ArrowDown: [0, STEP],
};

export function Resizer({ node }: { readonly node: GraphNode }) {
  const { store } = useEditor().session;
  const flow = useReactFlow();
  const commit = ({ width, height }: Size, key?: string): void =>
    store.actions.perform(
      messages.flow.edits.resize,
      resize(store.getState().board, node.id, {
        width: Math.max(MIN.width, Math.round(width)),
        height: Math.max(MIN.height, Math.round(height)),
      }),
      key,
    );
  const sizeNow = (): Size => {
    const { width = MIN.width, height = MIN.height } = flow.getNode(node.id) ?? {};
    return { width, height };
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const [width, height] = ARROWS[event.key] ?? [0, 0];
    if (width === 0 && height === 0) return;
    event.preventDefault();
    event.stopPropagation();
    const now = sizeNow();
    commit({ width: now.width + width, height: now.height + height }, `resize ${node.id}`);
  };
  return (
    <button
      type="button"
      className={`${styles.resizer} nopan`}
      aria-label={messages.flow.resizeOf(node.data.label)}
      onKeyDown={onKeyDown}
      {...usePull({ sizeNow, commit, zoomNow: flow.getZoom })}
    />
  );
}

interface Pulling {
  readonly sizeNow: () => Size;
  readonly zoomNow: () => number;
  readonly commit: (size: Size) => void;
}

/** Only the element follows the pointer; the board changes on release. */
function usePull({ sizeNow, zoomNow, commit }: Pulling) {
  const pull = useRef<Pull>(undefined);
  return {
    onPointerDown: ({ button, currentTarget, pointerId, clientX, clientY }: Pointed): void => {
      if (button !== 0) return;
      currentTarget.setPointerCapture(pointerId);
      pull.current = { from: sizeNow(), x: clientX, y: clientY, size: sizeNow() };
    },
    onPointerMove: ({ currentTarget, clientX, clientY }: Pointed): void => {
      const begun = pull.current;
      const element = currentTarget.closest<HTMLElement>('.react-flow__node');
      if (begun === undefined || element === null) return;
      const width = Math.max(MIN.width, begun.from.width + (clientX - begun.x) / zoomNow());
      const height = Math.max(MIN.height, begun.from.height + (clientY - begun.y) / zoomNow());
      element.style.width = `${width}px`;
      element.style.height = `${height}px`;
      pull.current = { ...begun, size: { width, height } };
    },
    onPointerUp: (): void => {
      if (pull.current !== undefined) commit(pull.current.size);
      pull.current = undefined;
    },
  };
}

type Pointed = PointerEvent<HTMLButtonElement>;

interface Size {
  readonly width: number;
  readonly height: number;
}

interface Pull {
  readonly from: Size;
  readonly x: number;
  readonly y: number;
  readonly size: Size;
}
