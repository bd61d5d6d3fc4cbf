// `graphwright batch`: runs a workflow over a table, follows the batch and saves its results. With the id of a batch
// instead of a workflow, follows that batch. `graphwright batches` stops, resumes and retries batches.
import { randomUUID } from 'node:crypto';
import { existsSync, openAsBlob } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Batch, BatchEstimate, BatchHandle, Table } from '../../sdk/src/sdk.ts';
import { toError } from '../lib/errors.ts';
import { isId } from '../lib/ids.ts';
import { readSettings } from '../lib/settings.ts';
import { findStart, hashStart, ResultSaver, storeStart } from './batch-folder.ts';
import { type Client, createServiceClient } from './client.ts';
import {
  type Command,
  CommandFailedError,
  type CommandInput,
  type OptionValue,
  UsageError,
} from './command.ts';
import { getOptionText, parseIntegerOption, parsePairOption } from './options.ts';
import type { Terminal } from './terminal/terminal.ts';
import { cleanText } from './terminal/text-width.ts';

export const batch: Command = async ({ args, options, terminal, signal }) => {
  const [target = '', path] = args;
  const client = createServiceClient(readSettings(), signal);
  const folder = getOptionText(options.out);
  const handle = isId('batch', target)
    ? client.attachBatch(target)
    : await startBatch(client, target, { path, folder, options, terminal, signal });
  const isJson = options.json === true;
  if (!isJson) terminal.print(terminal.paint('bold', handle.id));
  const saver = folder === undefined ? undefined : new ResultSaver(handle, folder, signal);
  const endedBatch = await followBatch(handle, { folder, saver, terminal, isJson, signal });
  if (saver !== undefined) {
    const rowCount = await saver.saveAll(endedBatch);
    if (!isJson) terminal.print(`Saved ${rowCount} rows to ${folder}`);
  }
  if (isJson) terminal.print(JSON.stringify(endedBatch, null, 2));
  else terminal.print(describeBatch(endedBatch));
  reportRemaining(endedBatch, terminal);
};

/** Says how the remaining rows can run. Throws if rows have failed. */
function reportRemaining({ id, status, counts }: Batch, terminal: Terminal): void {
  const { completed, failed, total } = counts;
  if (completed === total) return;
  if (status !== 'COMPLETED') terminal.note(`Run the other rows with: graphwright batches resume ${id}`);
  if (failed > 0) terminal.note(`Run the failed rows again with: graphwright batches retry ${id}`);
  if (status !== 'PAUSED') throw new CommandFailedError(`${completed} of ${total} rows completed.`);
}

export const stopBatch: Command = input =>
  changeBatch(input, (handle, signal) =>
    handle.stop({ signal, cancelRunning: input.options.cancelRunning === true }),
  );

export const resumeBatch: Command = input => {
  const maxCredits = parseIntegerOption('--max-credits', input.options.maxCredits);
  const concurrency = parseIntegerOption('--concurrency', input.options.concurrency);
  return changeBatch(input, (handle, signal) =>
    handle.resume({
      signal,
      ...(maxCredits === undefined ? {} : { maxCredits }),
      ...(concurrency === undefined ? {} : { concurrency }),
    }),
  );
};

export const retryBatch: Command = input =>
  changeBatch(input, (handle, signal) =>
    handle.retry({ signal, includeCancelled: input.options.includeCancelled === true }),
  );

async function changeBatch(
  { args: [id = ''], options, terminal, signal }: CommandInput,
  change: (handle: BatchHandle, signal: AbortSignal) => Promise<Batch>,
): Promise<void> {
  if (!isId('batch', id)) throw new UsageError(`${id} is not the id of a batch.`);
  const changedBatch = await change(createServiceClient(readSettings(), signal).attachBatch(id), signal);
  if (options.json === true) terminal.print(JSON.stringify(changedBatch, null, 2));
  else terminal.print(describeBatch(changedBatch));
}

interface StartOptions {
  readonly path: string | undefined;
  /** Where the start is stored, so that a repetition of the command follows the same batch. */
  readonly folder: string | undefined;
  readonly options: Readonly<Record<string, OptionValue>>;
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
}

async function startBatch(client: Client, workflowId: string, start: StartOptions): Promise<BatchHandle> {
  const { path, folder, options, terminal, signal } = start;
  if (!isId('workflow', workflowId))
    throw new UsageError(`${workflowId} is not the id of a workflow or a batch.`);
  if (path === undefined) throw new UsageError('Specify a table: a CSV file or JSON lines.');
  if (!existsSync(path)) throw new UsageError(`${path} does not exist.`);
  const request = parseRequest(options);
  if (folder === undefined) {
    const body = await prepareBatch(client, workflowId, { ...start, path, request });
    return client.batch(workflowId, body, { signal });
  }
  const { version } = await client.get<{ readonly version: number }>(`/workflows/${workflowId}`);
  const hash = hashStart({
    workflowId,
    version,
    request,
    encoding: getOptionText(options.encoding),
    table: await readFile(path),
  });
  const stored = options.again === true ? undefined : await findStart(folder, hash);
  if (stored?.batchId !== undefined) {
    terminal.note(
      `${folder} has the results of this table. To run all rows again, add --again or save to another folder.`,
    );
    return client.attachBatch(stored.batchId);
  }
  const pending = stored ?? {
    request: hash,
    idempotencyKey: randomUUID(),
    body: await prepareBatch(client, workflowId, { ...start, path, request }),
  };
  await storeStart(folder, pending);
  const handle = await client.batch(workflowId, pending.body, {
    signal,
    idempotencyKey: pending.idempotencyKey,
  });
  await storeStart(folder, { ...pending, batchId: handle.id });
  return handle;
}

type BatchOptions = ReturnType<typeof parseRequest>;

/** Uploads the table and checks the price. Returns the body of the request that starts the batch. */
async function prepareBatch(
  client: Client,
  workflowId: string,
  {
    path,
    request,
    options,
    terminal,
    signal,
  }: StartOptions & { readonly path: string; readonly request: BatchOptions },
) {
  const blob = await openAsBlob(path);
  const encoding = getOptionText(options.encoding);
  const table = await client.uploadTable(new File([blob], basename(path)), { signal, encoding });
  reportProblems(table, path);
  if (encoding === undefined && table.encoding !== 'utf-8')
    terminal.note(`Read as ${table.encoding}. To read the table in another encoding, add --encoding.`);
  const body = { ...request, tableId: table.tableId };
  const estimate = await client.post<BatchEstimate>(`/workflows/${workflowId}/batches/estimate`, body);
  const price = `${estimate.exact ? '' : 'at least '}${estimate.credits} credits`;
  if (request.maxCredits === undefined && (estimate.credits > 0 || !estimate.exact))
    throw new UsageError(`The batch costs ${price}. Set --max-credits.`);
  if (options.json !== true) terminal.print(`${table.total} rows, ${price}`);
  for (const warning of estimate.meta?.warnings ?? []) terminal.note(warning);
  return body;
}

function reportProblems({ problems }: Table, path: string): void {
  if (problems.length === 0) return;
  const lines = problems.map(({ line, message }) => `\n  ${path}:${line}: ${cleanText(message)}`);
  throw new UsageError(`The table has rows that cannot be used:${lines.slice(0, 20).join('')}`);
}

/** Returns the members of the request that the options set. */
function parseRequest(options: Readonly<Record<string, OptionValue>>) {
  const maxCredits = parseIntegerOption('--max-credits', options.maxCredits);
  const concurrency = parseIntegerOption('--concurrency', options.concurrency);
  const firstRows = parseIntegerOption('--first', options.first);
  const keyColumn = getOptionText(options.key);
  return {
    ...(maxCredits === undefined ? {} : { maxCredits }),
    ...(concurrency === undefined ? {} : { concurrency }),
    ...(firstRows === undefined ? {} : { firstRows }),
    ...(keyColumn === undefined ? {} : { keyColumn }),
    mapping: parseMapping(options.map),
  };
}

function parseMapping(option: OptionValue): Readonly<Record<string, string>> {
  const pairs = parsePairOption('--map', option, 'input=column');
  if (pairs.length === 0) throw new UsageError('Map at least one input to a column: --map input=column.');
  return Object.fromEntries(pairs);
}

interface FollowOptions {
  readonly folder: string | undefined;
  readonly saver: ResultSaver | undefined;
  readonly terminal: Terminal;
  readonly isJson: boolean;
  readonly signal: AbortSignal;
}

/**
 * Waits for the end of the batch, and saves results as rows end. The batch continues if the command is interrupted.
 */
async function followBatch(
  handle: BatchHandle,
  { folder, saver, terminal, isJson, signal }: FollowOptions,
): Promise<Batch> {
  try {
    return await handle.wait({
      signal,
      onProgress: current => {
        if (!isJson) terminal.note(describeBatch(current));
        // At the end of the batch, the results are saved again, and an error ends the command.
        saver?.start(current, err =>
          terminal.note(`Results could not be saved yet: ${toError(err).message}`),
        );
      },
    });
  } catch (thrown) {
    await saver?.waitUntilIdle();
    if (!signal.aborted) throw thrown;
    const out = folder === undefined ? '' : ` -o ${quoteArgument(folder)}`;
    const message = `The batch continues. Follow it again with: graphwright batch ${handle.id}${out}`;
    terminal.note(message);
    throw new CommandFailedError(message, { cause: thrown });
  }
}

/** Quotes an argument for a POSIX shell, if it needs that. */
const quoteArgument = (text: string): string =>
  /^[\w./:@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;

function describeBatch({ status, reason, counts, credits }: Batch): string {
  const { total, completed, failed, running } = counts;
  const reasonNote = reason === null ? '' : ` (${reason})`;
  return `${status}${reasonNote}: ${completed} of ${total} completed, ${failed} failed, ${running} running, ${credits.charged} credits`;
}
