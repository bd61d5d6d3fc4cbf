// Writes and reads backup files: a tar whose last entry counts and hashes all others.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { createTarDecoder, createTarPacker } from 'modern-tar';
import { AppError } from '../../lib/errors.ts';
import { freeBuffer } from '../../lib/freeing.ts';
import { isRecord, parseJson } from '../../lib/record.ts';

export interface ArchiveWriter {
  /** Adds an entry of exactly that size. Throws if the source has a different size. Frees the chunks of the source. */
  add(name: string, bytes: number, source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<void>;
  /** Adds the last entry. */
  finish(): Promise<void>;
}

export interface Archive extends ArchiveWriter {
  /** The bytes of the file. Entries are added only as fast as the bytes are read. */
  readonly chunks: ReadableStream<Uint8Array>;
  /** Ends `chunks` with the error, so that readers notice that the archive is incomplete. */
  readonly fail: (err: unknown) => void;
}

export interface ArchiveEntry {
  readonly name: string;
  readonly bytes: number;
  /** The reader must read the body completely before it requests the next entry. */
  readonly body: AsyncIterable<Uint8Array>;
}

const LAST_ENTRY = 'end.json';
const READ_BYTES = 524_288;
/** Headers and the end of a tar are at most this long. The tar library shares the end between all archives. */
const MAX_TAR_BLOCK_BYTES = 1024;

/** Creates an archive that is read while it is written. */
export function createArchive(): Archive {
  const { readable, controller } = createTarPacker();
  const summary = createSummary();

  const append = async (name: string, bytes: number, source: Parameters<ArchiveWriter['add']>[2]) => {
    const hash = createHash('sha256');
    const sink = controller.add({ name, size: bytes, mode: 0o600 }).getWriter();
    for await (const chunk of source) {
      hash.update(chunk);
      await sink.write(chunk);
    }
    await sink.close();
    return hash.digest('hex');
  };
  return {
    chunks: readable,
    async add(name, bytes, source) {
      summary.addEntry(name, bytes, await append(name, bytes, source));
    },
    async finish() {
      const bytes = Buffer.from(`${JSON.stringify(summary.compute(), null, 2)}\n`);
      await append(LAST_ENTRY, bytes.length, [bytes]);
      controller.finalize();
    },
    fail: err => controller.error(err),
  };
}

/**
 * Writes the chunks to a new file that only its owner can read. Throws if the file exists. Frees the chunks of entries
 * after use, because garbage collection of chunks took half of the time of a backup.
 */
export async function writeArchiveFile(
  path: string,
  chunks: ReadableStream<Uint8Array>,
  signal: AbortSignal,
): Promise<void> {
  await using file = await open(path, 'wx', 0o600);
  for await (const chunk of chunks) {
    signal.throwIfAborted();
    await file.writeFile(chunk);
    if (chunk.length > MAX_TAR_BLOCK_BYTES) freeBuffer(chunk);
  }
  await file.sync();
}

/** Yields the entries in order. After the last entry, throws if the file is truncated or any byte was changed. */
export async function* readArchive(
  path: string,
  signal: AbortSignal,
  onProgress: (bytesRead: number) => void,
): AsyncGenerator<ArchiveEntry> {
  const file = createReadStream(path, { highWaterMark: READ_BYTES, signal });
  file.on('data', () => onProgress(file.bytesRead));
  const summary = createSummary();
  // The cast is needed because the types of browsers, if they are loaded too, differ from those of Node.
  const entries = (Readable.toWeb(file) as ReadableStream<Uint8Array>).pipeThrough(
    createTarDecoder({ strict: true }),
  );
  for await (const { header, body } of entries) {
    const { name, size: bytes } = header;
    if (name === LAST_ENTRY) {
      summary.check(Buffer.concat(await Array.fromAsync(body)).toString());
      return;
    }
    const hash = createHash('sha256');
    yield { name, bytes, body: hashBody(body, hash) };
    summary.addEntry(name, bytes, hash.digest('hex'));
  }
  throw createDamagedError('it ends too early');
}

async function* hashBody(
  body: AsyncIterable<Uint8Array>,
  hash: ReturnType<typeof createHash>,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    hash.update(chunk);
    yield chunk;
  }
}

/** Creates the content of the last entry: the number of entries, and one hash over their names, sizes and hashes. */
function createSummary() {
  const hash = createHash('sha256');
  let entries = 0;
  const compute = () => ({ entries, sha256: hash.copy().digest('hex') });
  return {
    compute,
    addEntry(name: string, bytes: number, sha256: string): void {
      entries++;
      hash.update(`${sha256} ${bytes} ${name}\n`);
    },
    check(text: string): void {
      const summary = parseJson(text);
      const expected = compute();
      if (!isRecord(summary) || summary.entries !== expected.entries)
        throw createDamagedError('entries are missing');
      if (summary.sha256 !== expected.sha256) throw createDamagedError('its checksum is wrong');
    },
  };
}

function createDamagedError(reason: string): AppError {
  return new AppError('invalid_request', `The backup is damaged: ${reason}. Nothing was restored.`);
}
