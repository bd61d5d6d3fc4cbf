// Builds the request for the authorization library from an incoming request, without headers that a client could forge.
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';

export interface RequestParts {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly body?: { readonly type: string; readonly text: string };
}

const PASSED_HEADERS = ['accept', 'authorization', 'cookie', 'origin', 'user-agent'] as const;

/**
 * Builds the request. The host is always that of BASE_URL, because URLs in responses and `Secure` cookies depend on it.
 */
export function forwardRequest(
  raw: IncomingMessage,
  baseUrl: string,
  { method, url, body }: RequestParts,
): IncomingMessage {
  const { protocol, host, pathname } = new URL(baseUrl);
  const bytes = body === undefined ? undefined : Buffer.from(body.text);
  const headers: IncomingHttpHeaders = { host, 'x-forwarded-proto': protocol.slice(0, -1) };
  for (const name of PASSED_HEADERS) if (raw.headers[name] !== undefined) headers[name] = raw.headers[name];
  if (body !== undefined && bytes !== undefined) {
    headers['content-type'] = body.type;
    headers['content-length'] = String(bytes.length);
  }
  const stream = Readable.from(bytes === undefined ? [] : [bytes], { objectMode: false });
  const request = {
    method,
    url,
    originalUrl: pathname.replace(/\/$/, '') + url,
    headers,
    httpVersion: raw.httpVersion,
    httpVersionMajor: raw.httpVersionMajor,
    httpVersionMinor: raw.httpVersionMinor,
    socket: raw.socket,
  };
  // The library reads only these properties of a request, and the body as a stream.
  return Object.assign(stream, request) as unknown as IncomingMessage;
}
