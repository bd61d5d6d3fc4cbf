// Converts between Node's requests and the web requests that the protocol library takes. Passes only the headers that
// it reads, and writes a non-streaming response in one piece; the library's own adapter re-encodes the body as a
// stream, which takes longer than a tool call.
import { Buffer } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';

/** Returns the request without its body, which was already read. The signal fires when the caller disconnects. */
export function toWebRequest(
  { method, headers: requestHeaders }: IncomingMessage,
  signal: AbortSignal,
): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(requestHeaders))
    if (typeof value === 'string' && isRead(name)) headers.set(name, value);
  return new Request(ADDRESS, { method: method ?? 'POST', headers, signal });
}

/** Any URL works, since caller and origin are already checked. */
const ADDRESS = 'http://localhost/mcp';
const isRead = (name: string): boolean =>
  name === 'accept' || name === 'content-type' || name.startsWith('mcp-');

/** Writes the response. A stream ends early if the caller disconnects. */
export async function writeResponse(response: Response, res: ServerResponse): Promise<void> {
  const headers = Object.fromEntries(response.headers);
  if (response.body !== null && headers['content-type'] === 'text/event-stream') {
    res.writeHead(response.status, headers);
    // If one end fails, the other ends too, and nobody is left to receive an error.
    await pipeline(response.body, res).catch(() => undefined);
    return;
  }
  const body = await response.text();
  res.writeHead(response.status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body);
}
