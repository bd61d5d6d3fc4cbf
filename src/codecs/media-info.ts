// Defines what the probe reports about a video or audio file.

const CONTAINERS = ['mp4', 'mov', 'webm', 'matroska', 'mp3', 'wav', 'ogg', 'flac', 'aac', 'mpegts'] as const;
export type Container = (typeof CONTAINERS)[number];

export interface VideoInfo {
  /** The codec's name in mediabunny, such as `avc` or `vp9`; null if unknown. */
  readonly codec: string | null;
  /** Size as displayed: in square pixels, and upright. */
  readonly width: number;
  readonly height: number;
  /** Clockwise rotation in degrees that a player applies. */
  readonly rotation: 0 | 90 | 180 | 270;
  readonly fps: number;
  readonly matrix: 'bt709' | 'bt601';
  readonly fullRange: boolean;
  /** Whether frames may be transparent. */
  readonly hasAlpha?: true;
}

export interface AudioInfo {
  readonly codec: string | null;
  readonly sampleRate: number;
  readonly channels: number;
  /** Where the samples of a WAV file are, if its chunks are not padded. */
  readonly samples?: { readonly start: number; readonly end: number };
}

export interface MediaInfo {
  readonly container: Container;
  /** Detected from the content. A file without video is `audio/…`, whatever its name. */
  readonly contentType: string;
  /** Start time of the file's clock. All other times are relative to this. */
  readonly startSeconds: number;
  readonly durationSeconds: number;
  readonly video?: VideoInfo;
  readonly audio?: AudioInfo;
}
