// One log line and one measurement a request.
import { type FastifyReply, type FastifyRequest, LogController } from 'fastify';
import type { Logger } from '../../lib/log.ts';
import type { Metrics } from './metrics.ts';
import { endSpan } from './request-scope.ts';

/** What Fastify logs by itself, replaced: a line when the answer is through, without query, headers or bodies. */
export class RequestLog extends LogController {
  readonly #log: Logger;
  readonly #metrics: Metrics;

  constructor(log: Logger, metrics: Metrics) {
    super();
    this.#log = log;
    this.#metrics = metrics;
  }

  override incomingRequest(): void {
    // The end of the answer is logged then.
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
    const line = { method: req.method, path: pathOf(req), status, ms, requestId: req.id };
    this.#log[level](err ? { ...line, err } : line, 'request');
  }

  override streamError(err: Error, req: FastifyRequest): void {
    const hungUp = 'code' in err && err.code === 'ERR_STREAM_PREMATURE_CLOSE';
    this.#log[hungUp ? 'debug' : 'warn'](
      { err, path: pathOf(req), requestId: req.id },
      'an answer broke off',
    );
  }

  override writeHeadError(err: Error, req: FastifyRequest): void {
    this.#log.error({ err, path: pathOf(req), requestId: req.id }, 'an answer could not be begun');
  }
}

/** Without what no log should contain: a query string, and the token of a path. */
function pathOf({ url, routeOptions }: FastifyRequest): string {
  return routeOptions.url?.includes('/:token') === true ? routeOptions.url : (url.split('?', 1)[0] ?? '');
}
