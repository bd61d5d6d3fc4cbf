// Starts runs with idempotency keys, and waits for, follows and cancels them. Executes many runs with bounded concurrency.
import { GraphwrightError, TimeoutError } from './errors.ts';
import { followRun, watchOnce } from './follow.ts';
import { type CallOptions, type Connection, isTemporary, request } from './send.ts';
import type { AcceptedRun, Execution, Output, RunEvent, RunRequest } from './types.ts';
import { hasEnded } from './types.ts';
import { backoffMs, limitTime, sleep } from './waiting.ts';

export interface WaitOptions extends CallOptions {
  /** Throws a TimeoutError after this time. The run continues. */
  readonly timeoutMs?: number;
}

/** A handle for a run. The run continues without the handle. `attach(id)` creates another handle at any time. */
export interface Run {
  readonly id: string;
  /** Waits for the run to end with any status, and returns its record. Continues across restarts of the service. */
  wait(options?: WaitOptions): Promise<Execution>;
  /** Waits for the run and returns its outputs. Throws a RunFailedError unless its status is COMPLETED. */
  outputs(options?: WaitOptions): Promise<readonly Output[]>;
  /** Yields the events of the run until it ends. The first one is a snapshot. Reconnects after interruptions. */
  events(options?: CallOptions): AsyncGenerator<RunEvent, void, undefined>;
  /** Cancels the run. A run that has ended does not change. */
  cancel(options?: CallOptions): Promise<Execution>;
  /** Returns the current record of the run. */
  get(options?: CallOptions): Promise<Execution>;
}

export interface StartedRun extends Run {
  readonly workflowId: string;
  readonly estimatedCredits: number;
}

export interface StartOptions extends CallOptions {
  /** Prevents a retry from starting a second run if a response is lost. Default: a random key. */
  readonly idempotencyKey?: string;
}

/** The run ended with a status other than COMPLETED. */
export class RunFailedError extends GraphwrightError {
  override readonly name = 'RunFailedError';
  readonly execution: Execution;

  constructor(execution: Execution) {
    super(execution.error?.message ?? `The run ended with status ${execution.status}.`);
    this.execution = execution;
  }
}

/** Starts a run. */
export async function startRun(
  connection: Connection,
  workflowId: string,
  body: RunRequest,
  { signal, idempotencyKey = createIdempotencyKey() }: StartOptions,
): Promise<StartedRun> {
  const { executionId, estimatedCredits } = await request<AcceptedRun>(connection, {
    method: 'POST',
    path: `/workflows/${encodeURIComponent(workflowId)}/run`,
    body,
    headers: { 'idempotency-key': idempotencyKey },
    repeatable: true,
    signal,
  });
  return { ...attachRun(connection, executionId), workflowId, estimatedCredits };
}

// randomUUID is missing in browsers on plain http.
export function createIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `sdk-${Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('')}`;
}

/** Returns a handle for an existing run. */
export function attachRun(connection: Connection, id: string): Run {
  const path = `/executions/${encodeURIComponent(id)}`;
  const get = ({ signal }: CallOptions = {}): Promise<Execution> =>
    request(connection, { method: 'GET', path, signal });
  const wait = (options: WaitOptions = {}): Promise<Execution> =>
    waitWithin(id, options, signal => pollBetweenStreams(connection, id, get, signal));
  return {
    id,
    wait,
    outputs: async options => {
      const execution = await wait(options);
      if (execution.status !== 'COMPLETED') throw new RunFailedError(execution);
      return execution.outputs;
    },
    events: (options = {}) => followRun(connection, id, options),
    cancel: ({ signal } = {}) =>
      request(connection, { method: 'POST', path: `${path}/cancel`, repeatable: true, signal }),
    get,
  };
}

/** Waits for the end of a run or batch. Throws a TimeoutError if that takes too long. */
export async function waitWithin<T>(
  id: string,
  { timeoutMs, signal }: WaitOptions,
  waitForEnd: (signal: AbortSignal | undefined) => Promise<T>,
): Promise<T> {
  const limit = limitTime(timeoutMs, signal);
  try {
    return await waitForEnd(limit.signal);
  } catch (thrown) {
    if (limit.isOver() && !signal?.aborted)
      throw new TimeoutError(`${id} has not ended within ${timeoutMs} ms. It continues.`);
    throw thrown;
  } finally {
    limit.end();
  }
}

/**
 * Waits for the end of the event stream, then reads the record, until the run has ended. Also works behind a proxy that
 * blocks event streams, but is slower there.
 */
async function pollBetweenStreams(
  connection: Connection,
  id: string,
  get: Run['get'],
  signal: AbortSignal | undefined,
): Promise<Execution> {
  let lostAtMs: number | undefined;
  for (let failures = 1; ; failures++) {
    await watchOnce(connection, id, { signal });
    try {
      const execution = await get({ signal });
      if (hasEnded(execution)) return execution;
      lostAtMs = undefined;
      failures = 1;
    } catch (thrown) {
      lostAtMs ??= Date.now();
      if (!isTemporary(thrown) || Date.now() - lostAtMs >= connection.timing.outageMs) throw thrown;
    }
    await sleep(backoffMs(failures, connection.timing), signal);
  }
}

/** A run to start with `runMany`. The result contains the order, including properties that you add to it. */
export interface RunOrder {
  readonly workflowId: string;
  readonly request?: RunRequest;
  readonly idempotencyKey?: string;
}

/** The result of an order of `runMany`. It has `error` if the run could not be started or awaited. */
export type RunResult<O extends RunOrder> =
  | { readonly order: O; readonly execution: Execution }
  | { readonly order: O; readonly error: unknown };

export interface ManyOptions extends CallOptions {
  /** The number of concurrent runs. Default: 8. */
  readonly concurrency?: number;
}

/**
 * Starts every order, at most `concurrency` at a time, and yields each result as it arrives. Orders are read one by one,
 * so they may be an endless generator. If you stop iterating, waiting stops; runs that were started continue.
 */
export async function* runMany<O extends RunOrder>(
  connection: Connection,
  orders: Iterable<O> | AsyncIterable<O>,
  { concurrency = 8, signal }: ManyOptions,
): AsyncGenerator<RunResult<O>, void, undefined> {
  if (!(concurrency >= 1)) throw new RangeError('concurrency must be at least 1.');
  const controller = new AbortController();
  const abort = (): void => controller.abort(signal?.reason);
  if (signal?.aborted) abort();
  signal?.addEventListener('abort', abort, { once: true });
  const source = Symbol.asyncIterator in orders ? orders[Symbol.asyncIterator]() : orders[Symbol.iterator]();
  const pending = new Map<number, Promise<readonly [number, RunResult<O>]>>();
  let startedCount = 0;
  let isExhausted = false;
  try {
    for (;;) {
      while (!isExhausted && pending.size < concurrency) {
        signal?.throwIfAborted();
        const next = await source.next();
        if (next.done === true) isExhausted = true;
        else {
          const index = startedCount++;
          pending.set(
            index,
            runOne(connection, next.value, controller.signal).then(result => [index, result]),
          );
        }
      }
      if (pending.size === 0) return;
      const [index, result] = await Promise.race(pending.values());
      pending.delete(index);
      signal?.throwIfAborted();
      yield result;
    }
  } finally {
    signal?.removeEventListener('abort', abort);
    controller.abort();
    await source.return?.();
  }
}

async function runOne<O extends RunOrder>(
  connection: Connection,
  order: O,
  signal: AbortSignal,
): Promise<RunResult<O>> {
  const { workflowId, request = {}, idempotencyKey } = order;
  try {
    const run = await startRun(connection, workflowId, request, {
      signal,
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    });
    return { order, execution: await run.wait({ signal }) };
  } catch (error) {
    return { order, error };
  }
}
