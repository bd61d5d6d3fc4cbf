// Resizes notes and groups by dragging a corner. One drag is one undo step.
import { useReactFlow } from '@xyflow/react';
import { type KeyboardEvent, type PointerEvent, useRef } from 'react';
import type { GraphNode } from '../../src/graph/types.ts';
import { resize } from '../board/edits.ts';
import { messages } from '../flow-messages.ts';
import { useEditor } from '../session/editor-context.tsx';
import styles from './note.module.css';

const MIN_SIZE = { width: 120, height: 60 };
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
        width: Math.max(MIN_SIZE.width, Math.round(width)),
        height: Math.max(MIN_SIZE.height, Math.round(height)),
      }),
      key,
    );
  const getSize = (): Size => {
    const { width = MIN_SIZE.width, height = MIN_SIZE.height } = flow.getNode(node.id) ?? {};
    return { width, height };
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const [width, height] = ARROWS[event.key] ?? [0, 0];
    if (width === 0 && height === 0) return;
    event.preventDefault();
    event.stopPropagation();
    const size = getSize();
    commit({ width: size.width + width, height: size.height + height }, `resize ${node.id}`);
  };
  return (
    <button
      type="button"
      className={`${styles.resizer} nopan`}
      aria-label={messages.flow.resizeOf(node.data.label)}
      onKeyDown={onKeyDown}
      {...useResizeHandle({ getSize, commit, getZoom: flow.getZoom })}
    />
  );
}

interface ResizeOptions {
  readonly getSize: () => Size;
  readonly getZoom: () => number;
  readonly commit: (size: Size) => void;
}

/** Resizes the element while dragging, and the board on release. */
function useResizeHandle({ getSize, getZoom, commit }: ResizeOptions) {
  const resize = useRef<ResizeState>(undefined);
  return {
    onPointerDown: ({ button, currentTarget, pointerId, clientX, clientY }: HandleEvent): void => {
      if (button !== 0) return;
      currentTarget.setPointerCapture(pointerId);
      resize.current = { startSize: getSize(), x: clientX, y: clientY, size: getSize() };
    },
    onPointerMove: ({ currentTarget, clientX, clientY }: HandleEvent): void => {
      const state = resize.current;
      const element = currentTarget.closest<HTMLElement>('.react-flow__node');
      if (state === undefined || element === null) return;
      const width = Math.max(MIN_SIZE.width, state.startSize.width + (clientX - state.x) / getZoom());
      const height = Math.max(MIN_SIZE.height, state.startSize.height + (clientY - state.y) / getZoom());
      setSize(element, { width, height });
      resize.current = { ...state, size: { width, height } };
    },
    onPointerUp: (): void => {
      if (resize.current !== undefined) commit(resize.current.size);
      resize.current = undefined;
    },
    onPointerCancel: ({ currentTarget }: HandleEvent): void => {
      const element = currentTarget.closest<HTMLElement>('.react-flow__node');
      if (resize.current !== undefined && element !== null) setSize(element, resize.current.startSize);
      resize.current = undefined;
    },
  };
}

function setSize({ style }: HTMLElement, { width, height }: Size): void {
  style.width = `${width}px`;
  style.height = `${height}px`;
}

type HandleEvent = PointerEvent<HTMLButtonElement>;

interface Size {
  readonly width: number;
  readonly height: number;
}

interface ResizeState {
  readonly startSize: Size;
  readonly x: number;
  readonly y: number;
  readonly size: Size;
}
