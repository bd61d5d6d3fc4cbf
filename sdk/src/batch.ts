// Runs a workflow over many rows on the service, and follows the batch.
import { listItems } from './pages.ts';
import { createIdempotencyKey, type StartOptions, waitWithin } from './run.ts';
import { type CallOptions, type Connection, isTemporary, request } from './send.ts';
import type { Batch, BatchEstimate, BatchRequest, BatchRow, Table } from './types.ts';
import { sleep } from './waiting.ts';

export interface BatchWaitOptions extends CallOptions {
  /** Called with the batch whenever it has changed. */
  readonly onProgress?: (batch: Batch) => void;
  /** Throws a TimeoutError after this time. The batch continues. */
  readonly timeoutMs?: number;
}

/** A handle for a batch. The batch continues without the handle. */
export interface BatchHandle {
  readonly id: string;
  /** Waits until the batch is complete, stopped or paused. */
  wait(options?: BatchWaitOptions): Promise<Batch>;
  get(options?: CallOptions): Promise<Batch>;
  /** Yields the rows in order. */
  rows(options?: BatchRowOptions): AsyncGenerator<BatchRow, void, undefined>;
  /** Starts no more rows. Running rows continue to their end, unless they are canceled. */
  stop(options?: CallOptions & { readonly cancelRunning?: boolean }): Promise<Batch>;
  resume(
    options?: CallOptions & { readonly maxCredits?: number; readonly concurrency?: number },
  ): Promise<Batch>;
  /** Runs failed rows again from their completed nodes. */
  retry(
    options?: CallOptions & { readonly includeCancelled?: boolean; readonly includeUnknown?: boolean },
  ): Promise<Batch>;
}

export interface BatchRowOptions extends CallOptions {
  readonly status?: BatchRow['status'];
  /** Only the rows with these numbers, at most 200. */
  readonly numbers?: readonly number[];
}

export interface StartedBatch extends BatchHandle {
  readonly estimate: BatchEstimate;
}

interface StartResponse {
  readonly batchId: string;
  readonly estimate: BatchEstimate;
}

/** Starts a batch. */
export async function startBatch(
  connection: Connection,
  workflowId: string,
  body: BatchRequest,
  { signal, idempotencyKey = createIdempotencyKey() }: StartOptions,
): Promise<StartedBatch> {
  const { batchId, estimate } = await request<StartResponse>(connection, {
    method: 'POST',
    path: `/workflows/${encodeURIComponent(workflowId)}/batches`,
    body,
    headers: { 'idempotency-key': idempotencyKey },
    repeatable: true,
    signal,
  });
  return { ...attachBatch(connection, batchId), estimate };
}

/** Returns a handle for an existing batch. */
export function attachBatch(connection: Connection, id: string): BatchHandle {
  const path = `/batches/${encodeURIComponent(id)}`;
  const get = ({ signal }: CallOptions = {}): Promise<Batch> =>
    request(connection, { method: 'GET', path, signal });
  const change = (action: string, body: object, { signal }: CallOptions): Promise<Batch> =>
    request(connection, { method: 'POST', path: `${path}/${action}`, body, signal });
  return {
    id,
    get,
    wait: ({ onProgress, ...options } = {}) =>
      waitWithin(id, options, signal => pollUntilSettled(connection, get, onProgress, signal)),
    rows: ({ signal, status, numbers } = {}) =>
      listItems(connection, `${path}/rows`, { signal, query: { limit: 200, status, rows: numbers?.join() } }),
    stop: ({ signal, ...body } = {}) => change('stop', body, { signal }),
    resume: ({ signal, ...body } = {}) => change('resume', body, { signal }),
    retry: ({ signal, ...body } = {}) => change('retry', body, { signal }),
  };
}

export interface TableUploadOptions extends CallOptions {
  /** The encoding of the file, such as `windows-1252`, if it is neither Unicode nor certain. */
  readonly encoding?: string | undefined;
}

/** Uploads a table for a batch: CSV or JSON lines. */
export async function uploadTable(
  connection: Connection,
  file: Blob,
  { signal, encoding }: TableUploadOptions,
): Promise<Table> {
  const form = new FormData();
  form.set('file', file, file instanceof File ? file.name : 'table');
  return request(connection, { method: 'POST', path: '/tables', body: form, query: { encoding }, signal });
}

const SETTLED: ReadonlySet<string> = new Set(['COMPLETED', 'STOPPED', 'PAUSED']);
const POLL_MS = 1000;
const MAX_POLL_MS = 5000;

async function pollUntilSettled(
  connection: Connection,
  get: BatchHandle['get'],
  onProgress: BatchWaitOptions['onProgress'],
  signal: AbortSignal | undefined,
): Promise<Batch> {
  let lastText = '';
  let lostAtMs: number | undefined;
  for (let polls = 0; ; polls++) {
    try {
      const batch = await get({ signal });
      lostAtMs = undefined;
      const text = JSON.stringify(batch);
      if (text !== lastText) onProgress?.(batch);
      lastText = text;
      if (SETTLED.has(batch.status)) return batch;
    } catch (thrown) {
      lostAtMs ??= Date.now();
      if (!isTemporary(thrown) || Date.now() - lostAtMs >= connection.timing.outageMs) throw thrown;
    }
    await sleep(Math.min(POLL_MS * 1.1 ** polls, MAX_POLL_MS), signal);
  }
}
