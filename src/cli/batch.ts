// `graphwright batch`: runs a workflow over a table, follows the batch and saves its results. With the id of a batch
// instead of a workflow, follows that batch.
import { createWriteStream, existsSync, openAsBlob } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Batch, BatchHandle, BatchRow, Table } from '../../sdk/src/sdk.ts';
import { toNamePart } from '../lib/files.ts';
import { isId } from '../lib/ids.ts';
import { readSettings } from '../lib/settings.ts';
import { type Client, createServiceClient } from './client.ts';
import { type Command, CommandFailedError, type OptionValue, UsageError } from './command.ts';
import { parseIntegerOption, parsePairOption } from './options.ts';
import type { Terminal } from './terminal/terminal.ts';
import { cleanText } from './terminal/text-width.ts';

export const batch: Command = async ({ args, options, terminal, signal }) => {
  const [target = '', path] = args;
  const client = createServiceClient(readSettings(), signal);
  const handle = isId('batch', target)
    ? client.attachBatch(target)
    : await startBatch(client, target, { path, options, terminal, signal });
  const isJson = options.json === true;
  if (!isJson) terminal.print(terminal.paint('bold', handle.id));
  const endedBatch = await followBatch(handle, { terminal, isJson, signal });
  if (typeof options.out === 'string')
    await saveResults(handle, endedBatch, options.out, { terminal, isJson, signal });
  if (isJson) terminal.print(JSON.stringify(endedBatch, null, 2));
  else terminal.print(describeBatch(endedBatch));
  if (endedBatch.status === 'PAUSED')
    terminal.note(`Run the other rows with: POST /api/v1/batches/${handle.id}/resume`);
  else if (endedBatch.counts.completed !== endedBatch.counts.total)
    throw new CommandFailedError(
      `${endedBatch.counts.completed} of ${endedBatch.counts.total} rows completed.`,
    );
};

interface StartOptions {
  readonly path: string | undefined;
  readonly options: Readonly<Record<string, OptionValue>>;
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
}

async function startBatch(
  client: Client,
  workflowId: string,
  { path, options, terminal, signal }: StartOptions,
): Promise<BatchHandle> {
  if (!isId('workflow', workflowId))
    throw new UsageError(`${workflowId} is not the id of a workflow or a batch.`);
  if (path === undefined) throw new UsageError('Specify a table: a CSV file or JSON lines.');
  const maxCredits = parseIntegerOption('--max-credits', options.maxCredits);
  const request = { ...parseLimits(options), ...(maxCredits === undefined ? {} : { maxCredits }) };
  const mapping = parseMapping(options.map);
  const blob = await openAsBlob(path);
  const table = await client.uploadTable(new File([blob], basename(path)), { signal });
  reportProblems(table, path);
  const body = {
    ...request,
    tableId: table.tableId,
    mapping,
    ...(typeof options.key === 'string' ? { keyColumn: options.key } : {}),
  };
  const estimatePath = `/workflows/${workflowId}/batches/estimate`;
  const estimate = await client.post<{ readonly credits: number; readonly exact: boolean }>(
    estimatePath,
    body,
  );
  if (maxCredits === undefined && (estimate.credits > 0 || !estimate.exact))
    throw new UsageError(
      `The batch costs ${estimate.exact ? '' : 'at least '}${estimate.credits} credits. Set --max-credits.`,
    );
  if (options.json !== true)
    terminal.print(`${table.total} rows, ${estimate.exact ? '' : 'at least '}${estimate.credits} credits`);
  return client.batch(workflowId, body, { signal });
}

function reportProblems({ problems }: Table, path: string): void {
  if (problems.length === 0) return;
  const lines = problems.map(({ line, message }) => `\n  ${path}:${line}: ${cleanText(message)}`);
  throw new UsageError(`The table has rows that cannot be used:${lines.slice(0, 20).join('')}`);
}

function parseLimits(options: Readonly<Record<string, OptionValue>>) {
  const concurrency = parseIntegerOption('--concurrency', options.concurrency);
  const firstRows = parseIntegerOption('--first', options.first);
  return {
    ...(concurrency === undefined ? {} : { concurrency }),
    ...(firstRows === undefined ? {} : { firstRows }),
  };
}

function parseMapping(option: OptionValue): Readonly<Record<string, string>> {
  const pairs = parsePairOption('--map', option, 'node=column');
  if (pairs.length === 0) throw new UsageError('Map at least one input node to a column: --map node=column.');
  return Object.fromEntries(pairs);
}

interface FollowOptions {
  readonly terminal: Terminal;
  readonly isJson: boolean;
  readonly signal: AbortSignal;
}

/** Waits for the end of the batch. The batch continues if the command is interrupted. */
async function followBatch(handle: BatchHandle, { terminal, isJson, signal }: FollowOptions): Promise<Batch> {
  try {
    return await handle.wait({
      signal,
      onProgress: current => {
        if (!isJson) terminal.note(describeBatch(current));
      },
    });
  } catch (thrown) {
    if (!signal.aborted) throw thrown;
    const message = `The batch continues. Follow it again with: graphwright batch ${handle.id}`;
    terminal.note(message);
    throw new CommandFailedError(message, { cause: thrown });
  }
}

function describeBatch({ status, reason, counts, credits }: Batch): string {
  const { total, completed, failed, running } = counts;
  const reasonNote = reason === null ? '' : ` (${reason})`;
  return `${status}${reasonNote}: ${completed} of ${total} completed, ${failed} failed, ${running} running, ${credits.charged} credits`;
}

/** Saves a list of the rows and the files of their results. Does not overwrite result files. */
async function saveResults(
  handle: BatchHandle,
  { id }: Batch,
  folder: string,
  { terminal, isJson, signal }: FollowOptions,
): Promise<void> {
  await mkdir(folder, { recursive: true });
  const lines: string[] = [];
  for await (const row of handle.rows({ signal })) {
    lines.push(JSON.stringify(row));
    for (const [name, output] of nameOutputs(row)) {
      const path = join(folder, name);
      if (existsSync(path)) continue;
      if (output.url === undefined) await writeFile(path, output.text ?? JSON.stringify(output.value));
      else await download(output.url, path, signal);
    }
  }
  await writeFile(join(folder, `${id}.jsonl`), `${lines.join('\n')}\n`);
  if (!isJson) terminal.print(`Saved ${lines.length} rows to ${folder}`);
}

interface SavedOutput {
  readonly url?: string;
  readonly text?: string;
  readonly value?: unknown;
  readonly label?: string;
}

function nameOutputs({ row, key, outputs }: BatchRow): readonly (readonly [string, SavedOutput])[] {
  return (outputs as readonly SavedOutput[]).map((output, index) => {
    const position = outputs.length === 1 ? '' : `-${index + 1}`;
    const stem = [
      String(row),
      ...(key === null ? [] : [toNamePart(key)]),
      toNamePart(output.label ?? 'output'),
    ];
    const extension =
      output.url === undefined
        ? output.text === undefined
          ? 'json'
          : 'txt'
        : (/\.([a-z0-9]{1,5})$/i.exec(new URL(output.url).pathname)?.[1] ?? 'bin');
    return [`${stem.join('-')}${position}.${extension}`, output];
  });
}

/** Downloads to a temporary name first, so that an interrupted download does not look like a result. */
async function download(url: string, path: string, signal: AbortSignal): Promise<void> {
  const response = await fetch(url, { signal });
  if (!response.ok || response.body === null)
    throw new Error(`${url} responded with status ${response.status}.`);
  const partial = `${path}.partial`;
  await pipeline(Readable.fromWeb(response.body as never), createWriteStream(partial), { signal });
  await rename(partial, path);
}
