// Converts between Node's requests and the web requests that the protocol library takes. Passes only what it reads, and
// writes a non-streaming response in one piece; the library's own adapter re-encodes the body as a stream, which takes
// longer than a tool call.
import { Buffer } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';

/** The request without its body, which was read before. The signal fires when its caller disconnects. */
export function toWebRequest({ method, headers: sent }: IncomingMessage, signal: AbortSignal): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(sent))
    if (typeof value === 'string' && isRead(name)) headers.set(name, value);
  return new Request(ADDRESS, { method: method ?? 'POST', headers, signal });
}

/** Caller and origin were checked before. */
const ADDRESS = 'http://localhost/mcp';
const isRead = (name: string): boolean =>
  name === 'accept' || name === 'content-type' || name.startsWith('mcp-');

/** Writes the response; a stream ends early if the caller disconnects. */
export async function writeResponse(answer: Response, res: ServerResponse): Promise<void> {
  const headers = Object.fromEntries(answer.headers);
  if (answer.body !== null && headers['content-type'] === 'text/event-stream') {
    res.writeHead(answer.status, headers);
    // Either end may break off and ends the other: nobody is left to respond to.
    await pipeline(answer.body, res).catch(() => undefined);
    return;
  }
  const body = await answer.text();
  res.writeHead(answer.status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body);
}
