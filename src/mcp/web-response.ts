// Converts between Node's requests and the web requests that the protocol library takes. Passes only the headers that the
// library reads, and writes a non-streaming response in one piece. The library's own adapter re-encodes the body as a
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
    if (typeof value === 'string' && isPassedOn(name)) headers.set(name, value);
  return new Request(PLACEHOLDER_URL, { method: method ?? 'POST', headers, signal });
}

/** Any URL works, because caller and origin were already checked. */
const PLACEHOLDER_URL = 'http://localhost/mcp';
const isPassedOn = (name: string): boolean =>
  name === 'accept' || name === 'content-type' || name.startsWith('mcp-');

/** Writes the response. A stream ends early if the caller disconnects. */
export async function writeResponse(response: Response, res: ServerResponse): Promise<void> {
  const headers = Object.fromEntries(response.headers);
  if (response.body !== null && headers['content-type'] === 'text/event-stream') {
    res.writeHead(response.status, headers);
    // If one side fails, the other side ends too, and nobody is left to receive an error.
    await pipeline(response.body, res).catch(() => undefined);
    return;
  }
  const body = await response.text();
  res.writeHead(response.status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body);
}
