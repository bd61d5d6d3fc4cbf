// Receives a file from any upload source: detects its type from the first bytes, streams it to storage while counting
// its size, and checks the complete file. The row of the file is inserted only after that.
import { cutText } from '../../lib/cut-text.ts';
import { AppError } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import { type MediaType, SVG_TYPE } from '../../media/accepted-types.ts';
import { toFileName } from '../../media/file-name.ts';
import { inspectImage } from '../../media/images.ts';
import { probeStoredType } from '../../media/probe-stored.ts';
import { identifyFile, SNIFFED_BYTES } from '../../media/sniff.ts';
import { createTooLargeError } from '../../media/spool.ts';
import type { ByteSource, StoredFile } from '../../media/storage.ts';
import { readSvgSize } from '../../media/svg/text.ts';
import { sanitizeSvgInPool } from '../../media/svg/thread.ts';
import type { MediaRow, NewMedia } from '../../store/media/media.ts';
import { forgetOrphan, recordOrphan } from '../../store/media/orphans.ts';
import type { Deps } from '../deps.ts';
import type { Hints } from './media.schema.ts';
import { readStoredFile } from './stored-media.ts';

export interface IncomingFile {
  readonly source: ByteSource;
  /** Returns the maximum size. Larger files are rejected with `file_too_large`. */
  readonly maxBytes: (type: MediaType) => number;
  /** The content type that the source declared. */
  readonly declaredContentType: string | undefined;
  readonly name: string;
}

/** A file that is stored and checked, but has no media row yet. */
export interface ReceivedFile extends StoredFile {
  readonly id: string;
  readonly type: MediaType;
  readonly name: string;
  readonly size: { readonly width: number; readonly height: number } | undefined;
  /** Sentences about what was removed from the file. */
  readonly warnings?: readonly string[];
}

export interface FileOwner {
  readonly userId: number;
  readonly workspace: string;
  readonly origin: MediaRow['origin'];
  readonly executionId: string | null;
  readonly prompt?: string | undefined;
  readonly nodeType?: string | undefined;
  readonly posterId?: string | undefined;
  readonly seed?: number | undefined;
}

const MAX_PROMPT_CHARS = 2000;

/**
 * Receives and checks a file. Throws `empty_file`, `unsupported_type`, `file_too_large`, `unreadable_image`,
 * `invalid_svg`, `svg_too_complex`.
 */
export async function receiveFile(
  deps: Deps,
  file: IncomingFile,
  signal: AbortSignal,
): Promise<ReceivedFile> {
  const { start, source, close } = await peek(file.source);
  try {
    const sniffed = await identifyFile(start, file.declaredContentType);
    const id = newId('media', deps.now());
    await recordOrphan(deps.db, id);
    const { contentType, kind } = sniffed;
    const bounds = {
      contentType,
      declaredContentType: file.declaredContentType,
      maxBytes: file.maxBytes(sniffed),
      signal,
    };
    const put = contentType === SVG_TYPE ? putSvg : kind === 'image' ? putImage : putOther;
    const { type = sniffed, ...stored } = await put(deps, id, source, bounds).catch(async (err: unknown) => {
      await dropFile(deps, id);
      throw err;
    });
    return { id, type, name: toFileName(file.name, type), ...stored };
  } finally {
    await close();
  }
}

/** Hints of a client or of another service, which uses null for an unknown value. */
export type NullableHints = { readonly [K in keyof Hints]?: Hints[K] | null };

/** Inserts the file's row. If the storage quota is exceeded, deletes the file and throws `storage_quota_exceeded`. */
export async function recordFile(
  deps: Deps,
  file: ReceivedFile,
  owner: FileOwner,
  hints: Hints = {},
): Promise<NewMedia> {
  const row = toMediaRow(file, owner, hints);
  try {
    await deps.insertMediaInGroup(row);
  } catch (err) {
    // After any other error, the row may have been written. The media sweep deletes the file if it was not.
    if (err instanceof AppError && err.code === 'storage_quota_exceeded') await dropFile(deps, row.id);
    throw err;
  }
  return row;
}

/** Returns the row of the file. Uses hints only for values that could not be read from the file. */
export function toMediaRow(file: ReceivedFile, owner: FileOwner, hints: NullableHints = {}): NewMedia {
  const { width, height } = file.size ?? hints;
  return {
    id: file.id,
    user_id: owner.userId,
    workspace: owner.workspace,
    name: file.name,
    content_type: file.type.contentType,
    bytes: file.bytes,
    sha256: file.sha256,
    width: width ?? null,
    height: height ?? null,
    duration: file.type.kind === 'image' ? null : (hints.duration ?? null),
    origin: owner.origin,
    execution_id: owner.executionId,
    // PostgreSQL cannot store NUL.
    prompt:
      owner.prompt === undefined
        ? null
        : cutText(owner.prompt, MAX_PROMPT_CHARS).replaceAll('\0', '').toWellFormed(),
    poster_id: owner.posterId ?? null,
    node_type: owner.nodeType ?? null,
    seed: owner.seed ?? null,
  };
}

/** Deletes a file that has no media row. If that fails, the media sweep tries again. */
export async function dropFile(deps: Deps, id: string): Promise<void> {
  try {
    await deps.storage.remove(id);
    await forgetOrphan(deps.db, id);
  } catch (err) {
    deps.log.warn({ err, mediaId: id }, 'a file could not be removed yet');
  }
}

/** Deletes the files of rows that were not inserted. */
export async function dropMedia(deps: Deps, rows: readonly NewMedia[]): Promise<void> {
  for (const { id } of rows) await dropFile(deps, id);
}

interface PeekedSource {
  readonly start: Uint8Array;
  /** The whole file, including the bytes that were already read. */
  readonly source: ByteSource;
  /** Ends the source without reading the rest. */
  close(): Promise<unknown>;
}

async function peek(source: ByteSource): Promise<PeekedSource> {
  if (source instanceof Uint8Array) return { start: source, source, close: async () => undefined };
  const chunks = source[Symbol.asyncIterator]();
  const readChunks: Uint8Array[] = [];
  let bytes = 0;
  while (bytes < SNIFFED_BYTES) {
    const { value, done } = await chunks.next();
    if (done === true) break;
    // Copied, because the source may reuse the memory of a chunk once the next one is requested.
    readChunks.push(Buffer.copyBytesFrom(value));
    bytes += value.length;
  }
  const start = Buffer.concat(readChunks);
  const allChunks = async function* (): AsyncGenerator<Uint8Array, void, undefined> {
    yield start;
    for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) yield next.value;
  };
  return { start, source: allChunks(), close: async () => await chunks.return?.() };
}

interface PutOptions {
  readonly contentType: string;
  /** The content type that the source declared. */
  readonly declaredContentType: string | undefined;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

interface CheckedFile extends StoredFile, Pick<ReceivedFile, 'size' | 'warnings'> {
  /** Set if the complete file has another type than its first bytes suggest. */
  readonly type?: MediaType;
}

/** Stores a sanitized SVG. The original is only in memory and never stored. */
async function putSvg(deps: Deps, id: string, source: ByteSource, bounds: PutOptions): Promise<CheckedFile> {
  const original = await readIntoMemory(source, bounds.maxBytes);
  const { bytes, warnings } = await sanitizeSvgInPool(original, bounds.signal);
  const stored = await deps.storage.put(id, bytes, { ...bounds, maxBytes: bytes.length });
  return { ...stored, size: readSvgSize(bytes), warnings };
}

/** Stores an image, then reads it back when a decoding slot is free, so that waiting uploads need little memory. */
async function putImage(
  deps: Deps,
  id: string,
  source: ByteSource,
  bounds: PutOptions,
): Promise<CheckedFile> {
  const stored = await deps.storage.put(id, source, bounds);
  const bytes = source instanceof Uint8Array ? source : () => readStoredFile(deps, id);
  const { width, height } = await inspectImage(bytes, bounds.signal);
  return { ...stored, size: { width, height } };
}

async function putOther(
  deps: Deps,
  id: string,
  source: ByteSource,
  bounds: PutOptions,
): Promise<CheckedFile> {
  const stored = await deps.storage.put(id, source, bounds);
  const type = await probeStoredType(
    deps.storage,
    { key: id, bytes: stored.bytes, declaredContentType: bounds.declaredContentType },
    bounds.signal,
  );
  return { ...stored, type, size: undefined };
}

async function readIntoMemory(source: ByteSource, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of source instanceof Uint8Array ? [source] : source) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw createTooLargeError(maxBytes);
    chunks.push(Buffer.copyBytesFrom(chunk));
  }
  return Buffer.concat(chunks);
}
