// What a codec back end is asked for, and the facts of a file that it needs to know beforehand.
import type { MediaFacts } from './facts.ts';

export const SAMPLE_RATE = 48_000;
export const CHANNELS = 2;

/** Writes one MP4: H.264 from the I420 frames on descriptor 0, AAC from the sound on descriptor 3. */
export interface EncodeJob {
  readonly kind: 'encode';
  readonly path: string;
  /** Neither track gets longer; room for its index is kept at the front of the file. */
  readonly maxSeconds: number;
  readonly video?: { readonly width: number; readonly height: number; readonly fps: number };
  readonly hasAudio: boolean;
}

/** RGBA has the alpha of files that have one. */
export type Pixels = 'i420' | 'rgba';

/** Gives `frameCount` raw frames on descriptor 1: what shows at `startSeconds + k / fps`, the last one again past the end. */
export interface FramesJob {
  readonly kind: 'frames';
  readonly path: string;
  readonly facts: MediaFacts;
  readonly startSeconds: number;
  readonly frameCount: number;
  readonly fps: number;
  /** Even numbers; the picture is stretched to them. */
  readonly width: number;
  readonly height: number;
  readonly pixels: Pixels;
}

/** Gives raw sound on descriptor 1, from `startSeconds` on; it ends where the file does. */
export interface SoundJob {
  readonly kind: 'sound';
  readonly path: string;
  readonly facts: MediaFacts;
  readonly startSeconds: number;
  readonly seconds: number;
}

export type Job = EncodeJob | FramesJob | SoundJob;

export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Plain data, from which another thread or process of ours makes the same back end again (`restoreBackend`). */
export interface BackendRef {
  readonly name: 'ffmpeg' | 'codec-host';
  /** Which program it is and why it was taken, for people. */
  readonly detail: string;
  /** Of the ffmpeg. */
  readonly path?: string;
  /** How it encodes frames: what was encoded alike can be joined. */
  readonly encoding: string;
}

export interface Backend extends BackendRef {
  commandFor(job: Job): Command;
}

/** Seconds by which a frame may come late and still count as shown: WebM rounds its times to milliseconds. */
export const FRAME_TOLERANCE_SECONDS = 0.002;

/** Exit codes of the codec host: the file is damaged, or of a codec that it does not have. */
export const EXIT_UNREADABLE = 2;
export const EXIT_UNSUPPORTED = 3;
