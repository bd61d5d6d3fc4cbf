// Between Node's requests and the web's, which the protocol's library takes: only what it reads goes in, and an answer that is no
// stream goes out in one piece. The library's own adapter writes the body anew and reads it as a stream, which takes longer than a tool.
import { Buffer } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';

/** The request without its body, which was read before. The signal fires when its caller has gone. */
export function toWebRequest({ method, headers: sent }: IncomingMessage, signal: AbortSignal): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(sent))
    if (typeof value === 'string' && isRead(name)) headers.set(name, value);
  return new Request(ADDRESS, { method: method ?? 'POST', headers, signal });
}

/** Who calls, and where, was checked before. */
const ADDRESS = 'http://localhost/mcp';
const isRead = (name: string): boolean =>
  name === 'accept' || name === 'content-type' || name.startsWith('mcp-');

/** Writes the answer; a stream ends early where the caller has gone. */
export async function writeAnswer(answer: Response, res: ServerResponse): Promise<void> {
  const headers = Object.fromEntries(answer.headers);
  if (answer.body !== null && headers['content-type'] === 'text/event-stream') {
    res.writeHead(answer.status, headers);
    // Either end may break off, and takes the other with it: there is nobody left to answer.
    await pipeline(answer.body, res).catch(() => undefined);
    return;
  }
  const body = await answer.text();
  res.writeHead(answer.status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body);
}
