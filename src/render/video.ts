// The one door to videos: a scene graph becomes an MP4 in a process of its own, which ends with its work or its parent.
import type { CodecSettings } from '../codecs/backend.ts';
import { AppError } from '../lib/errors.ts';
import type { ResourceFile } from './still.ts';

export interface VideoJob {
  /** A scene graph with every template prop filled in, as openScene takes it. */
  readonly graph: unknown;
  /** Read by render/files.ts; video and audio are files on disk, probed. */
  readonly files: ReadonlyMap<string, ResourceFile>;
  /** Frames [from, to). */
  readonly range: readonly [number, number];
  /** 0.1 to 1 of the graph's size; the result has even sides. */
  readonly scale: number;
  /** Where the MP4 is written; nothing is left there after a failure. */
  readonly path: string;
  /** Finished segments are kept here, named by what they show; those already there are not rendered again. */
  readonly segmentFolder?: string;
  /** Which ffmpeg is taken; absent: as the settings of this process say. */
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
  /** What could not be drawn or heard, by JSON pointer. */
  readonly warnings: readonly string[];
}

export interface VideoEvents {
  readonly onFrame?: (done: number, total: number) => void;
  /** A finished segment lies there, or lay there already. */
  readonly onSegment?: (path: string) => void;
}

/** AppError `invalid_scene_graph`, `codec_failed`, `unavailable` (no back end); the signal's reason where aborted. */
export async function renderVideo(
  _job: VideoJob,
  _events: VideoEvents,
  signal: AbortSignal,
): Promise<VideoResult> {
  signal.throwIfAborted();
  throw new AppError('unavailable', 'Videos cannot be rendered yet.');
}
