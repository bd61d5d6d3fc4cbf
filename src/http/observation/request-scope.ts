// Runs each request in a scope with its id for log lines and, if tracing is on, its span.
import type { FastifyRequest } from 'fastify';
import { inScope, type Scope, type Tracer } from '../../lib/span.ts';
import type { Server } from '../deps.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** undefined only if the request was rejected before any hook. */
    scope: Scope | undefined;
  }
}

/** Probes and scrapes are frequent and not worth tracing. */
const UNTRACED: ReadonlySet<string | undefined> = new Set(['/healthz', '/readyz', '/metrics']);

export function registerScopes(server: Server, tracer: Tracer | undefined): void {
  server.decorateRequest('scope', undefined);
  server.addHook('onRequest', (req, _reply, done) => {
    const scope = { requestId: req.id, span: tracer && startSpan(tracer, req) };
    req.scope = scope;
    inScope(scope, done);
  });
  // Reading the body continues in the scope of the socket, so the scope is entered again.
  server.addHook('preHandler', (req, _reply, done) => {
    if (req.scope === undefined) done();
    else inScope(req.scope, done);
  });
}

// Leaves out the path, because some paths contain tokens.
function startSpan(tracer: Tracer, { method, routeOptions, headers, id }: FastifyRequest) {
  const route = routeOptions.url;
  if (UNTRACED.has(route)) return undefined;
  const { traceparent } = headers;
  return tracer.start(route === undefined ? method : `${method} ${route}`, {
    kind: 'server',
    parent: typeof traceparent === 'string' ? traceparent : undefined,
    attributes: { 'http.request.method': method, 'http.route': route, 'graphwright.request.id': id },
  });
}

/** Ends the span of the request. Must be called when the response has been sent. */
export function endSpan({ scope }: FastifyRequest, status: number, err: unknown): void {
  const span = scope?.span;
  if (span === undefined) return;
  span.set({ 'http.response.status_code': status });
  if (status >= 500) span.fail(String(status));
  else if (err) span.fail('aborted');
  span.end();
}
