// A run followed by its event stream, across cuts: each new connection goes on after the last event that arrived.
//
// A connection that breaks, falls silent or is refused for the moment is made again, with growing pauses, until the
// service has been out of reach for `outageMs`. Every other refusal is final. An event that was cut off is dropped by
// the parser and sent again by the service, as its id is not yet the last one.
import { ConnectionError, GraphwrightError, toApiError, UnexpectedAnswerError } from './errors.ts';
import {
  type CallOptions,
  type Connection,
  isPassing,
  parseRefusal,
  request,
  toConnectionError,
} from './send.ts';
import { parseEvents, type ServerEvent } from './server-events.ts';
import { hasEnded, type RunEvent } from './types.ts';
import { backoffMs, limitTime, sleep } from './waiting.ts';

/** The events of a run up to its end; the first is a snapshot of all that was before. */
export async function* followRun(
  connection: Connection,
  executionId: string,
  { signal }: CallOptions,
): AsyncGenerator<RunEvent, void, undefined> {
  let lastId: string | undefined;
  let failures = 0;
  let lostAtMs: number | undefined;
  const onChunk = (): void => {
    failures = 0;
    lostAtMs = undefined;
  };
  for (;;) {
    let failure: unknown;
    try {
      for await (const { id, event, data } of openStream(connection, executionId, {
        lastId,
        onChunk,
        signal,
      })) {
        lastId = id ?? lastId;
        if (!isKnown(event)) continue;
        const change = parseEvent(event, data);
        yield change;
        if (isLast(change)) return;
      }
    } catch (thrown) {
      if (thrown === NOTHING_LEFT) return;
      if (!isPassing(thrown)) throw thrown;
      failure = thrown;
    }
    lostAtMs ??= Date.now();
    if (Date.now() - lostAtMs >= connection.timing.outageMs)
      throw new ConnectionError(`The events of ${executionId} cannot be read from ${connection.url}.`, {
        cause: failure,
      });
    failures++;
    await sleep(backoffMs(failures, connection.timing), signal);
  }
}

const NOTHING_LEFT = new GraphwrightError('Nothing is left of this stream.');

interface StreamOptions extends CallOptions {
  readonly lastId?: string | undefined;
  readonly onChunk?: () => void;
}

/** One connection's events, until it ends or breaks. */
async function* openStream(
  connection: Connection,
  executionId: string,
  { lastId, onChunk, signal }: StreamOptions,
): AsyncGenerator<ServerEvent> {
  const silence = limitTime(connection.timing.silenceMs, signal);
  try {
    const response = await request(connection, {
      method: 'GET',
      path: `/executions/${encodeURIComponent(executionId)}/events`,
      headers: { accept: 'text/event-stream', ...(lastId === undefined ? {} : { 'last-event-id': lastId }) },
      signal: silence.signal,
    });
    await checkStream(response);
    if (response.body === null) return;
    yield* parseEvents(response.body, () => {
      silence.restart();
      onChunk?.();
    });
  } catch (thrown) {
    if (thrown instanceof GraphwrightError) throw thrown;
    signal?.throwIfAborted();
    throw silence.isOver()
      ? new ConnectionError('The event stream fell silent.')
      : toConnectionError(connection, thrown);
  } finally {
    silence.end();
  }
}

async function checkStream(response: Response): Promise<void> {
  const { status, headers } = response;
  // The run ended with the event that arrived last.
  if (status === 204) throw NOTHING_LEFT;
  if (!response.ok) throw toApiError({ status, headers, body: parseRefusal(await response.text()) });
  if (!headers.get('content-type')?.startsWith('text/event-stream'))
    throw new UnexpectedAnswerError('The answer is no event stream: is this the address of the service?');
}

const KNOWN: ReadonlySet<string> = new Set<RunEvent['event']>(['snapshot', 'node', 'execution', 'progress']);

// A later version of the service may send more kinds of events.
function isKnown(event: string): event is RunEvent['event'] {
  return KNOWN.has(event);
}

function parseEvent(event: RunEvent['event'], data: string): RunEvent {
  try {
    return { event, data: JSON.parse(data) } as RunEvent;
  } catch (cause) {
    throw new ConnectionError('An event is damaged.', { cause });
  }
}

/** Whether the run ended with this event. */
export function isLast(change: RunEvent): boolean {
  return (change.event === 'snapshot' || change.event === 'execution') && hasEnded(change.data);
}

/** Resolves once the run has ended, or this one connection has. Throws only what is final. */
export async function watchOnce(
  connection: Connection,
  executionId: string,
  options: CallOptions,
): Promise<void> {
  try {
    for await (const { event, data } of openStream(connection, executionId, options))
      if (isKnown(event) && isLast(parseEvent(event, data))) return;
  } catch (thrown) {
    if (thrown !== NOTHING_LEFT && !isPassing(thrown)) throw thrown;
  }
}
