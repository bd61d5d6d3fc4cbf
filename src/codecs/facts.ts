// What the probe reports of a video or audio file.

const CONTAINERS = ['mp4', 'mov', 'webm', 'matroska', 'mp3', 'wav', 'ogg', 'flac', 'aac', 'mpegts'] as const;
export type Container = (typeof CONTAINERS)[number];

export interface VideoFacts {
  /** As mediabunny names it, such as `avc` or `vp9`; null: not known. */
  readonly codec: string | null;
  /** In square pixels and upright: as a player shows it. */
  readonly width: number;
  readonly height: number;
  /** Clockwise degrees that a player turns the coded picture by. */
  readonly rotation: 0 | 90 | 180 | 270;
  readonly fps: number;
  readonly matrix: 'bt709' | 'bt601';
  readonly fullRange: boolean;
  /** Its frames may let through what is behind them. */
  readonly hasAlpha?: true;
}

export interface AudioFacts {
  readonly codec: string | null;
  readonly sampleRate: number;
  readonly channels: number;
}

export interface MediaFacts {
  readonly container: Container;
  /** True to the content: a file without pictures is `audio/…`, whatever its name says. */
  readonly contentType: string;
  /** Where the clock of the file stands at its beginning; all other times count from there. */
  readonly startSeconds: number;
  readonly durationSeconds: number;
  readonly video?: VideoFacts;
  readonly audio?: AudioFacts;
}
