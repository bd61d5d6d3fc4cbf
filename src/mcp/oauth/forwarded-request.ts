// Builds the request for the authorization library from the incoming one, without anything that a proxy or client could
// forge.
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';

export interface Forwarded {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly body?: { readonly type: string; readonly text: string };
}

const HEADERS = ['accept', 'authorization', 'cookie', 'origin', 'user-agent'] as const;

/**
 * Builds the request. The host is always that of BASE_URL, because URLs in responses and `Secure` cookies depend on it.
 */
export function forwardRequest(raw: IncomingMessage, baseUrl: string, forwarded: Forwarded): IncomingMessage {
  const { protocol, host, pathname } = new URL(baseUrl);
  const { method, url, body } = forwarded;
  const bytes = body === undefined ? undefined : Buffer.from(body.text);
  const headers: IncomingHttpHeaders = { host, 'x-forwarded-proto': protocol.slice(0, -1) };
  for (const name of HEADERS) if (raw.headers[name] !== undefined) headers[name] = raw.headers[name];
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
  // The library reads only this from a request, and its body as a stream.
  return Object.assign(stream, request) as unknown as IncomingMessage;
}
