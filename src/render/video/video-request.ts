// Describes a video render and its result, for callers and for the render process.
import type { CodecSettings } from '../../codecs/backend.ts';
import type { BackendRef } from '../../codecs/command.ts';
import type { ErrorCode, Issue } from '../../lib/errors.ts';
import type { ResourceFiles } from '../stills/still.ts';

export interface VideoRequest {
  /** An unvalidated scene graph, with all template props filled in. */
  readonly graph: unknown;
  /** The files that render/read-files.ts has read. */
  readonly files: ResourceFiles;
  /** Frames [from, to). */
  readonly range: readonly [number, number];
  /** 0.1 to 1 of the graph's size; output sides are even. */
  readonly scale: number;
  /** Path of the MP4. After a failure, there is no file. */
  readonly path: string;
  /** Folder of finished segments, named by content. Segments that it already contains are not rendered again. */
  readonly segmentFolder?: string;
  /** Which ffmpeg to use. Default: the one on the PATH. */
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

/** The message to the render process. */
export interface ProcessRequest extends Omit<VideoRequest, 'codecs'> {
  readonly backend: BackendRef;
  readonly threadCount: number;
  /** Folder for unfinished files. The parent removes the folder after the render. If it exits, the process does. */
  readonly workFolder: string;
}

/** A message from the render process. */
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
