// Creates clients: the address and credentials of a service, with the methods of this package.
import {
  attachSchedule,
  attachTrigger,
  type CreatedTriggerHandle,
  createSchedule,
  createTrigger,
  type ScheduleHandle,
  type TriggerHandle,
} from './automation.ts';
import {
  attachBatch,
  type BatchHandle,
  type StartedBatch,
  startBatch,
  type TableUploadOptions,
  uploadTable,
} from './batch.ts';
import { type ListOptions, listItems } from './pages.ts';
import {
  attachRun,
  type ManyOptions,
  type Run,
  type RunOrder,
  type RunResult,
  runMany,
  type StartedRun,
  type StartOptions,
  startRun,
} from './run.ts';
import { type CallOptions, type Connection, type Query, request, type Timing } from './send.ts';
import type { BatchRequest, Media, RunRequest, ScheduleRequest, Table, TriggerRequest } from './types.ts';
import { type UploadHints, type UploadOptions, uploadFile, uploadFrom } from './upload.ts';

export interface ClientOptions {
  /** The URL of the service, for example `https://graphwright.example.com`. Empty in a page of the service itself. */
  readonly url: string;
  /** The API key, `sk-…`. Without a key, requests use the session of the page, or are anonymous. */
  readonly apiKey?: string;
  /** The number of retries of a failed request. Default: 4. */
  readonly retries?: number;
  /** Overrides the default timeouts and delays. */
  readonly timing?: Partial<Timing>;
  /** Headers that are sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Parses responses instead of JSON.parse, for example to keep integers above 2^53. */
  readonly parseJson?: (text: string) => unknown;
  /** Replaces the fetch of the runtime. */
  readonly fetch?: typeof fetch;
}

export interface RequestOptions extends CallOptions {
  readonly query?: Query;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether the request is idempotent and can be retried. Default: true for GET, PUT and DELETE. */
  readonly repeatable?: boolean;
}

export interface Client {
  /** Sends any request of the API and returns the body of the response. The path starts after `/api/v1`. */
  request<T>(method: string, path: string, options?: RequestOptions): Promise<T>;
  /** Yields the items of a list, loading page after page. */
  list<T>(path: string, options?: ListOptions): AsyncGenerator<T, void, undefined>;
  /** Starts a run and returns a handle as soon as the service has accepted it. */
  run(workflowId: string, request?: RunRequest, options?: StartOptions): Promise<StartedRun>;
  /** Returns a handle for an existing run, which may have been started by another process. */
  attach(executionId: string): Run;
  /** Executes many runs with bounded concurrency and yields each result as it arrives. */
  runMany<O extends RunOrder>(
    orders: Iterable<O> | AsyncIterable<O>,
    options?: ManyOptions,
  ): AsyncGenerator<RunResult<O>, void, undefined>;
  /** Starts a batch: the service runs the workflow for each row. Returns a handle as soon as the batch is accepted. */
  batch(workflowId: string, request: BatchRequest, options?: StartOptions): Promise<StartedBatch>;
  /** Returns a handle for an existing batch. */
  attachBatch(batchId: string): BatchHandle;
  /** Uploads a table (CSV or JSON lines) for a batch. */
  uploadTable(file: Blob, options?: TableUploadOptions): Promise<Table>;
  /** Creates a schedule, which runs the workflow at set times. */
  schedule(workflowId: string, request: ScheduleRequest, options?: CallOptions): Promise<ScheduleHandle>;
  /** Returns a handle for an existing schedule. */
  attachSchedule(scheduleId: string): ScheduleHandle;
  /** Creates a trigger, which runs the workflow when something happens. */
  trigger(workflowId: string, request: TriggerRequest, options?: CallOptions): Promise<CreatedTriggerHandle>;
  /** Returns a handle for an existing trigger. */
  attachTrigger(triggerId: string): TriggerHandle;
  /** Uploads a file. Its URL can be used as an input of a run. */
  upload(file: Blob | Uint8Array<ArrayBuffer> | ArrayBuffer, options?: UploadOptions): Promise<Media>;
  /** Uploads a file by URL: the service downloads it. */
  uploadFrom(url: string, options?: UploadHints & CallOptions): Promise<Media>;
}

const DEFAULT_TIMING: Timing = {
  timeoutMs: 30_000,
  baseMs: 500,
  capMs: 8000,
  maxRetryAfterMs: 60_000,
  silenceMs: 45_000,
  outageMs: 300_000,
};

/** Creates a client of a service. The client holds no open connection and need not be closed. */
export function createClient({
  url,
  apiKey,
  retries = 4,
  timing,
  headers,
  ...options
}: ClientOptions): Client {
  const connection: Connection = {
    url: url.replace(/\/+$/, ''),
    headers: { ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }), ...headers },
    // Browsers require fetch to be called as a method of globalThis.
    fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
    retries,
    parseJson: options.parseJson ?? (text => JSON.parse(text) as unknown),
    timing: { ...DEFAULT_TIMING, ...timing },
  };
  return {
    request: <T>(method: string, path: string, options: RequestOptions = {}) =>
      request<T>(connection, { ...options, method, path }),
    list: (path, options = {}) => listItems(connection, path, options),
    run: (workflowId, request = {}, options = {}) => startRun(connection, workflowId, request, options),
    attach: executionId => attachRun(connection, executionId),
    runMany: (orders, options = {}) => runMany(connection, orders, options),
    batch: (workflowId, request, options = {}) => startBatch(connection, workflowId, request, options),
    attachBatch: batchId => attachBatch(connection, batchId),
    uploadTable: (file, options = {}) => uploadTable(connection, file, options),
    schedule: (workflowId, request, options = {}) => createSchedule(connection, workflowId, request, options),
    attachSchedule: scheduleId => attachSchedule(connection, scheduleId),
    trigger: (workflowId, request, options = {}) => createTrigger(connection, workflowId, request, options),
    attachTrigger: triggerId => attachTrigger(connection, triggerId),
    upload: (file, options = {}) => uploadFile(connection, file, options),
    uploadFrom: (address, options = {}) => uploadFrom(connection, address, options),
  };
}
