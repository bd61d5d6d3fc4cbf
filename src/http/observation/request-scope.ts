// What each request is done for: its id in every log line, and, where traces are on, its span.
import type { FastifyRequest } from 'fastify';
import { inScope, type Scope, type Tracer } from '../../lib/span.ts';
import type { App } from '../app.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** undefined only where the request was refused before any hook. */
    scope: Scope | undefined;
  }
}

/** Probes and scrapes come every few seconds and say nothing. */
const UNTRACED: ReadonlySet<string | undefined> = new Set(['/healthz', '/readyz', '/metrics']);

export function registerScopes(app: App, tracer: Tracer | undefined): void {
  app.decorateRequest('scope', undefined);
  app.addHook('onRequest', (req, _reply, done) => {
    const scope = { requestId: req.id, span: tracer && startSpan(tracer, req) };
    req.scope = scope;
    inScope(scope, done);
  });
  // What is done once a body has been read belongs to the socket until here.
  app.addHook('preHandler', (req, _reply, done) => {
    if (req.scope === undefined) done();
    else inScope(req.scope, done);
  });
}

// The path itself is left out: some contain tokens.
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

/** Once the answer is through. */
export function endSpan({ scope }: FastifyRequest, status: number, err: unknown): void {
  const span = scope?.span;
  if (span === undefined) return;
  span.set({ 'http.response.status_code': status });
  if (status >= 500) span.fail(String(status));
  else if (err) span.fail('aborted');
  span.end();
}
