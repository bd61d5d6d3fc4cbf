// Opens a media file of a known container with mediabunny, and limits reads. Loaded only by processes and threads that
// may crash on a hostile file, never by the service itself.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import {
  ADTS,
  CustomSource,
  FLAC,
  Input,
  type InputFormat,
  type InputTrack,
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
import { type FileBytes, toTolerantFile } from './tolerant-file.ts';

// The formats to try, in this order. Not ALL_FORMATS, because playlists such as HLS refer to other files and URLs.
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

/** Maximum size of one read. Only a corrupt header causes a larger one. */
const MAX_READ_BYTES = 64 * 1024 * 1024;
/** Limit for all reads of a file together, which only a parser that loops exceeds. */
const MAX_TOTAL_READS_PER_BYTE = 8;

/** Opens a file on disk. The caller disposes of it. */
export const openInput = (path: string): Input => openBytes(openFile(path));

export function openFile(path: string): FileBytes {
  const file = openSync(path, 'r');
  const { size } = fstatSync(file);
  return {
    size,
    maxReadBytes: size * MAX_TOTAL_READS_PER_BYTE + MAX_READ_BYTES,
    read: (start, end) => {
      const bytes = Buffer.allocUnsafe(end - start);
      const count = readSync(file, bytes, 0, bytes.length, start);
      return count === bytes.length ? bytes : bytes.fill(0, count);
    },
    close: () => closeSync(file),
  };
}

/** Opens a file through its `read` function. The caller disposes of the input. */
export function openBytes(file: FileBytes): Input {
  let remaining = file.maxReadBytes;
  const limitedFile: FileBytes = {
    ...file,
    read: (start, end) => {
      remaining -= end - start;
      if (end - start > MAX_READ_BYTES || remaining < 0)
        throw new Error('The file requires reading too much data.');
      return file.read(start, end);
    },
  };
  let opened: Promise<FileBytes> | undefined;
  const open = (): Promise<FileBytes> => {
    opened ??= toTolerantFile(limitedFile);
    return opened;
  };
  const source = new CustomSource({
    getSize: async () => (await open()).size,
    read: async (start, end) => (await open()).read(start, end),
    dispose: () => file.close(),
    prefetchProfile: 'fileSystem',
  });
  return new Input({ formats: FORMATS.map(([, format]) => format), source });
}

export async function findContainer(input: Input): Promise<Container | undefined> {
  const format = await input.getFormat();
  return FORMATS.find(([, candidate]) => candidate === format)?.[0];
}

/** Returns the codec's name, or the name by which the container refers to a codec that mediabunny does not know. */
export async function nameCodec(track: InputTrack): Promise<string> {
  return (await track.getCodec()) ?? String((await track.getInternalCodecId()) ?? 'of the track');
}

/** The encoder delay of every audio codec is shorter than this. */
const MAX_ENCODER_DELAY_SECONDS = 0.1;

/**
 * Returns the start of the file's clock in seconds, at least 0. This is the time of the first video frame, or of the
 * earliest sample if that is earlier by more than an encoder delay. So frames align with their rate.
 */
export async function findStartSeconds(input: Input): Promise<number> {
  const first = Math.max(0, await input.getFirstTimestamp());
  const video = await input.getPrimaryVideoTrack();
  const firstFrame = video === null ? first : await video.getFirstTimestamp();
  return firstFrame >= first && firstFrame - first <= MAX_ENCODER_DELAY_SECONDS ? firstFrame : first;
}
