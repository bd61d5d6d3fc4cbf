// Keeps the folder of `graphwright batch --out`: which batch its table started, and the results of the rows.
import { createWriteStream, existsSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Batch, BatchHandle, BatchRequest, BatchRow } from '../../sdk/src/sdk.ts';
import { sha256Hex } from '../lib/crypto.ts';
import { toNamePart } from '../lib/files.ts';
import { CommandFailedError } from './command.ts';

const RECORD = 'batch.json';

/** A start of a batch. It is stored before the request is sent, so that a repetition starts no second batch. */
export interface BatchStart {
  /** A hash of the workflow, its version, the table and the options. */
  readonly request: string;
  readonly idempotencyKey: string;
  readonly body: BatchRequest;
  /** Absent until the batch was accepted. */
  readonly batchId?: string;
}

interface FolderRecord {
  readonly start?: BatchStart;
  /** The id of the execution of each saved result, by the name of its file. */
  readonly files?: Readonly<Record<string, string>>;
}

interface StartInput {
  readonly workflowId: string;
  readonly version: number;
  /** The options that are sent to the service. */
  readonly request: object;
  readonly encoding: string | undefined;
  readonly table: Uint8Array;
}

/**
 * Returns the hash that identifies a start. A later version must return the same hash for the same input, or a command that
 * is repeated after an upgrade starts and charges a second batch. So a new option is part of the hash only if it is set.
 */
export function hashStart({ workflowId, version, request, encoding, table }: StartInput): string {
  const options = encoding === undefined ? [] : [encoding];
  return sha256Hex(JSON.stringify([workflowId, version, request, ...options, sha256Hex(table)]));
}

/** Returns the start that the folder has stored last, if it is of this request. */
export async function findStart(folder: string, request: string): Promise<BatchStart | undefined> {
  const { start } = await readRecord(folder);
  return start?.request === request ? start : undefined;
}

export async function storeStart(folder: string, start: BatchStart): Promise<void> {
  await writeRecord(folder, { ...(await readRecord(folder)), start });
}

/**
 * Saves a list of the rows, and each result that is not yet in the folder. Keeps a file if it is of the same execution, even
 * if it was edited. Returns the number of rows.
 */
export async function saveResults(
  handle: BatchHandle,
  { id, counts }: Batch,
  folder: string,
  signal: AbortSignal,
): Promise<number> {
  const record = await readRecord(folder);
  const files: Record<string, string> = { ...record.files };
  const digits = String(counts.total).length;
  const lines: string[] = [];
  try {
    for await (const row of handle.rows({ signal })) {
      lines.push(JSON.stringify(row));
      for (const [name, output] of nameOutputs(row, digits)) {
        const path = join(folder, name);
        if (files[name] === row.executionId && existsSync(path)) continue;
        await saveOutput(output, path, signal);
        files[name] = row.executionId ?? '';
      }
    }
  } finally {
    await writeRecord(folder, { ...record, files });
  }
  await writeAtomically(join(folder, `${id}.jsonl`), `${lines.join('\n')}\n`);
  return lines.length;
}

async function readRecord(folder: string): Promise<FolderRecord> {
  const path = join(folder, RECORD);
  if (!existsSync(path)) return {};
  try {
    return JSON.parse(await readFile(path, 'utf8')) as FolderRecord;
  } catch (err) {
    throw new CommandFailedError(`${path} is damaged. Delete it, or save to another folder.`, { cause: err });
  }
}

async function writeRecord(folder: string, record: FolderRecord): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeAtomically(join(folder, RECORD), `${JSON.stringify(record, null, 2)}\n`);
}

interface SavedOutput {
  readonly url?: string;
  readonly text?: string;
  readonly value?: unknown;
  readonly label?: string;
}

/** Names the outputs of a row. The numbers of rows have the same length, so that the files are sorted like the rows. */
function nameOutputs(
  { row, key, outputs }: BatchRow,
  digits: number,
): readonly (readonly [string, SavedOutput])[] {
  return (outputs as readonly SavedOutput[]).map((output, index) => {
    const position = outputs.length === 1 ? '' : `-${index + 1}`;
    const stem = [
      String(row).padStart(digits, '0'),
      ...(key === null ? [] : [toNamePart(key)]),
      toNamePart(output.label ?? 'output'),
    ];
    return [`${stem.join('-')}${position}.${getExtension(output)}`, output];
  });
}

function getExtension({ url, text }: SavedOutput): string {
  if (url !== undefined) return /\.([a-z0-9]{1,5})$/i.exec(new URL(url).pathname)?.[1] ?? 'bin';
  return text === undefined ? 'json' : 'txt';
}

async function saveOutput(
  { url, text, value }: SavedOutput,
  path: string,
  signal: AbortSignal,
): Promise<void> {
  if (url === undefined) return writeAtomically(path, text ?? JSON.stringify(value));
  const response = await fetch(url, { signal });
  if (!response.ok || response.body === null)
    throw new Error(`${url} responded with status ${response.status}.`);
  const partial = `${path}.partial`;
  await pipeline(Readable.fromWeb(response.body as never), createWriteStream(partial), { signal });
  await rename(partial, path);
}

/** Writes to a temporary name first, so that an interruption leaves no part that looks like a whole file. */
async function writeAtomically(path: string, text: string): Promise<void> {
  const partial = `${path}.partial`;
  await writeFile(partial, text);
  await rename(partial, path);
}
