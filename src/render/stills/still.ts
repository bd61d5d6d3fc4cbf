// Describes images and scene stills as plain data that can be sent to the drawing thread.
import type { CodecSettings } from '../../codecs/backend.ts';
import type { MediaInfo } from '../../codecs/media-info.ts';
import type { ImageFormat } from '../paint/canvas.ts';
import type { Rect, Size } from '../paint/fit-image.ts';
import type { DrawList } from '../timeline/draw-list.ts';

export type ImageDrawing =
  | { readonly kind: 'card'; readonly card: Card }
  | { readonly kind: 'sandbox-image'; readonly image: SandboxImage }
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
  /** `#rrggbb`, or empty for the theme's color. */
  readonly accent: string;
  readonly width: number;
  readonly height: number;
  /** Corner radius in pixels. The area outside the corners is transparent. */
  readonly radius: number;
  /** Encoded by media/images.ts in the size that `getImageFrame` returns. */
  readonly image?: Uint8Array;
}

/** Returns the image area: the right part of a wide card, the upper part of a tall one. */
export function getImageFrame({ width, height }: Size): Rect {
  if (width < height) return { x: 0, y: 0, width, height: Math.round(height * 0.48) };
  const imageWidth = Math.round(width * 0.42);
  return { x: width - imageWidth, y: 0, width: imageWidth, height };
}

export const SANDBOX_STYLES = ['gradient', 'blocks', 'rings'] as const;
export type SandboxStyle = (typeof SANDBOX_STYLES)[number];

export interface SandboxImage {
  readonly prompt: string;
  readonly seed: number;
  readonly style: SandboxStyle;
  readonly width: number;
  readonly height: number;
  /** Omits the label, for a video that has its own. */
  readonly isUnlabeled?: true;
}

/** A file as sent to the drawing thread. Images were encoded by media/images.ts, SVG by media/svg. */
export type ResourceFile =
  | { readonly kind: 'image'; readonly bytes: Uint8Array }
  | { readonly kind: 'svg'; readonly bytes: Uint8Array }
  | { readonly kind: 'sample'; readonly prompt: string; readonly width: number; readonly height: number }
  /** Sanitized by render/lottie.ts; `unsupported` lists features that are not rendered. */
  | { readonly kind: 'lottie'; readonly json: string; readonly unsupported?: string }
  /** A video or a sound: a file on disk, and its probe result. */
  | { readonly kind: 'clip'; readonly path: string; readonly info: MediaInfo }
  /** A file that cannot be used, with the reason. Each use of the file becomes a warning. */
  | { readonly kind: 'absent'; readonly reason: string };

/** Files by key. */
export type ResourceFiles = ReadonlyMap<string, ResourceFile>;

/** Frames of a scene graph, all of one size. */
export interface SceneStills {
  readonly lists: readonly DrawList[];
  readonly files: ResourceFiles;
  /** 0.1 to 1 of the graph's size. */
  readonly scale: number;
  readonly format: ImageFormat;
  /** Which ffmpeg decodes clips. Default: one on the PATH, or the codec host. */
  readonly codecs?: CodecSettings;
}

export interface DrawnStills {
  readonly frames: readonly {
    readonly frame: number;
    readonly bytes: Uint8Array<ArrayBuffer>;
    readonly width: number;
    readonly height: number;
  }[];
  /** A JSON pointer and a reason for each element that could not be drawn. */
  readonly warnings: readonly string[];
}
