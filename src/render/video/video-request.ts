// Describes a video render and its result, for callers and for the render process.
import type { CodecSettings } from '../../codecs/backend.ts';
import type { BackendRef } from '../../codecs/command.ts';
import type { ErrorCode, Issue } from '../../lib/errors.ts';
import type { ResourceFiles } from '../stills/still.ts';

export interface VideoRequest {
  /** A scene graph with all template props filled in, as openScene takes it. */
  readonly graph: unknown;
  /** Read by render/read-files.ts; video and audio are probed files on disk. */
  readonly files: ResourceFiles;
  /** Frames [from, to). */
  readonly range: readonly [number, number];
  /** 0.1 to 1 of the graph's size; output sides are even. */
  readonly scale: number;
  /** The path of the MP4, which does not exist after a failure. */
  readonly path: string;
  /** Finished segments are stored here by content; those that exist are not rendered again. */
  readonly segmentFolder?: string;
  /** The ffmpeg to use; absent: by the settings of this process. */
  readonly codecs?: CodecSettings;
}

export interface VideoResult {
  readonly backend: 'ffmpeg' | 'codec-host';
  readonly bytes: number;
  readonly width: number;
  readonly height: number;
  readonly fps: number;
  readonly frameCount: number;
  readonly durationSeconds: number;
  readonly hasAudio: boolean;
  /** JSON pointers to scene nodes that could not be drawn or played. */
  readonly warnings: readonly string[];
}

/** Messages to the process. */
export interface ProcessRequest extends Omit<VideoRequest, 'codecs'> {
  readonly backend: BackendRef;
  readonly threadCount: number;
  /** Folder for unfinished files; whoever observes the end of the render removes it. */
  readonly workFolder: string;
}

/** Messages from the process. */
export type ProcessMessage =
  | { readonly kind: 'frame'; readonly done: number; readonly total: number }
  | { readonly kind: 'segment'; readonly path: string }
  | { readonly kind: 'sound' }
  | { readonly kind: 'result'; readonly result: VideoResult }
  | {
      readonly kind: 'failure';
      readonly code: ErrorCode | undefined;
      readonly message: string;
      readonly issues: readonly Issue[] | undefined;
    };
