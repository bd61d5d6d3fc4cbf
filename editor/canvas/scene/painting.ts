// What the painter is given: the board, what is seen of it, and what the run, a plan and a comparison say of its nodes.
import type { Look } from './look.ts';
import type { Places, Rect, Scene } from './scene.ts';

export interface Viewport {
  readonly x: number;
  readonly y: number;
  readonly zoom: number;
}

/** What the run that is shown says of a node. */
export interface Mark {
  readonly status: string;
  /** A small picture of what it made, once it is loaded. */
  readonly picture?: CanvasImageSource & { readonly width: number; readonly height: number };
}

/** What a planned run will do with a node, or what became of it since the version that is compared. */
export type Ring = 'run' | 'cached' | 'kept' | 'out' | 'added' | 'changed' | 'moved';

export interface Painting {
  readonly scene: Scene;
  readonly places: Places;
  readonly viewport: Viewport;
  readonly size: { readonly width: number; readonly height: number };
  /** Pixels of the device to one of the page. */
  readonly ratio: number;
  readonly selection: ReadonlySet<string>;
  /** Nodes that are in the page; they are painted from afar alone. */
  readonly mounted: ReadonlySet<string>;
  readonly markOf: (id: string) => Mark | undefined;
  readonly ringOf: (id: string) => Ring | undefined;
  /** Edges that stand out: under the pointer, or about to take a node. */
  readonly lit: ReadonlySet<string>;
  readonly look: Look;
}

/** The part of the board that is on the screen. */
export const viewOf = (
  { x, y, zoom }: Viewport,
  { width, height }: { readonly width: number; readonly height: number },
): Rect => ({ x: -x / zoom, y: -y / zoom, width: width / zoom, height: height / zoom });

/** Below this zoom text cannot be read, and all nodes are painted. */
export const FAR_ZOOM = 0.32;
