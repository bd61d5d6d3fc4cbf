// Follows a run by its event stream. After an interruption, a new connection resumes after the last received event.
//
// A connection that fails, becomes silent or is temporarily refused is opened again with increasing delays, until the
// service has been unreachable for `outageMs`. All other errors are final. The parser drops an incomplete event, and the
// service sends it again, because the parser has not received its id.
import { ConnectionError, createApiError, GraphwrightError, UnexpectedResponseError } from './errors.ts';
import {
  type CallOptions,
  type Connection,
  isTemporary,
  parseErrorBody,
  sendUnchecked,
  toConnectionError,
} from './send.ts';
import { parseEvents, type ServerEvent } from './server-events.ts';
import { hasEnded, type RunEvent } from './types.ts';
import { backoffMs, limitTime, sleep } from './waiting.ts';

/** Yields the events of a run until it ends. The first event is a snapshot of the current state. */
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
      for await (const { id, event, data } of streamEvents(connection, executionId, {
        lastId,
        onChunk,
        signal,
      })) {
        lastId = id ?? lastId;
        if (!isKnownEvent(event)) continue;
        const runEvent = parseEvent(connection, event, data);
        yield runEvent;
        if (isLastEvent(runEvent)) return;
      }
    } catch (thrown) {
      if (thrown === STREAM_ENDED) return;
      if (!isTemporary(thrown)) throw thrown;
      failure = thrown;
    }
    lostAtMs ??= Date.now();
    if (Date.now() - lostAtMs >= connection.timing.outageMs)
      throw new ConnectionError(`Could not read the events of ${executionId} from ${connection.url}.`, {
        cause: failure,
      });
    failures++;
    await sleep(backoffMs(failures, connection.timing), signal);
  }
}

const STREAM_ENDED = new GraphwrightError('The stream has ended.');

interface StreamOptions extends CallOptions {
  readonly lastId?: string | undefined;
  readonly onChunk?: () => void;
}

/** Yields the events of one connection until it ends or fails. */
async function* streamEvents(
  connection: Connection,
  executionId: string,
  { lastId, onChunk, signal }: StreamOptions,
): AsyncGenerator<ServerEvent> {
  const silence = limitTime(connection.timing.silenceMs, signal);
  try {
    const response = await sendUnchecked(connection, {
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
      ? new ConnectionError('The event stream timed out: the service sent nothing for too long.')
      : toConnectionError(connection, thrown);
  } finally {
    silence.end();
  }
}

async function checkStream(response: Response): Promise<void> {
  const { status, headers } = response;
  // 204: the run ended with the last received event.
  if (status === 204) throw STREAM_ENDED;
  if (!response.ok) throw createApiError({ status, headers, body: parseErrorBody(await response.text()) });
  if (!headers.get('content-type')?.startsWith('text/event-stream'))
    throw new UnexpectedResponseError('The response is not an event stream. Check the url of the client.');
}

const KNOWN_EVENTS: ReadonlySet<string> = new Set<RunEvent['event']>([
  'snapshot',
  'node',
  'execution',
  'progress',
]);

// Newer versions of the service may send other events.
function isKnownEvent(event: string): event is RunEvent['event'] {
  return KNOWN_EVENTS.has(event);
}

function parseEvent({ parseJson }: Connection, event: RunEvent['event'], data: string): RunEvent {
  try {
    return { event, data: parseJson(data) } as RunEvent;
  } catch (cause) {
    throw new ConnectionError('An event of the stream is not valid JSON.', { cause });
  }
}

/** Returns whether the event reports the end of the run. */
export function isLastEvent({ event, data }: RunEvent): boolean {
  return (event === 'snapshot' || event === 'execution') && hasEnded(data);
}

/** Resolves when the run or this connection has ended. Throws only final errors. */
export async function watchOnce(
  connection: Connection,
  executionId: string,
  options: CallOptions,
): Promise<void> {
  try {
    for await (const { event, data } of streamEvents(connection, executionId, options))
      if (isKnownEvent(event) && isLastEvent(parseEvent(connection, event, data))) return;
  } catch (thrown) {
    if (thrown !== STREAM_ENDED && !isTemporary(thrown)) throw thrown;
  }
}
