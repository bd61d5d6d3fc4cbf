// Where the bytes of media lie: the interface that the disk and the bucket share, and the form of its keys.
import type { Readable } from 'node:stream';
import { isId } from '../lib/ids.ts';

/** Bytes that are in memory, or that arrive in pieces, of which each is done with when the next is asked for. */
export type Source = Uint8Array | AsyncIterable<Uint8Array>;

export interface StoredFile {
  readonly bytes: number;
  /** Hex digits. */
  readonly sha256: string;
}

export interface PutOptions {
  readonly contentType: string;
  /** One byte more is refused with `file_too_large`, and nothing is stored. */
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
}

/** First and last byte, both included. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

export interface ReadFile {
  readonly stream: Readable;
  /** How many the stream will give. */
  readonly bytes: number;
}

/** A key is a media id, or `pendingKey` of one. Every function throws where it is neither. */
export interface MediaStorage {
  /** Stores all of the source durably, or nothing; a file under the key is replaced. */
  put(key: string, source: Source, options: PutOptions): Promise<StoredFile>;
  /** Throws `not_found` where there is no such file. A range must lie within the file. */
  read(key: string, range?: ByteRange): Promise<ReadFile>;
  stat(key: string): Promise<{ readonly bytes: number } | undefined>;
  /** Makes a file known under another key instead. Throws `not_found`. */
  move(from: string, to: string): Promise<void>;
  /** Stores the same bytes under another key too, durably or not at all. Throws `not_found`. */
  copy(from: string, to: string, signal?: AbortSignal): Promise<void>;
  /** Removes the file, if there is one. */
  remove(key: string): Promise<void>;
}

const PENDING = 'pending-';

/**
 * Where a client writes the media by a presigned address. That address works for a while after the upload was checked,
 * so the bytes are moved away to the media's own key before they are looked at.
 */
export function pendingKey(mediaId: string): string {
  return PENDING + mediaId;
}

/** Throws where the text is no key: it becomes part of a path or an address, and nothing else may. */
export function checkKey(key: string): string {
  if (!isId('media', key.startsWith(PENDING) ? key.slice(PENDING.length) : key))
    throw new Error('That is no key of media storage.');
  return key;
}
