// Writes and reads backup files: a tar whose last entry counts and hashes all others.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { createTarDecoder, createTarPacker } from 'modern-tar';
import { AppError } from '../../lib/errors.ts';
import { freeAfterUse } from '../../lib/freeing.ts';
import { isRecord, parseJson } from '../../lib/record.ts';

export interface ArchiveWriter {
  /** Adds an entry of exactly that size. Throws if the source has a different size. Its chunks are freed. */
  add(name: string, bytes: number, source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<void>;
  /** Writes the last entry and resolves when everything is on disk. */
  finish(): Promise<void>;
  /** Stops writing at once; the file must not be used. */
  abort(): Promise<void>;
}

export interface ArchiveEntry {
  readonly name: string;
  readonly bytes: number;
  /** Read it completely before requesting the next entry. */
  readonly body: AsyncIterable<Uint8Array>;
}

const END = 'end.json';
const READ_BYTES = 524_288;

/** Creates the file, readable by its owner only. Throws if it exists. */
export function writeArchive(path: string, signal: AbortSignal): ArchiveWriter {
  const { pieces, add, finish, fail } = createArchive();
  const writing = writeOut(path, pieces, signal);
  // Errors here surface in the next write, and in `finish`.
  writing.catch(fail);
  return {
    add,
    async finish() {
      await finish();
      await writing;
    },
    async abort() {
      fail(new Error('The backup was canceled.'));
      await writing.catch(() => undefined);
    },
  };
}

export interface Archive extends Omit<ArchiveWriter, 'abort'> {
  /** The bytes of the file. Entries are added as fast as these are read. */
  readonly pieces: ReadableStream<Uint8Array>;
  /** Ends `pieces` with the error, so that readers notice that the archive is incomplete. */
  readonly fail: (err: unknown) => void;
}

/** Creates an archive that is read while it is written. */
export function createArchive(): Archive {
  const { readable, controller } = createTarPacker();
  const seal = createSummary();

  const append = async (name: string, bytes: number, source: Parameters<ArchiveWriter['add']>[2]) => {
    const hash = createHash('sha256');
    const sink = controller.add({ name, size: bytes, mode: 0o600 }).getWriter();
    for await (const piece of source) {
      hash.update(piece);
      await sink.write(piece);
    }
    await sink.close();
    return hash.digest('hex');
  };
  return {
    pieces: readable,
    async add(name, bytes, source) {
      seal.coverEntry(name, bytes, await append(name, bytes, source));
    },
    async finish() {
      const last = Buffer.from(`${JSON.stringify(seal.value(), null, 2)}\n`);
      await append(END, last.length, [last]);
      controller.finalize();
    },
    fail: err => controller.error(err),
  };
}

/**
 * Writes the chunks to the file and frees each one. Leaving that to the garbage collector was half of the cost of a
 * backup.
 */
async function writeOut(
  path: string,
  pieces: ReadableStream<Uint8Array>,
  signal: AbortSignal,
): Promise<void> {
  await using file = await open(path, 'wx', 0o600);
  for await (const piece of freeAfterUse(pieces)) {
    signal.throwIfAborted();
    await file.writeFile(piece);
  }
  await file.sync();
}

/** Yields the entries in order. Throws after the last one if the file is truncated or any byte was changed. */
export async function* readArchive(
  path: string,
  signal: AbortSignal,
  onProgress: (bytesRead: number) => void,
): AsyncGenerator<ArchiveEntry> {
  const file = createReadStream(path, { highWaterMark: READ_BYTES, signal });
  file.on('data', () => onProgress(file.bytesRead));
  const seal = createSummary();
  // Where the types of browsers are loaded too, theirs differ from those of Node.
  const entries = (Readable.toWeb(file) as ReadableStream<Uint8Array>).pipeThrough(
    createTarDecoder({ strict: true }),
  );
  for await (const { header, body } of entries) {
    const { name, size: bytes } = header;
    const hash = createHash('sha256');
    if (name === END) {
      seal.check(Buffer.concat(await Array.fromAsync(body)).toString());
      return;
    }
    yield { name, bytes, body: hashBody(body, hash) };
    seal.coverEntry(name, bytes, hash.digest('hex'));
  }
  throw damagedError('it ends too early');
}

async function* hashBody(
  body: AsyncIterable<Uint8Array>,
  hash: ReturnType<typeof createHash>,
): AsyncGenerator<Uint8Array> {
  for await (const piece of body) {
    hash.update(piece);
    yield piece;
  }
}

/**
 * Creates one hash over names, sizes and hashes of all entries, so that the last entry authenticates everything before
 * it.
 */
function createSummary() {
  const hash = createHash('sha256');
  let entries = 0;
  const value = () => ({ entries, sha256: hash.copy().digest('hex') });
  return {
    value,
    coverEntry(name: string, bytes: number, sha256: string): void {
      entries++;
      hash.update(`${sha256} ${bytes} ${name}\n`);
    },
    check(text: string): void {
      const summary = parseJson(text);
      const expected = value();
      if (!isRecord(summary) || summary.entries !== expected.entries)
        throw damagedError('entries are missing');
      if (summary.sha256 !== expected.sha256) throw damagedError('its checksum is wrong');
    },
  };
}

function damagedError(reason: string): AppError {
  return new AppError('invalid_request', `The backup is damaged: ${reason}. Nothing was restored.`);
}
