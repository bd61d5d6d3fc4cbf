// Defines the input of the painter: the board, the visible part, and the states of its nodes.

import type { Rect } from '../../../src/graph/rects.ts';
import type { PaintColors } from './paint-colors.ts';
import type { BoardScene, Positions } from './scene.ts';

export interface Viewport {
  readonly x: number;
  readonly y: number;
  readonly zoom: number;
}

/** The state of a node in the shown run. */
export interface PaintedState {
  readonly status: string;
  /** A thumbnail of the result, once it is loaded. */
  readonly thumbnail?: CanvasImageSource & { readonly width: number; readonly height: number };
}

/** How a planned run treats a node, or how the node differs from the compared version. */
export type StatusOutline = 'run' | 'cached' | 'reused' | 'excluded' | 'added' | 'changed' | 'moved';

export interface PaintInput {
  readonly scene: BoardScene;
  readonly positions: Positions;
  readonly viewport: Viewport;
  readonly size: { readonly width: number; readonly height: number };
  /** Device pixels per CSS pixel. */
  readonly ratio: number;
  readonly selection: ReadonlySet<string>;
  /** Mounted nodes, painted only at far zoom. */
  readonly mounted: ReadonlySet<string>;
  readonly getPaintedState: (id: string) => PaintedState | undefined;
  readonly getOutline: (id: string) => StatusOutline | undefined;
  /** The edge under the pointer, and the edge into which the dragged node would be inserted. */
  readonly highlighted: ReadonlySet<string>;
  readonly colors: PaintColors;
}

/** Returns the visible part of the board, in board coordinates. */
export const getVisibleRect = (
  { x, y, zoom }: Viewport,
  { width, height }: { readonly width: number; readonly height: number },
): Rect => ({ x: -x / zoom, y: -y / zoom, width: width / zoom, height: height / zoom });

/** Below this zoom text is not readable, and all nodes are painted. */
export const FAR_ZOOM = 0.32;
