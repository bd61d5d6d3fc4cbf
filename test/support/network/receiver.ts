// Runs a receiver of webhooks on loopback that records every request and responds as the test configures.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export interface RecordedRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  /** The raw bytes as text. */
  readonly raw: string;
  /** The parsed body if it is JSON. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly atMs: number;
}

export interface Receiver {
  readonly url: string;
  readonly received: readonly RecordedRequest[];
  /** The number of requests without a response now, and the maximum so far. */
  readonly open: { readonly now: number; readonly max: number };
  /** Replaces the response, which is 204 by default. */
  answer(responder: Responder): void;
  close(): Promise<void>;
}

export type Responder = (res: ServerResponse, request: RecordedRequest) => unknown;

/** Listens on a free port. `close` also closes open connections. */
export async function startReceiver(): Promise<Receiver> {
  const received: RecordedRequest[] = [];
  const open = { now: 0, max: 0 };
  let respond: Responder = res => res.writeHead(204).end();
  const server = createServer(async (req, res) => {
    open.max = Math.max(open.max, ++open.now);
    res.once('close', () => open.now--);
    // The sender may disconnect at any time.
    const bytes = await buffer(req).catch(() => undefined);
    if (bytes === undefined) return;
    const raw = String(bytes);
    const body = req.headers['content-type'] === 'application/json' ? JSON.parse(raw) : {};
    const request = { path: req.url ?? '', headers: req.headers, bytes, raw, body, atMs: performance.now() };
    received.push(request);
    await respond(res, request);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    open,
    answer: responder => {
      respond = responder;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}
