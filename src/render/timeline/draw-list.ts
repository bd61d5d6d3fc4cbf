// Defines draw lists. A draw list describes one frame as plain data with all values resolved for that moment.
import type { Split } from '../schema/motion.ts';
import type { Easing } from '../schema/values.ts';

/** [a, b, c, d, e, f] as in canvas: x' = ax + cy + e, y' = bx + dy + f. */
export type Matrix = readonly [number, number, number, number, number, number];
/** Red, green, blue 0 to 255, alpha 0 to 1. */
export type Rgba = readonly [number, number, number, number];

export interface GradientStop {
  readonly offset: number;
  readonly color: Rgba;
}

export type Fill =
  | { readonly type: 'color'; readonly color: Rgba }
  | { readonly type: 'linear'; readonly angle: number; readonly stops: readonly GradientStop[] }
  | {
      readonly type: 'radial';
      readonly center: readonly [number, number];
      readonly radius: number;
      readonly stops: readonly GradientStop[];
    }
  | {
      readonly type: 'conic';
      readonly center: readonly [number, number];
      readonly angle: number;
      readonly stops: readonly GradientStop[];
    };

export type Corners = readonly [number, number, number, number];

/** An outline in pixels of its box. */
export type Outline =
  | {
      readonly form: 'rect';
      readonly x: number;
      readonly y: number;
      readonly width: number;
      readonly height: number;
      readonly radius: Corners;
    }
  | {
      readonly form: 'ellipse';
      readonly x: number;
      readonly y: number;
      readonly rx: number;
      readonly ry: number;
      /** Start and end in degrees clockwise from the top. Default: the full circle. */
      readonly arc?: readonly [number, number];
      /** Whether the arc is closed through the center. */
      readonly pie?: boolean;
    }
  | {
      readonly form: 'points';
      readonly points: readonly (readonly [number, number])[];
      readonly closed: boolean;
    }
  | { readonly form: 'path'; readonly data: string; readonly matrix: Matrix }
  | { readonly form: 'many'; readonly parts: readonly Outline[] };

export interface ResolvedShadow {
  readonly color: Rgba;
  readonly blur: number;
  readonly x: number;
  readonly y: number;
}

export interface Effect {
  readonly type: string;
  readonly amount: number;
}

export interface TextRun {
  readonly text: string;
  readonly family: string;
  readonly weight: number;
  readonly italic: boolean;
  /** Size relative to the size of the text. */
  readonly size: number;
  /** Default: the fill of the text. */
  readonly color?: Rgba;
  readonly underline?: boolean;
  readonly highlight?: Rgba;
}

/** How the parts of a split text enter. The painter applies this once the lines are known. */
export interface SplitState {
  readonly by: Split['by'];
  readonly preset: NonNullable<Split['preset']>;
  readonly order: NonNullable<Split['order']>;
  /** Seconds since the first part started. */
  readonly elapsed: number;
  readonly duration: number;
  readonly stagger: number;
  readonly easing: Easing;
}

export interface TextContent {
  readonly kind: 'text';
  readonly runs: readonly TextRun[];
  readonly fill: Fill;
  readonly size: number;
  readonly minSize: number;
  readonly maxSize: number;
  readonly fit: 'none' | 'shrink' | 'grow';
  /** In em. */
  readonly lineHeight: number;
  readonly letterSpacing: number;
  readonly align: 'start' | 'left' | 'center' | 'right' | 'end' | 'justify';
  readonly vAlign: 'top' | 'middle' | 'bottom';
  readonly direction: 'auto' | 'ltr' | 'rtl';
  readonly maxLines: number;
  readonly overflow: 'ellipsis' | 'clip' | 'visible';
  /** Whether short text is broken into lines of similar length. Default: whether the text is centered. */
  readonly isBalanced?: boolean;
  readonly stroke?: { readonly color: Rgba; readonly width: number };
  readonly shadow?: ResolvedShadow;
  readonly textBackground?: {
    readonly color: Rgba;
    readonly per: 'box' | 'line';
    /** In em. */
    readonly padding: number;
    readonly radius: number;
  };
  readonly split?: SplitState;
}

export interface ImageContent {
  readonly kind: 'image';
  /** Key of the resource. */
  readonly resource: string;
  readonly fit: 'cover' | 'contain' | 'fill' | 'none' | 'contain-blur';
  readonly focus: readonly [number, number];
  readonly crop: readonly [number, number, number, number];
  /** Zoom factor, and shift as a fraction of the box. */
  readonly zoom: number;
  readonly shift: readonly [number, number];
}

export interface ShapeContent {
  readonly kind: 'shape';
  readonly outline: Outline;
  readonly fill?: Fill;
  readonly stroke?: {
    readonly color: Fill;
    readonly width: number;
    readonly dash: readonly number[];
    readonly cap: 'butt' | 'round' | 'square';
  };
  /** The part of the outline that is drawn. */
  readonly trim?: readonly [number, number];
}

export interface LottieContent {
  readonly kind: 'lottie';
  readonly resource: string;
  readonly fit: 'contain' | 'cover' | 'fill';
  readonly seconds: number;
  readonly speed: number;
  readonly loop: boolean;
}

/** A frame of a clip. Without a decoder, the painter draws nothing and reports a warning. */
export interface ClipContent extends Omit<ImageContent, 'kind'> {
  readonly kind: 'clip';
  /** Position in the file in seconds. After the end, the last frame is shown or a loop continues at `trim`. */
  readonly seconds: number;
  /** The start of playback in the file, in seconds. */
  readonly trim: number;
  /** File seconds that pass per frame of the video. */
  readonly step: number;
  readonly loop: boolean;
}

export interface GroupContent {
  readonly kind: 'group';
  readonly children: readonly DrawNode[];
}

export type Content =
  | TextContent
  | ImageContent
  | ShapeContent
  | LottieContent
  | ClipContent
  | GroupContent
  /** Content that cannot be drawn. The painter reports the reason. */
  | { readonly kind: 'missing'; readonly reason: string }
  | { readonly kind: 'none' };

export interface DrawNode {
  /** JSON pointer of the element in the graph. */
  readonly pointer: string;
  /** Maps the element's box to its container. */
  readonly matrix: Matrix;
  readonly width: number;
  /** NaN if the box is as tall as its text. The painter then moves the box so that `anchorY` is at y = 0. */
  readonly height: number;
  readonly anchorY: number;
  readonly opacity: number;
  readonly blend: string;
  readonly effects: readonly Effect[];
  readonly shadow?: ResolvedShadow;
  readonly background?: Fill;
  readonly border?: { readonly width: number; readonly color: Rgba };
  readonly radius: Corners;
  readonly clips: readonly Outline[];
  readonly mask?: { readonly node: DrawNode; readonly mode: 'alpha' | 'luma'; readonly invert: boolean };
  /** Set if the node covers the frame, so that a blur must not reveal its edges. */
  readonly fillsFrame?: true;
  readonly content: Content;
}

/** Default appearance of a node. */
export const DEFAULT_NODE = {
  anchorY: 0,
  opacity: 1,
  blend: 'normal',
  effects: [],
  radius: [0, 0, 0, 0],
  clips: [],
} as const;

/** A part of the frame that is drawn separately. Equal hashes mean equal pixels. */
export interface Layer {
  readonly pointer: string;
  readonly hash: string;
  readonly node: DrawNode;
}

export interface DrawList {
  readonly frame: number;
  readonly width: number;
  readonly height: number;
  /** From back to front. */
  readonly layers: readonly Layer[];
}

/** Returns the keys of the files that the lists show. Only these files must be read and sent to the drawing thread. */
export function listUsedFiles(lists: readonly DrawList[]): ReadonlySet<string> {
  const keys = new Set<string>();
  const pending: DrawNode[] = lists.flatMap(({ layers }) => layers.map(({ node }) => node));
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    const { content, mask } = node;
    if ('resource' in content) keys.add(content.resource);
    if (content.kind === 'group') pending.push(...content.children);
    if (mask !== undefined) pending.push(mask.node);
  }
  return keys;
}
