// Defines gestures and their context: the board, the render state and the canvas element.
import type { ReactFlowInstance } from '@xyflow/react';
import type { Rect } from '../../../src/graph/rects.ts';
import type { Position } from '../../../src/graph/types.ts';
import type { EditorContextValue } from '../../session/editor-context.tsx';
import type { FlowNode } from '../card-cache.ts';
import type { Guide } from '../painter/guides.ts';
import type { RenderState } from '../painter/render-state.ts';
import type { Bezier } from '../painter/scene.ts';

export interface PointerContext {
  readonly editor: EditorContextValue;
  readonly renderState: RenderState;
  readonly flow: ReactFlowInstance<FlowNode>;
  readonly root: HTMLElement;
  /** Draws guides, selection areas and the pending connection over the board. */
  readonly overlay: GestureOverlay;
}

export interface GestureOverlay {
  guides(guides: readonly Guide[]): void;
  /** Draws a selection area: a closed line in board coordinates. */
  area(line: readonly Position[]): void;
  /** Draws the connection that the user is making. */
  pendingEdge(bezier: Bezier): void;
  clear(): void;
}

/** Converts a point of the screen to board coordinates. */
export function toBoardPosition(
  { renderState, root }: PointerContext,
  { clientX, clientY }: PointerEvent | MouseEvent,
): Position {
  const { left, top } = root.getBoundingClientRect();
  const { x, y, zoom } = renderState.now.viewport;
  return { x: (clientX - left - x) / zoom, y: (clientY - top - y) / zoom };
}

/** A gesture in progress. */
export interface Gesture {
  move(point: Position, event: PointerEvent): void;
  /** Completes the gesture when the pointer is released. */
  end(event: PointerEvent): void;
  /** Restores the state before the gesture. */
  cancel(): void;
}

export const toRect = (a: Position, b: Position): Rect => ({
  x: Math.min(a.x, b.x),
  y: Math.min(a.y, b.y),
  width: Math.abs(a.x - b.x),
  height: Math.abs(a.y - b.y),
});
