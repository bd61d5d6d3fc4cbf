// Determines the media type of a stored video or audio file from its container and tracks.
import { buffer } from 'node:stream/consumers';
import { probeContentType } from '../codecs/probe/probe.ts';
import { AppError } from '../lib/errors.ts';
import type { MediaType } from './accepted-types.ts';
import { getProbedType } from './sniff.ts';
import type { MediaStorage } from './storage.ts';

export interface FileToProbe {
  readonly key: string;
  readonly bytes: number;
  /** The declared content type. */
  readonly declaredContentType: string | undefined;
}

/** Reads as little as possible. Throws `unsupported_type` if the tracks are missing or do not match the declared type. */
export async function probeStoredType(
  storage: MediaStorage,
  { key, bytes, declaredContentType }: FileToProbe,
  signal: AbortSignal,
): Promise<MediaType> {
  const read = async (start: number, end: number): Promise<Buffer> =>
    await buffer((await storage.read(key, { start, end: end - 1 })).stream);
  const contentType = await probeContentType({ size: bytes, read }, signal).catch((err: unknown) => {
    if (!(err instanceof AppError) || err.code !== 'unreadable_media') throw err;
    throw new AppError('unsupported_type', err.message, { cause: err });
  });
  return getProbedType(contentType, declaredContentType);
}
