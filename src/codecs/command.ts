// Defines the commands of the codec back ends, and the interface of a back end.
import type { MediaInfo } from './media-info.ts';

export const SAMPLE_RATE = 48_000;
export const CHANNELS = 2;

/** Writes an MP4: H.264 from I420 frames on descriptor 0, AAC from raw audio on descriptor 3. */
export interface EncodeCommand {
  readonly kind: 'encode';
  readonly path: string;
  /** Maximum duration of either track; space for the index is reserved at the front of the file. */
  readonly maxSeconds: number;
  readonly video?: { readonly width: number; readonly height: number; readonly fps: number };
  readonly hasAudio: boolean;
}

/** RGBA includes the alpha of files that have one. */
export type Pixels = 'i420' | 'rgba';

/**
 * Writes `frameCount` raw frames to descriptor 1: frame k is what a player shows at `startSeconds + k / fps`. The last
 * frame repeats past the end.
 */
export interface FramesCommand {
  readonly kind: 'frames';
  readonly path: string;
  readonly info: MediaInfo;
  readonly startSeconds: number;
  readonly frameCount: number;
  readonly fps: number;
  /** Even numbers; frames are stretched to this size. */
  readonly width: number;
  readonly height: number;
  readonly pixels: Pixels;
}

/** Writes `seconds` of raw audio to descriptor 1, from `startSeconds`. */
export interface AudioCommand {
  readonly kind: 'audio';
  readonly path: string;
  readonly info: MediaInfo;
  readonly startSeconds: number;
  readonly seconds: number;
}

export type CodecCommand = EncodeCommand | FramesCommand | AudioCommand;

export interface SpawnSpec {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Plain data from which another thread or process restores the back end (`restoreBackend`). */
export interface BackendRef {
  readonly name: 'ffmpeg' | 'codec-host';
  /** Which program it is and why it was chosen, for people. */
  readonly detail: string;
  /** Path of the ffmpeg. */
  readonly path?: string;
  /** Identifies the encoder: segments with equal values can be joined. */
  readonly encoding: string;
}

export interface Backend extends BackendRef {
  toSpawnSpec(command: CodecCommand): SpawnSpec;
}

/** Seconds by which a frame may be late and still count as displayed: WebM rounds times to milliseconds. */
export const FRAME_TOLERANCE_SECONDS = 0.002;

/** Exit codes of the codec host: damaged file, or unsupported codec. */
export const EXIT_UNREADABLE = 2;
export const EXIT_UNSUPPORTED = 3;
