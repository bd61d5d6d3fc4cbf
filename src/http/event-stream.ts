// Sends server-sent events as fast as the caller reads them, with a comment to keep idle connections open.
import { once } from 'node:events';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../lib/errors.ts';
import { stringifyJson } from '../lib/json-text.ts';
import type { Deps } from '../services/deps.ts';
import type { AccessCheck } from './admission.ts';
import { onClosed } from './close-signal.ts';
import { watchAccess } from './watch-access.ts';

export interface ServerEvent {
  readonly event: string;
  readonly id?: number;
  readonly data: unknown;
}

interface StreamedResource {
  /** Throws if the caller may no longer read the resource. */
  readonly checkAccess: AccessCheck;
  /** Returns undefined if no events are left. */
  readonly watch: (signal: AbortSignal) => MaybePromise<AsyncGenerator<ServerEvent> | undefined>;
}
type StreamDeps = Pick<Deps, 'log' | 'timing' | 'changeHub'>;
type MaybePromise<T> = T | Promise<T>;

/** Streams the events of a resource, or sends 204 if none are left. Throws 429 `too_many_streams`. */
export async function streamEvents(
  deps: StreamDeps,
  req: FastifyRequest,
  reply: FastifyReply,
  { checkAccess, watch }: StreamedResource,
): Promise<void> {
  const signal = reserveStream(deps, req, reply, checkAccess);
  const events = await watch(signal);
  // 204 stops an EventSource from reconnecting.
  if (events === undefined) reply.code(204).send();
  else await sendEvents(deps, { req, reply }, { events, signal });
}

/**
 * Reserves one of the caller's streams and returns a signal to end the stream. The signal fires when the caller
 * disconnects, the service stops, the credential is no longer valid, or `checkAccess` throws. Throws 429
 * `too_many_streams`.
 */
function reserveStream(
  deps: StreamDeps,
  req: FastifyRequest,
  reply: FastifyReply,
  checkAccess: AccessCheck,
): AbortSignal {
  const release = req.reserveStream();
  const streamEnd = new AbortController();
  const stopWatching = watchAccess(deps, req, checkAccess, () => streamEnd.abort());
  onClosed(reply.raw, () => {
    stopWatching();
    release();
  });
  return AbortSignal.any([reply.closeSignal(), streamEnd.signal]);
}

/** Sends the events until none are left or `signal` fires. */
async function sendEvents(
  { log, timing }: StreamDeps,
  { req, reply }: { readonly req: FastifyRequest; readonly reply: FastifyReply },
  { events, signal }: { readonly events: AsyncGenerator<ServerEvent>; readonly signal: AbortSignal },
): Promise<void> {
  reply.hijack();
  const { raw } = reply;
  raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  });
  if (req.method === 'HEAD') {
    raw.end();
    await events.return(undefined);
    return;
  }
  const keepAlive = setInterval(() => raw.write(': still here\n\n'), timing.keepAliveMs);
  try {
    raw.flushHeaders();
    for await (const event of events) {
      const text = formatEvent(event);
      const release = reply.holdMemory(text.length);
      if (!raw.write(text)) await once(raw, 'drain', { signal });
      release();
    }
  } catch (err) {
    if (!signal.aborted) log.error({ err, requestId: req.id }, 'an event stream failed');
  } finally {
    clearInterval(keepAlive);
    raw.end();
  }
}

function formatEvent({ event, id, data }: ServerEvent): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${stringifyJson(data)}\n\n`;
}

/** Returns the id of the event after which the stream resumes. Throws 400. */
export function parseLastEventId(req: FastifyRequest): number | undefined {
  const lastEventId = req.headers['last-event-id'];
  if (lastEventId === undefined || lastEventId === '') return undefined;
  if (typeof lastEventId !== 'string' || !/^\d{1,9}$/.test(lastEventId))
    throw new AppError('invalid_request', 'Last-Event-ID must be the id of an event of this stream.');
  return Number(lastEventId);
}
