// Defines what pointer gestures work with: the board, the render state, and the canvas element.
import type { ReactFlowInstance } from '@xyflow/react';
import type { Position } from '../../../src/graph/types.ts';
import type { EditorContextValue } from '../../runs/editor-context.tsx';
import type { CardNode } from '../model.ts';
import type { Guide } from '../painter/guides.ts';
import type { RenderState } from '../painter/render-state.ts';
import type { Bend, Rect } from '../painter/scene.ts';

export interface PointerContext {
  readonly editor: EditorContextValue;
  readonly renderState: RenderState;
  readonly flow: ReactFlowInstance<CardNode>;
  readonly root: HTMLElement;
  /** Guides and selection areas drawn over the board during a gesture. */
  readonly overlay: GestureOverlay;
}

export interface GestureOverlay {
  guides(guides: readonly Guide[]): void;
  /** A closed line, in board coordinates. */
  area(line: readonly Position[]): void;
  /** The connection that is being drawn. */
  pendingEdge(bend: Bend): void;
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
  /** The pointer was released. */
  end(event: PointerEvent): void;
  /** The gesture was aborted: restores the previous state. */
  cancel(): void;
}

export const rectOf = (one: Position, other: Position): Rect => ({
  x: Math.min(one.x, other.x),
  y: Math.min(one.y, other.y),
  width: Math.abs(one.x - other.x),
  height: Math.abs(one.y - other.y),
});
