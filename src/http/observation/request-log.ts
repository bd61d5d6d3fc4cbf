// Writes one log line and one measurement per request.

import { type FastifyReply, type FastifyRequest, LogController } from 'fastify';
import type { Logger } from '../../lib/log.ts';
import { splitUrl } from '../split-url.ts';
import type { Metrics } from './metrics.ts';
import { endSpan } from './request-scope.ts';

/** Replaces Fastify's logging with one line at the end of a response, without query, headers or bodies. */
export class RequestObserver extends LogController {
  readonly #log: Logger;
  readonly #metrics: Metrics;

  constructor(log: Logger, metrics: Metrics) {
    super();
    this.#log = log;
    this.#metrics = metrics;
  }

  override incomingRequest(): void {
    // Only the end of the response is logged.
  }

  override requestCompleted(err: Error | null | undefined, req: FastifyRequest, reply: FastifyReply): void {
    const { statusCode: status, elapsedTime } = reply;
    const span = req.scope?.span;
    this.#metrics.observeRequest({
      method: req.method,
      route: req.routeOptions.url,
      status,
      seconds: elapsedTime / 1000,
      traceId: span?.isRecording === true ? span.traceId : undefined,
    });
    endSpan(req, status, err);
    const level = status >= 500 ? 'info' : 'debug';
    if (!this.#log.isLevelEnabled(level)) return;
    const ms = Math.round(elapsedTime * 10) / 10;
    const line = { method: req.method, path: getPath(req), status, ms, requestId: req.id };
    this.#log[level](err ? { ...line, err } : line, 'request');
  }

  override streamError(err: Error, req: FastifyRequest): void {
    const isDisconnect = 'code' in err && err.code === 'ERR_STREAM_PREMATURE_CLOSE';
    this.#log[isDisconnect ? 'debug' : 'warn'](
      { err, path: getPath(req), requestId: req.id },
      'a response was aborted',
    );
  }

  override writeHeadError(err: Error, req: FastifyRequest): void {
    this.#log.error({ err, path: getPath(req), requestId: req.id }, 'a response could not be started');
  }
}

/** Returns the path without query strings and tokens, which must not be logged. */
function getPath({ url, routeOptions }: FastifyRequest): string {
  return routeOptions.url?.includes('/:token') === true ? routeOptions.url : splitUrl(url).path;
}
