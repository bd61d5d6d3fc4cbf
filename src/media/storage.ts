// Defines the interface of media storage, which disk and bucket implement, and the format of its keys.
import type { Readable } from 'node:stream';
import { isId } from '../lib/ids.ts';

/** Bytes in memory, or a stream of chunks. A chunk may be reused once the next is requested. */
export type ByteSource = Uint8Array | AsyncIterable<Uint8Array>;

export interface StoredFile {
  readonly bytes: number;
  /** Hex digits. */
  readonly sha256: string;
}

export interface PutOptions {
  readonly contentType: string;
  /** A larger source is rejected with `file_too_large`, and nothing is stored. */
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
}

/** First and last byte, both inclusive. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

export interface OpenedFile {
  readonly stream: Readable;
  /** The number of bytes in the stream. */
  readonly bytes: number;
}

/** A key is a media id, or the pending key of one. Every method throws for other keys. */
export interface MediaStorage {
  /** Stores the whole source durably, or nothing. Replaces an existing file of the key. */
  put(key: string, source: ByteSource, options: PutOptions): Promise<StoredFile>;
  /** Throws `not_found` if there is no such file. A range must lie within the file. */
  read(key: string, range?: ByteRange): Promise<OpenedFile>;
  stat(key: string): Promise<{ readonly bytes: number } | undefined>;
  /** Renames a file to another key. Throws `not_found`. */
  move(from: string, to: string): Promise<void>;
  /** Copies a file to another key, durably or not at all. Throws `not_found`. */
  copy(from: string, to: string, signal?: AbortSignal): Promise<void>;
  /** Removes the file, if it exists. */
  remove(key: string): Promise<void>;
}

const PENDING_PREFIX = 'pending-';

/**
 * Returns the key to which a client uploads with a presigned URL. The URL keeps working after the upload, so the file is
 * moved to the key of the media before it is checked.
 */
export function toPendingKey(mediaId: string): string {
  return PENDING_PREFIX + mediaId;
}

/** Returns the key. Throws if it is invalid, because it becomes part of a path or URL. */
export function requireValidKey(key: string): string {
  if (!isId('media', key.startsWith(PENDING_PREFIX) ? key.slice(PENDING_PREFIX.length) : key))
    throw new Error('Invalid media storage key.');
  return key;
}
