// Reads files in chunks, makes the names in a folder durable, creates temporary folders, and derives file names.
import { createReadStream } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cutText } from './cut-text.ts';

/**
 * Yields the chunks of a file, which is opened with the first chunk. A stream that is opened earlier would end the
 * process with an unhandled error if the file is deleted before anyone reads it.
 */
export async function* readFileChunks(path: string): AsyncGenerator<Buffer, void> {
  yield* createReadStream(path) as AsyncIterable<Buffer>;
}

/** Syncs a folder to disk. Syncing a file persists its bytes, but not its name, which is in the folder. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Creates a temporary folder that only its owner can read, and removes the folder after `work`. */
export async function withTempFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'graphwright-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

const MAX_PART_CHARS = 60;
/** File systems allow 255 bytes, and a name consists of up to two parts with numbers and extensions. */
const MAX_PART_BYTES = 100;

/** Turns a text into a part of a file name that is valid on every system. Keeps letters and digits of every language. */
export function toNamePart(text: string): string {
  const part = text
    .normalize('NFC')
    .replaceAll(/[^\p{L}\p{N}._]+/gu, '-')
    .replaceAll(/^[-.]+|[-.]+$/g, '');
  return part === '' ? 'output' : cutBytes(cutText(part, MAX_PART_CHARS), MAX_PART_BYTES);
}

function cutBytes(text: string, maxBytes: number): string {
  let cut = text;
  while (Buffer.byteLength(cut) > maxBytes) cut = cutText(cut, cut.length - 1);
  return cut;
}
