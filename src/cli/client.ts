// The command line's own HTTP client: requests to a running service, its refusals as sentences, its event stream.
import { setTimeout as sleep } from 'node:timers/promises';
import { toError } from '../lib/errors.ts';
import type { Settings } from '../lib/settings.ts';
import { UsageError } from './failure.ts';
import { parseEvents, type ServerEvent } from './server-events.ts';

const REQUEST_TIMEOUT_MS = 30_000;
// The service sends a comment every 15 s, so a stream silent for three of those is dead.
const STREAM_SILENCE_MS = 45_000;
const MAX_RECONNECTS = 10;
const RECONNECT_BASE_MS = 250;
const RECONNECT_CAP_MS = 5000;

/** What the service refused, in its own words. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export interface Client {
  get<T>(path: string): Promise<T>;
  post<T>(path: string, body?: unknown): Promise<T>;
  delete<T>(path: string): Promise<T>;
  /** The events at the path, across dropped connections; ends when the service ends the stream after `isLast`. */
  events(path: string, isLast: (event: ServerEvent) => boolean): AsyncGenerator<ServerEvent>;
}

interface Target {
  readonly url: string;
  readonly apiKey: string;
  readonly signal: AbortSignal;
}

/** A client of the service at GRAPHWRIGHT_URL, with GRAPHWRIGHT_API_KEY. Paths begin after `/api/v1`, or are whole URLs. */
export function connect(settings: Settings, signal: AbortSignal): Client {
  const apiKey = settings.GRAPHWRIGHT_API_KEY;
  if (apiKey === undefined) {
    throw new UsageError(
      'GRAPHWRIGHT_API_KEY is not set. The service prints its first key when it starts on an empty DATA_DIR; `graphwright keys create` mints more.',
    );
  }
  const target: Target = { url: settings.GRAPHWRIGHT_URL ?? '', apiKey, signal };
  return {
    get: path => request(target, 'GET', path),
    post: (path, body) => request(target, 'POST', path, body),
    delete: path => request(target, 'DELETE', path),
    events: (path, isLast) => followEvents(target, path, isLast),
  };
}

async function request<T>(target: Target, method: string, path: string, body?: unknown): Promise<T> {
  const signal = AbortSignal.any([target.signal, AbortSignal.timeout(REQUEST_TIMEOUT_MS)]);
  const response = await send(target, path, {
    method,
    signal,
    ...(body === undefined
      ? {}
      : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
  return (await response.json()) as T;
}

async function send(target: Target, path: string, init: RequestInit): Promise<Response> {
  const url = URL.canParse(path) ? path : `${target.url}/api/v1${path}`;
  const headers = { ...init.headers, authorization: `Bearer ${target.apiKey}`, 'x-client': 'cli' };
  const response = await fetch(url, { ...init, headers, redirect: 'error' }).catch((thrown: unknown) => {
    throw explain(toError(thrown), target);
  });
  if (!response.ok) throw await readRefusal(response);
  return response;
}

/** fetch says "fetch failed" of everything; the reason is its cause. */
function explain(err: Error, target: Target): Error {
  if (target.signal.aborted) return toError(target.signal.reason);
  if (err.name === 'TimeoutError')
    return new Error(`The service at ${target.url} did not answer within ${REQUEST_TIMEOUT_MS / 1000} s.`, {
      cause: err,
    });
  const reason = err.cause instanceof Error && 'code' in err.cause ? ` (${String(err.cause.code)})` : '';
  return new Error(
    `Nothing answers at ${target.url}${reason}. Start it with \`graphwright serve\`, or set GRAPHWRIGHT_URL.`,
    { cause: err },
  );
}

async function readRefusal(response: Response): Promise<ServiceError> {
  const body: unknown = await response.json().catch(() => undefined);
  const { error, issues } = (body ?? {}) as {
    error?: unknown;
    issues?: readonly { nodeId?: string; message?: string }[];
  };
  const sentence = typeof error === 'string' ? error : `The service answered ${response.status}.`;
  const found = (issues ?? []).map(
    ({ nodeId, message }) => `\n  ${nodeId === undefined ? '' : `${nodeId}: `}${message}`,
  );
  return new ServiceError(response.status, `${sentence}${found.join('')}`);
}

async function* followEvents(
  target: Target,
  path: string,
  isLast: (event: ServerEvent) => boolean,
): AsyncGenerator<ServerEvent> {
  let lastId: string | undefined;
  for (let failures = 0; failures <= MAX_RECONNECTS; failures++) {
    if (failures > 0)
      await sleep(Math.min(RECONNECT_CAP_MS, RECONNECT_BASE_MS * 2 ** (failures - 1)), undefined, {
        signal: target.signal,
      });
    try {
      for await (const event of openStream(target, path, lastId)) {
        failures = 0;
        lastId = event.id ?? lastId;
        yield event;
        if (isLast(event)) return;
      }
    } catch (thrown) {
      // A refusal is final; a connection that broke is made again from the last event seen.
      if (thrown instanceof ServiceError || target.signal.aborted || failures === MAX_RECONNECTS)
        throw thrown;
    }
  }
  throw new Error(`The event stream of ${target.url} keeps breaking off.`);
}

async function* openStream(
  target: Target,
  path: string,
  lastId: string | undefined,
): AsyncGenerator<ServerEvent> {
  const silence = new AbortController();
  const timer = setTimeout(
    () => silence.abort(new Error('The event stream fell silent.')),
    STREAM_SILENCE_MS,
  );
  try {
    const response = await send(target, path, {
      headers: { accept: 'text/event-stream', ...(lastId === undefined ? {} : { 'last-event-id': lastId }) },
      signal: AbortSignal.any([target.signal, silence.signal]),
    });
    if (response.body === null) return;
    yield* parseEvents(response.body, () => timer.refresh());
  } finally {
    clearTimeout(timer);
    silence.abort();
  }
}
