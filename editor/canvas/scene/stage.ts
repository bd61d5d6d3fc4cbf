// What the canvas shows at this moment and React does not know of: the view, what is dragged, what the pointer is over. It
// changes many times a second, so it is no state of a component: whoever changes it asks for the next frame.

import type { Viewport } from './paint.ts';
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
  /** Nodes that are in the page; the others are painted. */
  readonly mounted: ReadonlySet<string>;
  /** The edge under the pointer. */
  readonly hovered: string | undefined;
  /** The edge that would take the dragged node. */
  readonly taking: string | undefined;
}

type Listener = (changed: Partial<Moment>) => void;

export class Stage {
  #now: Moment = {
    scene: { boxes: [], byId: new Map(), curves: [] },
    viewport: { x: 0, y: 0, zoom: 1 },
    size: { width: 0, height: 0 },
    places: NO_PLACES,
    mounted: new Set(),
    hovered: undefined,
    taking: undefined,
  };
  readonly #listeners = new Set<Listener>();

  get now(): Moment {
    return this.#now;
  }

  set(change: Partial<Moment>): void {
    this.#now = { ...this.#now, ...change };
    for (const listener of this.#listeners) listener(change);
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
