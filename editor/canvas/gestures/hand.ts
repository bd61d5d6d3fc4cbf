// What a gesture of the pointer has to do with: the board, the stage, and the page's element of the canvas.
import type { ReactFlowInstance } from '@xyflow/react';
import type { Position } from '../../../src/graph/types.ts';
import type { EditorContextValue } from '../../board/editor-context.tsx';
import type { CardNode } from '../model.ts';
import type { Guide } from '../scene/guides.ts';
import type { Bend, Rect } from '../scene/scene.ts';
import type { Stage } from '../scene/stage.ts';

export interface Hand {
  readonly editor: EditorContextValue;
  readonly stage: Stage;
  readonly flow: ReactFlowInstance<CardNode>;
  readonly root: HTMLElement;
  /** Lines and areas that are drawn over the board while a gesture goes on. */
  readonly sketch: Sketch;
}

export interface Sketch {
  guides(guides: readonly Guide[]): void;
  /** A closed line, in places of the board. */
  area(line: readonly Position[]): void;
  /** The edge that is being drawn. */
  wire(bend: Bend): void;
  clear(): void;
}

/** The place of the board under a point of the screen. */
export function placeAt({ stage, root }: Hand, { clientX, clientY }: PointerEvent | MouseEvent): Position {
  const { left, top } = root.getBoundingClientRect();
  const { x, y, zoom } = stage.now.viewport;
  return { x: (clientX - left - x) / zoom, y: (clientY - top - y) / zoom };
}

/** A gesture under way. */
export interface Gesture {
  move(place: Position, event: PointerEvent): void;
  /** The button or finger was released. */
  end(event: PointerEvent): void;
  /** It was broken off: everything is as before. */
  cancel(): void;
}

export const rectOf = (one: Position, other: Position): Rect => ({
  x: Math.min(one.x, other.x),
  y: Math.min(one.y, other.y),
  width: Math.abs(one.x - other.x),
  height: Math.abs(one.y - other.y),
});
