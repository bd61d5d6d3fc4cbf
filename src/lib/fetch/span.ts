// Traces an outbound request, and sends the trace context to receivers that may join the trace.
import { getCurrentScope, inSpan } from '../span.ts';

interface TraceableRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly propagateTraceContext?: boolean;
}

/**
 * Sends the request in a span. Records only the host and port of the URL, because a path may contain tokens and a query
 * may contain keys.
 */
export function inRequestSpan<R extends TraceableRequest, A extends { readonly status: number }>(
  address: string,
  request: R,
  tracedOrigins: ReadonlySet<string>,
  send: (request: R) => Promise<A>,
): Promise<A> {
  const scope = getCurrentScope();
  const url = scope?.span === undefined ? null : URL.parse(address);
  if (url === null) return send(request);
  const method = request.method ?? 'GET';
  const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
  const attributes = { 'http.request.method': method, 'server.address': url.hostname, 'server.port': port };
  const propagateTraceContext = request.propagateTraceContext === true || tracedOrigins.has(url.origin);
  return inSpan(method, { kind: 'client', attributes }, async span => {
    const traceparent = (span ?? scope?.span)?.traceparent;
    const response = await send(
      propagateTraceContext && traceparent !== undefined
        ? { ...request, headers: { traceparent, ...request.headers } }
        : request,
    );
    span?.set({ 'http.response.status_code': response.status });
    if (response.status >= 400) span?.fail(String(response.status));
    return response;
  });
}
