// Connects the command line to a running service through the SDK, with error messages for people.
import { ApiError, ConnectionError, createClient, type Client as Sdk } from '../../sdk/src/sdk.ts';
import type { Query } from '../../sdk/src/send.ts';
import { parseExactJson } from '../lib/exact-numbers.ts';
import type { Settings } from '../lib/settings.ts';
import { UsageError } from './command.ts';

// Someone is waiting at the terminal, so an unreachable service is reported quickly.
const RETRIES = { retries: 2, timing: { baseMs: 250 } } as const;

/** `list` returns at most this number of items and ignores the rest. */
const MAX_LISTED = 10_000;

export interface Client {
  get<T>(path: string): Promise<T>;
  post<T>(path: string, body?: unknown): Promise<T>;
  patch<T>(path: string, body: unknown): Promise<T>;
  delete<T>(path: string): Promise<T>;
  /** Returns the items of all pages of a list. */
  list<T>(path: string, query?: Query): Promise<readonly T[]>;
  readonly run: Sdk['run'];
  readonly attach: Sdk['attach'];
  readonly batch: Sdk['batch'];
  readonly attachBatch: Sdk['attachBatch'];
  readonly uploadTable: Sdk['uploadTable'];
}

/** Creates a client of the service at GRAPHWRIGHT_URL with GRAPHWRIGHT_API_KEY. Paths start after `/api/v1`. */
export function createServiceClient(settings: Settings, signal: AbortSignal): Client {
  const apiKey = settings.GRAPHWRIGHT_API_KEY;
  if (apiKey === undefined) {
    throw new UsageError(
      'GRAPHWRIGHT_API_KEY is not set. The service prints its first key when it starts on an empty DATA_DIR; `graphwright keys create` creates more.',
    );
  }
  const url = settings.GRAPHWRIGHT_URL ?? '';
  const sdk = createClient({
    url,
    apiKey,
    headers: { 'x-client': 'cli' },
    parseJson: parseExactJson,
    ...RETRIES,
  });
  const request = <T>(method: string, path: string, body?: unknown): Promise<T> =>
    explainFailure(sdk.request<T>(method, path, { body, signal }));
  return {
    get: path => request('GET', path),
    post: (path, body) => request('POST', path, body),
    patch: (path, body) => request('PATCH', path, body),
    delete: path => request('DELETE', path),
    list: <T>(path: string, query?: Query) =>
      explainFailure(collect(sdk.list<T>(path, { query: { limit: 200, ...query }, signal }))),
    run: (id, body, options) => explainFailure(sdk.run(id, body, options)),
    attach: sdk.attach,
    batch: (id, body, options) => explainFailure(sdk.batch(id, body, options)),
    attachBatch: sdk.attachBatch,
    uploadTable: (file, options) => explainFailure(sdk.uploadTable(file, options)),
  };
}

async function collect<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const collected: T[] = [];
  for await (const item of items) if (collected.push(item) >= MAX_LISTED) break;
  return collected;
}

/** Returns the result. Converts an error to one with a message for the terminal. */
async function explainFailure<T>(result: Promise<T>): Promise<T> {
  try {
    return await result;
  } catch (thrown) {
    if (thrown instanceof ApiError) throw new Error(describeApiError(thrown), { cause: thrown });
    if (thrown instanceof ConnectionError)
      throw new Error(
        `${thrown.message} Start the service with \`graphwright serve\`, or set GRAPHWRIGHT_URL.`,
        { cause: thrown },
      );
    throw thrown;
  }
}

function describeApiError({ message, issues }: ApiError): string {
  const details = issues.map(
    issue => `\n  ${issue.nodeId === undefined ? '' : `${issue.nodeId}: `}${issue.message}`,
  );
  return `${message}${details.join('')}`;
}
