// Holds the canvas state that changes many times a second, and is therefore not React state: the view, the positions of
// dragged nodes, and the hovered edge.

import type { Viewport } from './painting.ts';
import { type BoardScene, NO_POSITIONS, type Positions } from './scene.ts';

export interface Size {
  readonly width: number;
  readonly height: number;
}

interface FrameState {
  readonly scene: BoardScene;
  readonly viewport: Viewport;
  readonly size: Size;
  /** Positions of nodes while they are dragged. */
  readonly positions: Positions;
  /** Whether the user is panning. */
  readonly isPanning: boolean;
  /** Whether the view or a node moves, or moved a moment ago. Expensive work waits until this is false. */
  readonly isMoving: boolean;
  /** Mounted nodes. All other nodes are painted. */
  readonly mounted: ReadonlySet<string>;
  /** The node to focus once it is mounted. */
  readonly focusTarget: string | undefined;
  /** The edge under the pointer. */
  readonly hoveredEdgeId: string | undefined;
  /** The edge into which the dragged node would be inserted. */
  readonly dropEdgeId: string | undefined;
}

type Listener = (changed: Partial<FrameState>) => void;

const MOVE_KEYS = ['viewport', 'positions', 'isPanning'] as const;
/** Longer than the pause between two events of a mouse wheel. */
const REST_MS = 200;

export class RenderState {
  #now: FrameState = {
    scene: { nodes: [], byId: new Map(), edges: [] },
    viewport: { x: 0, y: 0, zoom: 1 },
    size: { width: 0, height: 0 },
    positions: NO_POSITIONS,
    isPanning: false,
    isMoving: false,
    mounted: new Set(),
    focusTarget: undefined,
    hoveredEdgeId: undefined,
    dropEdgeId: undefined,
  };
  readonly #listeners = new Set<Listener>();
  #restTimer: ReturnType<typeof setTimeout> | undefined;

  get now(): FrameState {
    return this.#now;
  }

  set(change: Partial<FrameState>): void {
    const isMove = MOVE_KEYS.some(key => change[key] !== undefined);
    const fullChange = isMove ? { ...change, isMoving: true } : change;
    this.#now = { ...this.#now, ...fullChange };
    for (const listener of this.#listeners) listener(fullChange);
    if (!isMove) return;
    clearTimeout(this.#restTimer);
    if (!this.#now.isPanning) this.#restTimer = setTimeout(() => this.set({ isMoving: false }), REST_MS);
  }

  /** Calls back on each change. Use `oncePerFrame` to draw. Returns an unsubscribe function. */
  watch(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

/** Runs `draw` once in the next frame, no matter how often it is requested. */
export function oncePerFrame(draw: () => void): { request(): void; cancel(): void } {
  let frame: number | undefined;
  return {
    request: () => {
      frame ??= requestAnimationFrame(() => {
        frame = undefined;
        draw();
      });
    },
    cancel: () => {
      if (frame !== undefined) cancelAnimationFrame(frame);
      frame = undefined;
    },
  };
}
