// Starts test servers for the SDK that respond, fail or stay silent as a test requires.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { type Client, type ClientOptions, createClient } from '../../sdk/src/sdk.ts';

export const KEY = 'sk-0123456789abcdef';

/** Timing for tests: a hundredth of the defaults, except for timeouts that a busy machine could exceed. */
export const TIMING = {
  timeoutMs: 5000,
  baseMs: 5,
  capMs: 50,
  maxRetryAfterMs: 5000,
  silenceMs: 5000,
  outageMs: 3000,
} as const;

/** Timing for servers that do not respond. */
export const SHORT_TIMEOUTS = { ...TIMING, timeoutMs: 800, silenceMs: 800 } as const;

export interface TestServer {
  readonly url: string;
  readonly client: Client;
  /** `METHOD /path` of each request, in order. */
  readonly requests: string[];
}

export type Reply = (
  req: IncomingMessage,
  res: ServerResponse,
  /** The number of earlier requests. */
  count: number,
) => unknown;

/** Starts a server that runs until the test ends. */
export async function serve(
  t: TestContext,
  reply: Reply,
  options: Partial<ClientOptions> = {},
): Promise<TestServer> {
  const requests: string[] = [];
  const listener: RequestListener = (req, res) => {
    requests.push(`${req.method} ${req.url}`);
    reply(req, res, requests.length - 1);
  };
  const server = createServer(listener).listen(0, '127.0.0.1');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, requests, client: createClient({ url, apiKey: KEY, timing: TIMING, ...options }) };
}

/** Responds with JSON. */
export function json(
  res: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  res.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

/** Uses each reply for one request, and the last reply for all further requests. */
export function replyInOrder(...replies: readonly Reply[]): Reply {
  return (req, res, count) => replies[Math.min(count, replies.length - 1)]?.(req, res, count);
}

/** Returns all items of an iterator. */
export const collect = <T>(items: AsyncIterable<T>): Promise<T[]> => Array.fromAsync(items);
