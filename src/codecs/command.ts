// Defines the interface of a codec back end, and its commands. Each command becomes a process that reads or writes raw
// frames and audio on its pipes. Frames are I420, BT.709, limited range. Audio is interleaved stereo of 32-bit floats at
// 48 kHz.
import type { MediaInfo } from './media-info.ts';

export const SAMPLE_RATE = 48_000;
export const CHANNELS = 2;

/** Writes an MP4: H.264 from I420 frames on descriptor 0, AAC from raw audio on descriptor 3. */
export interface EncodeCommand {
  readonly kind: 'encode';
  readonly path: string;
  /** Maximum duration of either track. Space for the index is reserved at the front of the file. */
  readonly maxSeconds: number;
  readonly video?: { readonly width: number; readonly height: number; readonly fps: number };
  readonly hasAudio: boolean;
}

/** With `rgba`, frames have the alpha of the file. */
export type PixelFormat = 'i420' | 'rgba';

/**
 * Writes `frameCount` raw frames to descriptor 1. Frame k is what a player shows at `startSeconds + k / fps`. The last
 * frame repeats past the end.
 */
export interface FramesCommand {
  readonly kind: 'frames';
  readonly path: string;
  readonly info: MediaInfo;
  readonly startSeconds: number;
  readonly frameCount: number;
  readonly fps: number;
  /** Frames are stretched to this size. Both sides are even. */
  readonly width: number;
  readonly height: number;
  readonly pixels: PixelFormat;
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
  /** Describes the program and why it was chosen, for people. */
  readonly detail: string;
  /** Path of the ffmpeg. */
  readonly path?: string;
  /** Identifies the encoder and its options. Segments with the same id can be joined. */
  readonly encoderId: string;
}

export interface Backend extends BackendRef {
  toSpawnSpec(command: CodecCommand): SpawnSpec;
}

/**
 * A frame that starts at most this long after the requested time is the one displayed then, because WebM rounds times
 * to milliseconds.
 */
export const FRAME_TOLERANCE_SECONDS = 0.002;

/** Exit codes of the codec host for a damaged file, and for an unsupported codec. */
export const EXIT_UNREADABLE = 2;
export const EXIT_UNSUPPORTED = 3;

/** The usual names of codecs, by their names in mediabunny and in MP4 and MOV files. */
const CODEC_NAMES: Readonly<Record<string, string>> = {
  avc: 'H.264',
  hevc: 'H.265',
  vp8: 'VP8',
  vp9: 'VP9',
  av1: 'AV1',
  prores: 'ProRes',
  jpeg: 'Motion JPEG',
  mp4v: 'MPEG-4 Part 2',
  aac: 'AAC',
  alac: 'Apple Lossless',
  opus: 'Opus',
};

/** Thrown by the codec host, which then exits with EXIT_UNSUPPORTED, and by the probe. */
export class UnsupportedCodecError extends Error {
  constructor(codec: string, detail = '') {
    super(`The codec ${CODEC_NAMES[codec] ?? codec}${detail} is not supported.`);
  }
}

/** Returns a message for people from the message of an UnsupportedCodecError. `remedy` says what else helps. */
export function describeUnsupportedCodec(text: string, remedy = ''): string {
  const codec = findUnsupportedCodec(text);
  const uses = codec === undefined ? 'a codec that' : `the codec ${codec}, which`;
  return `The file uses ${uses} is not supported here. Convert it to MP4 (H.264 with 8-bit 4:2:0, AAC), WAV or MP3${remedy}.`;
}

/** Returns the codec that the message of an UnsupportedCodecError names, or undefined for any other text. */
export function findUnsupportedCodec(text: string): string | undefined {
  return /^(?:Error: )?The codec ([\x20-\x7e]{1,100}) is not supported\.$/m.exec(text)?.[1];
}
