// What a still is drawn from: plain data that crosses to the drawing thread.
import type { CodecSettings } from '../../codecs/backend.ts';
import type { MediaFacts } from '../../codecs/facts.ts';
import type { StillFormat } from '../paint/canvas.ts';
import type { Size, Spot } from '../paint/place.ts';
import type { DrawList } from '../timeline/draw-list.ts';

export type Still =
  | { readonly kind: 'card'; readonly card: Card }
  | { readonly kind: 'sandbox-picture'; readonly picture: SandboxPicture }
  | {
      readonly kind: 'sandbox-wash';
      readonly prompt: string;
      readonly seed: number;
      readonly width: number;
      readonly height: number;
    };

export const CARD_THEMES = ['midnight', 'paper', 'sunrise', 'forest', 'mono', 'glass'] as const;
export type CardTheme = (typeof CARD_THEMES)[number];

export interface Card {
  readonly kicker: string;
  readonly title: string;
  readonly text: string;
  readonly footer: string;
  readonly theme: CardTheme;
  readonly align: 'left' | 'center';
  /** `#rrggbb`; empty: the theme's own. */
  readonly accent: string;
  readonly width: number;
  readonly height: number;
  /** Of the corners, in pixels; what lies outside is transparent. */
  readonly radius: number;
  /** Written by media/images, in the size that `pictureFrame` gives. */
  readonly picture?: Uint8Array;
}

/** Where a picture stands: the right part of a wide card, the upper part of a tall one. */
export function pictureFrame({ width, height }: Size): Spot {
  if (width < height) return { x: 0, y: 0, width, height: Math.round(height * 0.48) };
  const share = Math.round(width * 0.42);
  return { x: width - share, y: 0, width: share, height };
}

export const SANDBOX_STYLES = ['gradient', 'blocks', 'rings'] as const;
export type SandboxStyle = (typeof SANDBOX_STYLES)[number];

export interface SandboxPicture {
  readonly prompt: string;
  readonly seed: number;
  readonly style: SandboxStyle;
  readonly width: number;
  readonly height: number;
  /** Without its label: for a video that has one of its own. */
  readonly isBare?: true;
}

/** A file as it crosses to the drawing thread. Pictures were written by media/images, SVG by media/svg. */
export type ResourceFile =
  | { readonly kind: 'picture'; readonly bytes: Uint8Array }
  | { readonly kind: 'svg'; readonly bytes: Uint8Array }
  | { readonly kind: 'sample'; readonly words: string; readonly width: number; readonly height: number }
  /** As render/lottie.ts made it; `lacks` is what is not shown of it. */
  | { readonly kind: 'lottie'; readonly json: string; readonly lacks?: string }
  /** A video or a sound: a file on disk, and what its probe found. */
  | { readonly kind: 'clip'; readonly path: string; readonly facts: MediaFacts }
  /** Why it cannot be shown: a warning wherever it is used. */
  | { readonly kind: 'absent'; readonly reason: string };

/** By their keys. */
export type ResourceFiles = ReadonlyMap<string, ResourceFile>;

/** Frames of a scene graph, all of one size. */
export interface SceneStills {
  readonly lists: readonly DrawList[];
  readonly files: ResourceFiles;
  /** 0.1 to 1 of the graph's own size. */
  readonly scale: number;
  readonly format: StillFormat;
  /** Which ffmpeg decodes its clips; absent: one on the PATH, or the codec host. */
  readonly codecs?: CodecSettings;
}

export interface DrawnStills {
  readonly frames: readonly {
    readonly frame: number;
    readonly bytes: Uint8Array<ArrayBuffer>;
    readonly width: number;
    readonly height: number;
  }[];
  /** What could not be drawn, by JSON pointer. */
  readonly warnings: readonly string[];
}
