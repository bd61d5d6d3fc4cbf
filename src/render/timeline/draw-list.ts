// What a frame is made of: plain data, every value resolved, that the painter turns into pixels without thinking of time.
import type { Split } from '../schema/motion.ts';
import type { Easing } from '../schema/values.ts';

/** [a, b, c, d, e, f] as in canvas: x' = ax + cy + e, y' = bx + dy + f. */
export type Matrix = readonly [number, number, number, number, number, number];
/** Red, green, blue 0 to 255, alpha 0 to 1. */
export type Rgba = readonly [number, number, number, number];

export interface Stop {
  readonly offset: number;
  readonly color: Rgba;
}

export type Fill =
  | { readonly type: 'color'; readonly color: Rgba }
  | { readonly type: 'linear'; readonly angle: number; readonly stops: readonly Stop[] }
  | {
      readonly type: 'radial';
      readonly center: readonly [number, number];
      readonly radius: number;
      readonly stops: readonly Stop[];
    }
  | {
      readonly type: 'conic';
      readonly center: readonly [number, number];
      readonly angle: number;
      readonly stops: readonly Stop[];
    };

export type Corners = readonly [number, number, number, number];

/** An outline in pixels of the box that it belongs to. */
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
      /** Degrees clockwise from the top; absent: all around. */
      readonly arc?: readonly [number, number];
      /** Whether the arc is closed through the centre. */
      readonly pie?: boolean;
    }
  | {
      readonly form: 'points';
      readonly points: readonly (readonly [number, number])[];
      readonly closed: boolean;
    }
  | { readonly form: 'path'; readonly data: string; readonly matrix: Matrix }
  | { readonly form: 'many'; readonly parts: readonly Outline[] };

export interface Shade {
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
  /** A factor of the text's size. */
  readonly size: number;
  /** Absent: the text's own. */
  readonly color?: Rgba;
  readonly underline?: boolean;
  readonly highlight?: Rgba;
}

/** Where each part of a split text stands in its entrance is known once the lines are: this says how to compute it. */
export interface SplitState {
  readonly by: Split['by'];
  readonly preset: NonNullable<Split['preset']>;
  readonly order: NonNullable<Split['order']>;
  /** Seconds since the first part began. */
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
  /** In em of the size. */
  readonly lineHeight: number;
  readonly letterSpacing: number;
  readonly align: 'start' | 'left' | 'center' | 'right' | 'end' | 'justify';
  readonly vAlign: 'top' | 'middle' | 'bottom';
  readonly direction: 'auto' | 'ltr' | 'rtl';
  readonly maxLines: number;
  readonly overflow: 'ellipsis' | 'clip' | 'visible';
  readonly stroke?: { readonly color: Rgba; readonly width: number };
  readonly shadow?: Shade;
  readonly plate?: {
    readonly color: Rgba;
    readonly per: 'box' | 'line';
    /** In em. */
    readonly padding: number;
    readonly radius: number;
  };
  readonly split?: SplitState;
}

export interface PictureContent {
  readonly kind: 'picture';
  /** Key of the resource. */
  readonly resource: string;
  readonly fit: 'cover' | 'contain' | 'fill' | 'none' | 'contain-blur';
  readonly focus: readonly [number, number];
  readonly crop: readonly [number, number, number, number];
  /** Enlargement within the box, and drift as a share of the box. */
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
  /** The stretch of the outline that is drawn. */
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

/** A frame of a clip; it needs a decoder, and is left out with a warning where there is none. */
export interface ClipContent extends Omit<PictureContent, 'kind'> {
  readonly kind: 'clip';
  /** The moment of the file; past its end the last frame stays, or a loop goes on from `trim`. */
  readonly seconds: number;
  /** Where in the file it begins. */
  readonly trim: number;
  /** Seconds of the file that pass from one frame of the video to the next. */
  readonly step: number;
  readonly loop: boolean;
}

export interface GroupContent {
  readonly kind: 'group';
  readonly children: readonly DrawNode[];
}

export type Content =
  | TextContent
  | PictureContent
  | ShapeContent
  | LottieContent
  | ClipContent
  | GroupContent
  /** Something that cannot be drawn here; the painter says so. */
  | { readonly kind: 'missing'; readonly reason: string }
  | { readonly kind: 'none' };

export interface DrawNode {
  /** JSON pointer of the element in the graph. */
  readonly pointer: string;
  /** From the element's box to what contains it. */
  readonly matrix: Matrix;
  readonly width: number;
  /** NaN: as tall as the text is; the painter then moves the box so that `anchorY` of it stands at y = 0. */
  readonly height: number;
  readonly anchorY: number;
  readonly opacity: number;
  readonly blend: string;
  readonly effects: readonly Effect[];
  readonly shadow?: Shade;
  readonly background?: Fill;
  readonly border?: { readonly width: number; readonly color: Rgba };
  readonly radius: Corners;
  readonly clips: readonly Outline[];
  readonly mask?: { readonly node: DrawNode; readonly mode: 'alpha' | 'luma'; readonly invert: boolean };
  /** It covers the frame, and a blur must not let its edges show through. */
  readonly fillsFrame?: true;
  readonly content: Content;
}

/** What a node has without looks of its own. */
export const BARE = {
  anchorY: 0,
  opacity: 1,
  blend: 'normal',
  effects: [],
  radius: [0, 0, 0, 0],
  clips: [],
} as const;

/** A part of the frame that is drawn on its own; equal hashes are equal pixels. */
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
