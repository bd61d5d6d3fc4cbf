// Keeps the folder of `graphwright batch --out`: which batch its table started, and the results of the rows.
import { createWriteStream, existsSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Batch, BatchHandle, BatchRequest, BatchRow } from '../../sdk/src/sdk.ts';
import { sha256Hex } from '../lib/crypto.ts';
import { nameResults } from '../lib/result-names.ts';
import { CommandFailedError } from './command.ts';

const RECORD = 'batch.json';
/** How many rows a request can name. */
const MAX_NAMED_ROWS = 200;

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

/** Saves the results of a batch in a folder. Keeps a file if it is of the same execution, even if it was edited. */
export class ResultSaver {
  readonly #handle: BatchHandle;
  readonly #folder: string;
  readonly #signal: AbortSignal;
  /** Rows that have ended and whose results are saved. */
  readonly #savedRows = new Set<number>();
  #progress: Promise<void> | undefined;

  constructor(handle: BatchHandle, folder: string, signal: AbortSignal) {
    this.#handle = handle;
    this.#folder = folder;
    this.#signal = signal;
  }

  /** Starts to save the results of the rows that have ended, unless that is in progress. */
  start(batch: Batch, onError: (thrown: unknown) => void): void {
    this.#progress ??= this.#saveEnded(batch)
      .catch((thrown: unknown) => {
        if (!this.#signal.aborted) onError(thrown);
      })
      .finally(() => {
        this.#progress = undefined;
      });
  }

  async waitUntilIdle(): Promise<void> {
    await this.#progress;
  }

  async #saveEnded({ counts: { total } }: Batch): Promise<void> {
    for (let isDone = false; !isDone; ) {
      isDone = true;
      const numbers = this.#listNext(total);
      if (numbers.length === 0) return;
      await this.#save(this.#handle.rows({ signal: this.#signal, numbers }), total, ({ row, status }) => {
        if (status === 'waiting' || status === 'running') return;
        this.#savedRows.add(row);
        isDone = false;
      });
    }
  }

  /** Saves the results of all rows, and a list of the rows. Returns the number of rows. */
  async saveAll({ id, counts: { total } }: Batch): Promise<number> {
    await this.waitUntilIdle();
    const lines: string[] = [];
    await this.#save(this.#handle.rows({ signal: this.#signal }), total, row => {
      lines.push(JSON.stringify(row));
    });
    await writeAtomically(join(this.#folder, `${id}.jsonl`), `${lines.join('\n')}\n`);
    return lines.length;
  }

  /** Rows start in their order, so the next ones to end are among the first that have not ended. */
  #listNext(total: number): readonly number[] {
    const numbers: number[] = [];
    for (let row = 1; row <= total && numbers.length < MAX_NAMED_ROWS; row++)
      if (!this.#savedRows.has(row)) numbers.push(row);
    return numbers;
  }

  async #save(rows: AsyncIterable<BatchRow>, total: number, onSaved: (row: BatchRow) => void): Promise<void> {
    const record = await readRecord(this.#folder);
    const files: Record<string, string> = { ...record.files };
    try {
      for await (const row of rows) {
        for (const [name, output] of nameOutputs(row, total)) {
          const path = join(this.#folder, name);
          if (files[name] === row.executionId && existsSync(path)) continue;
          await saveOutput(output, path, this.#signal);
          files[name] = row.executionId ?? '';
        }
        onSaved(row);
      }
    } finally {
      await writeRecord(this.#folder, { ...record, files });
    }
  }
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

function nameOutputs(row: BatchRow, total: number): readonly (readonly [string, SavedOutput])[] {
  const outputs = row.outputs as readonly SavedOutput[];
  const labels = outputs.map(({ label = 'output' }) => label);
  const names = nameResults({ ...row, inputs: Object.values(row.inputs) }, { total, labels });
  return outputs.map((output, index) => [`${names[index]}.${getExtension(output)}`, output]);
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
  const response = await fetch(url, { signal }).catch((err: unknown) => {
    if (signal.aborted) throw err;
    const cause = err instanceof Error && err.cause instanceof Error ? err.cause.message : String(err);
    throw new Error(`${url} could not be downloaded: ${cause}`, { cause: err });
  });
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
