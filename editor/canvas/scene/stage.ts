// What the canvas shows at this moment and React does not know of: the view, what is dragged, what the pointer is over. It
// changes many times a second, so it is no state of a component: whoever changes it asks for the next frame.

import type { Viewport } from './painting.ts';
import { NO_PLACES, type Places, type Scene } from './scene.ts';

export interface Size {
  readonly width: number;
  readonly height: number;
}

interface Moment {
  readonly scene: Scene;
  readonly viewport: Viewport;
  readonly size: Size;
  /** Where nodes are while they are dragged. */
  readonly places: Places;
  /** The hand holds the ground of the board. */
  readonly isHeld: boolean;
  /** The view is held, or it or what is dragged has moved a moment ago: whatever takes its time waits. */
  readonly isMoving: boolean;
  /** Nodes that are in the page; the others are painted. */
  readonly mounted: ReadonlySet<string>;
  /** The node that is to get the focus once it is in the page. */
  readonly awaited: string | undefined;
  /** The edge under the pointer. */
  readonly hovered: string | undefined;
  /** The edge that would take the dragged node. */
  readonly taking: string | undefined;
}

type Listener = (changed: Partial<Moment>) => void;

const MOVES = ['viewport', 'places', 'isHeld'] as const;
/** Longer than a person pauses between two turns of the wheel. */
const REST_MS = 200;

export class Stage {
  #now: Moment = {
    scene: { boxes: [], byId: new Map(), curves: [] },
    viewport: { x: 0, y: 0, zoom: 1 },
    size: { width: 0, height: 0 },
    places: NO_PLACES,
    isHeld: false,
    isMoving: false,
    mounted: new Set(),
    awaited: undefined,
    hovered: undefined,
    taking: undefined,
  };
  readonly #listeners = new Set<Listener>();
  #rest: ReturnType<typeof setTimeout> | undefined;

  get now(): Moment {
    return this.#now;
  }

  set(change: Partial<Moment>): void {
    const isMove = MOVES.some(key => change[key] !== undefined);
    const all = isMove ? { ...change, isMoving: true } : change;
    this.#now = { ...this.#now, ...all };
    for (const listener of this.#listeners) listener(all);
    if (!isMove) return;
    clearTimeout(this.#rest);
    if (!this.#now.isHeld) this.#rest = setTimeout(() => this.set({ isMoving: false }), REST_MS);
  }

  /** Calls back at each change; a listener that draws waits for the next frame itself. */
  watch(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

/** Runs `draw` once in the next frame, however often it is asked for. */
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
