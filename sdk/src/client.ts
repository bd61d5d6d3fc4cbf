// The client: where the service is and who asks, bound to every verb of this package.
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
import { type Call, type CallOptions, type Connection, type Query, send, type Timing } from './send.ts';
import type { Media, RunRequest } from './types.ts';
import { type UploadHints, type UploadOptions, uploadFile, uploadFrom } from './upload.ts';

export interface ClientOptions {
  /** The address of the service, like `https://graphwright.example.com`; empty in a page of the service itself. */
  readonly url: string;
  /** `sk-…`; without one, the session of a page of the service, or what is public. */
  readonly apiKey?: string;
  /** How often a request is sent again, by default 4 times. */
  readonly retries?: number;
  /** Other waits than the default ones. */
  readonly timing?: Partial<Timing>;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Reads answers in place of JSON.parse, e.g. to keep integers above 2^53. */
  readonly parseJson?: (text: string) => unknown;
  /** Another fetch than the runtime's own. */
  readonly fetch?: typeof fetch;
}

export interface RequestOptions extends CallOptions {
  readonly query?: Query;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sending it twice does what sending it once does; so of GET, PUT and DELETE by default. */
  readonly repeatable?: boolean;
}

export interface Client {
  /** Any request of the API; paths begin after `/api/v1`. Resolves to the body of the answer. */
  request<T>(method: string, path: string, options?: RequestOptions): Promise<T>;
  /** Every item of a list, page after page. */
  list<T>(path: string, options?: ListOptions): AsyncGenerator<T, void, undefined>;
  /** Starts a run and resolves to its handle as soon as the service has taken it. */
  run(workflowId: string, request?: RunRequest, options?: StartOptions): Promise<StartedRun>;
  /** The handle of a run that was started before, perhaps by another process. */
  attach(executionId: string): Run;
  /** Runs many, a bounded number at once, and yields each result as it comes. */
  runMany<O extends RunOrder>(
    orders: Iterable<O> | AsyncIterable<O>,
    options?: ManyOptions,
  ): AsyncGenerator<RunResult<O>, void, undefined>;
  /** Uploads a file; its address can be the input of a run. */
  upload(file: Blob | Uint8Array<ArrayBuffer> | ArrayBuffer, options?: UploadOptions): Promise<Media>;
  /** Has the service fetch a file from a public address and keep it. */
  uploadFrom(url: string, options?: UploadHints & CallOptions): Promise<Media>;
}

const TIMING: Timing = {
  timeoutMs: 30_000,
  baseMs: 500,
  capMs: 8000,
  maxRetryAfterMs: 60_000,
  silenceMs: 45_000,
  outageMs: 300_000,
};

/** A client of one service. It keeps no connection open and needs no closing. */
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
    // A browser's fetch wants to be called as its own.
    fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
    retries,
    parseJson: options.parseJson ?? (text => JSON.parse(text) as unknown),
    timing: { ...TIMING, ...timing },
  };
  return {
    request: async <T>(method: string, path: string, given: RequestOptions = {}) => {
      const call: Call = { ...given, method, path };
      return (await send<T>(connection, call)).body;
    },
    list: (path, given = {}) => listItems(connection, path, given),
    run: (workflowId, request = {}, given = {}) => startRun(connection, workflowId, request, given),
    attach: executionId => attachRun(connection, executionId),
    runMany: (orders, given = {}) => runMany(connection, orders, given),
    upload: (file, given = {}) => uploadFile(connection, file, given),
    uploadFrom: (address, given = {}) => uploadFrom(connection, address, given),
  };
}
