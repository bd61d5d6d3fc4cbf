// Opens a media file with mediabunny: known containers only, with bounded reads. Loaded only by processes and threads
// that may crash on a hostile file, never by the service itself.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import {
  ADTS,
  CustomSource,
  FLAC,
  Input,
  type InputFormat,
  MATROSKA,
  MP3,
  MP4,
  MPEG_TS,
  OGG,
  QTFF,
  WAVE,
  WEBM,
} from 'mediabunny';
import type { Container } from './media-info.ts';

// Not ALL_FORMATS: playlists such as HLS refer to other files and URLs. Probed in this order.
const FORMATS: readonly (readonly [Container, InputFormat])[] = [
  ['mp4', MP4],
  ['mov', QTFF],
  ['webm', WEBM],
  ['matroska', MATROSKA],
  ['wav', WAVE],
  ['ogg', OGG],
  ['flac', FLAC],
  ['mp3', MP3],
  ['aac', ADTS],
  ['mpegts', MPEG_TS],
];

/** Only a corrupt header causes a larger read. */
const MAX_READ_BYTES = 64 * 1024 * 1024;
/** Limits all reads of an input together; only a reader that loops reaches it. */
const MAX_TOTAL_READS_PER_BYTE = 8;

/** Provides the bytes of a file, wherever it is. */
export interface FileBytes {
  readonly size: number;
  /** Reads from `start` up to, not including, `end`; both are within the file. */
  read(start: number, end: number): Uint8Array | Promise<Uint8Array>;
  close(): void;
  /** Like `MAX_TOTAL_READS_PER_BYTE` for a file on disk. */
  readonly maxReadBytes: number;
}

/** Opens a file on disk. The caller disposes of it. */
export function openInput(path: string): Input {
  const file = openSync(path, 'r');
  const { size } = fstatSync(file);
  return openBytes({
    size,
    maxReadBytes: size * MAX_TOTAL_READS_PER_BYTE + MAX_READ_BYTES,
    read: (start, end) => {
      const bytes = Buffer.allocUnsafe(end - start);
      const count = readSync(file, bytes, 0, bytes.length, start);
      return count === bytes.length ? bytes : bytes.fill(0, count);
    },
    close: () => closeSync(file),
  });
}

/** Opens a file through its `read` function. The caller disposes of the input. */
export function openBytes({ size, read, close, maxReadBytes }: FileBytes): Input {
  let remaining = maxReadBytes;
  const source = new CustomSource({
    getSize: () => size,
    read: (start, end) => {
      remaining -= end - start;
      if (end - start > MAX_READ_BYTES || remaining < 0)
        throw new Error('The file requires reading too much data.');
      return read(start, end);
    },
    dispose: close,
    prefetchProfile: 'fileSystem',
  });
  return new Input({ formats: FORMATS.map(([, format]) => format), source });
}

export async function findContainer(input: Input): Promise<Container | undefined> {
  const format = await input.getFormat();
  return FORMATS.find(([, candidate]) => candidate === format)?.[0];
}

/** The encoder delay of an audio codec is shorter than this. */
const MAX_WARM_UP_SECONDS = 0.1;

/**
 * Returns the start of the file's clock, in seconds: the first video frame if the audio precedes it by no more than its
 * encoder delay, so that frames align with their rate; else the earliest sample. Never below 0.
 */
export async function findStart(input: Input): Promise<number> {
  const first = Math.max(0, await input.getFirstTimestamp());
  const video = await input.getPrimaryVideoTrack();
  const firstFrame = video === null ? first : await video.getFirstTimestamp();
  return firstFrame >= first && firstFrame - first <= MAX_WARM_UP_SECONDS ? firstFrame : first;
}
