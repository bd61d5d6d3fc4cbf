// Runs: started under an idempotency key, then waited for, followed or cancelled by a handle; many at once under a bound.
import { GraphwrightError, TimeoutError } from './errors.ts';
import { followRun, watchOnce } from './follow.ts';
import { type CallOptions, type Connection, isPassing, send } from './send.ts';
import type { AcceptedRun, Execution, Output, RunEvent, RunRequest } from './types.ts';
import { hasEnded } from './types.ts';
import { backoffMs, limitTime, sleep } from './waiting.ts';

export interface WaitOptions extends CallOptions {
  /** Throw a TimeoutError after this; the run goes on. */
  readonly timeoutMs?: number;
}

/** A run of the service. It lives there: this handle may be dropped, and made again by `attach(id)`. */
export interface Run {
  readonly id: string;
  /** The record once the run has ended, whatever its status. Survives restarts of the service. */
  wait(options?: WaitOptions): Promise<Execution>;
  /** What the run made. Throws a RunFailedError unless it ends as COMPLETED. */
  outputs(options?: WaitOptions): Promise<readonly Output[]>;
  /** The run's changes as they happen, to its end; the first is a snapshot. Survives cuts. */
  events(options?: CallOptions): AsyncGenerator<RunEvent, void, undefined>;
  /** Asks the service to stop the run. Of a run that has ended, nothing changes. */
  cancel(options?: CallOptions): Promise<Execution>;
  /** The record as it stands. */
  get(options?: CallOptions): Promise<Execution>;
}

export interface StartedRun extends Run {
  readonly workflowId: string;
  readonly estimatedCredits: number;
}

export interface StartOptions extends CallOptions {
  /** By default a new one: a start whose answer was lost is sent again and starts no second run. */
  readonly idempotencyKey?: string;
}

/** The run did not end as COMPLETED. */
export class RunFailedError extends GraphwrightError {
  override readonly name = 'RunFailedError';
  readonly execution: Execution;

  constructor(execution: Execution) {
    super(execution.error?.message ?? `The run ended as ${execution.status}.`);
    this.execution = execution;
  }
}

/** Starts a run. */
export async function startRun(
  connection: Connection,
  workflowId: string,
  request: RunRequest,
  { signal, idempotencyKey = newKey() }: StartOptions,
): Promise<StartedRun> {
  const { body } = await send<AcceptedRun>(connection, {
    method: 'POST',
    path: `/workflows/${encodeURIComponent(workflowId)}/run`,
    body: request,
    headers: { 'idempotency-key': idempotencyKey },
    repeatable: true,
    signal,
  });
  const { executionId, estimatedCredits } = body;
  return { ...attachRun(connection, executionId), workflowId, estimatedCredits };
}

// Not randomUUID, which browsers lack on plain http.
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `sdk-${Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('')}`;
}

/** The handle of a run that was started before. */
export function attachRun(connection: Connection, id: string): Run {
  const path = `/executions/${encodeURIComponent(id)}`;
  const get = async ({ signal }: CallOptions = {}): Promise<Execution> =>
    (await send<Execution>(connection, { method: 'GET', path, signal })).body;
  const wait = (options: WaitOptions = {}): Promise<Execution> => waitForEnd(connection, id, get, options);
  return {
    id,
    wait,
    outputs: async options => {
      const execution = await wait(options);
      if (execution.status !== 'COMPLETED') throw new RunFailedError(execution);
      return execution.outputs;
    },
    events: (options = {}) => followRun(connection, id, options),
    cancel: async ({ signal } = {}) =>
      (
        await send<Execution>(connection, {
          method: 'POST',
          path: `${path}/cancel`,
          repeatable: true,
          signal,
        })
      ).body,
    get,
  };
}

async function waitForEnd(
  connection: Connection,
  id: string,
  get: Run['get'],
  { timeoutMs, signal }: WaitOptions,
): Promise<Execution> {
  const limit = limitTime(timeoutMs, signal);
  try {
    return await pollBetweenStreams(connection, id, get, limit.signal);
  } catch (thrown) {
    if (limit.isOver() && !signal?.aborted)
      throw new TimeoutError(`${id} has not ended within ${timeoutMs} ms; it goes on.`);
    throw thrown;
  } finally {
    limit.end();
  }
}

/**
 * The stream says at once that a run has ended; each time it is cut, the record is asked instead, so that a proxy which
 * lets no stream through only slows things down.
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
      if (!isPassing(thrown) || Date.now() - lostAtMs >= connection.timing.outageMs) throw thrown;
    }
    await sleep(backoffMs(failures, connection.timing), signal);
  }
}

/** One of many runs; members of your own may stand next to these and come back with the result. */
export interface RunOrder {
  readonly workflowId: string;
  readonly request?: RunRequest;
  readonly idempotencyKey?: string;
}

/** How one of many runs came out; `error` where it could not be started or waited for. */
export type RunResult<O extends RunOrder> =
  | { readonly order: O; readonly execution: Execution }
  | { readonly order: O; readonly error: unknown };

export interface ManyOptions extends CallOptions {
  /** Runs at once, by default 8. */
  readonly concurrency?: number;
}

/**
 * Runs every order, at most `concurrency` at once, and yields each result as it comes. Orders are taken one by one, so
 * they may be an endless generator. Whoever stops reading stops the waiting; runs that were started go on.
 */
export async function* runMany<O extends RunOrder>(
  connection: Connection,
  orders: Iterable<O> | AsyncIterable<O>,
  { concurrency = 8, signal }: ManyOptions,
): AsyncGenerator<RunResult<O>, void, undefined> {
  if (!(concurrency >= 1)) throw new RangeError('concurrency must be at least 1.');
  const stop = new AbortController();
  const abort = (): void => stop.abort(signal?.reason);
  if (signal?.aborted) abort();
  signal?.addEventListener('abort', abort, { once: true });
  const source = Symbol.asyncIterator in orders ? orders[Symbol.asyncIterator]() : orders[Symbol.iterator]();
  const pending = new Map<number, Promise<readonly [number, RunResult<O>]>>();
  let taken = 0;
  let isDry = false;
  try {
    for (;;) {
      while (!isDry && pending.size < concurrency) {
        signal?.throwIfAborted();
        const next = await source.next();
        if (next.done === true) isDry = true;
        else {
          const ticket = taken++;
          pending.set(
            ticket,
            runOne(connection, next.value, stop.signal).then(result => [ticket, result]),
          );
        }
      }
      if (pending.size === 0) return;
      const [ticket, result] = await Promise.race(pending.values());
      pending.delete(ticket);
      signal?.throwIfAborted();
      yield result;
    }
  } finally {
    signal?.removeEventListener('abort', abort);
    stop.abort();
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
