// A test server for the SDK that refuses, sends invalid responses, disconnects or stays silent as a test requires.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { type Client, type ClientOptions, createClient } from '../../sdk/src/sdk.ts';

export const KEY = 'sk-0123456789abcdef';

/** A hundredth of the real times, except those that a busy machine could exceed by itself. */
export const TIMING = {
  timeoutMs: 5000,
  baseMs: 5,
  capMs: 50,
  maxRetryAfterMs: 5000,
  silenceMs: 5000,
  outageMs: 3000,
} as const;

/** For servers that send nothing. */
export const IMPATIENT = { ...TIMING, timeoutMs: 800, silenceMs: 800 } as const;

export interface Double {
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

/** Serves until the test ends. */
export async function serve(
  t: TestContext,
  reply: Reply,
  options: Partial<ClientOptions> = {},
): Promise<Double> {
  const asked: string[] = [];
  const listener: RequestListener = (req, res) => {
    asked.push(`${req.method} ${req.url}`);
    reply(req, res, asked.length - 1);
  };
  const server = createServer(listener).listen(0, '127.0.0.1');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, requests: asked, client: createClient({ url, apiKey: KEY, timing: TIMING, ...options }) };
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

/** Runs the steps one after the other, then repeats the last one. */
export function inTurn(...steps: readonly Reply[]): Reply {
  return (req, res, count) => steps[Math.min(count, steps.length - 1)]?.(req, res, count);
}

/** Collects all items of an iterator. */
export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const seen: T[] = [];
  for await (const item of items) seen.push(item);
  return seen;
}
