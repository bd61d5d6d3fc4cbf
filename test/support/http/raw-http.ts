// Sends raw HTTP over a socket, including requests that no client would send, and parses the responses.
import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { Server } from '../../../src/http/deps.ts';

export interface RawResponse {
  readonly status: number;
  /** Headers by lower-case name. Of repeated headers, only the last one. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const CLOSE_TIMEOUT_MS = 20_000;

/** Sends the parts in separate writes, and reads until the server closes the connection. Throws after 20 s. */
export async function sendRaw(port: number, ...parts: readonly string[]): Promise<RawResponse[]> {
  const socket = await openSocket(port);
  for (const part of parts) socket.write(part);
  return readResponses(socket);
}

/** Listens on a free port of 127.0.0.1, unless another test of the process did, and returns the port. */
export async function listenLocally(app: Server): Promise<number> {
  if (!app.server.listening) await app.listen({ port: 0, host: '127.0.0.1' });
  return (app.server.address() as AddressInfo).port;
}

export async function openSocket(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  return socket;
}

/** Reads all responses until the connection ends. */
export async function readResponses(socket: Socket): Promise<RawResponse[]> {
  const chunks: Buffer[] = [];
  const timer = setTimeout(
    () => socket.destroy(new Error('The connection was not closed.')),
    CLOSE_TIMEOUT_MS,
  );
  try {
    for await (const chunk of socket) chunks.push(chunk as Buffer);
  } catch (err) {
    // A server that closes the connection before it has read everything resets it. Data received before is valid.
    if ((err as NodeJS.ErrnoException).code !== 'ECONNRESET') throw err;
  } finally {
    clearTimeout(timer);
    socket.destroy();
  }
  return parseResponses(Buffer.concat(chunks).toString('latin1'));
}

function parseResponses(text: string): RawResponse[] {
  const responses: RawResponse[] = [];
  for (let rest = text; rest !== ''; ) {
    const end = rest.indexOf('\r\n\r\n');
    const [statusLine = '', ...lines] = rest.slice(0, end).split('\r\n');
    const headers = Object.fromEntries(
      lines.map(line => [
        line.slice(0, line.indexOf(':')).toLowerCase(),
        line.slice(line.indexOf(':') + 1).trim(),
      ]),
    );
    rest = rest.slice(end + 4);
    const length = /^HTTP\/1\.1 1/.test(statusLine) ? '0' : headers['content-length'];
    // A body without a length extends to the end. Responses to HEAD and 304s have no body, even with a content-length.
    const size = length === undefined ? rest.length : Math.min(Number(length), bodyLength(rest));
    responses.push({ status: Number(statusLine.split(' ')[1]), headers, body: rest.slice(0, size) });
    rest = rest.slice(size);
  }
  return responses;
}

/** Returns 0 if the text starts with another response, as after a response to HEAD. */
const bodyLength = (text: string): number => (text.startsWith('HTTP/1.1 ') ? 0 : text.length);

/** Builds a request head that closes the connection. */
export function requestHead(
  method: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): string {
  const lines = Object.entries({ host: 'localhost', connection: 'close', ...headers });
  return `${method} ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
}
