// Runs a test double of fal in its own process. The double accepts calls of any model, works for a fixed time on each, and
// returns a small picture.
import { type ChildProcess, fork } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { endProcess } from '../test/support/processes.ts';
import { signFalCallback } from '../test/support/providers/fal.ts';

export interface BenchFal {
  readonly url: string;
  /** Returns the time at which the double accepted each request, by request id, in ms since the epoch. */
  listAcceptedAtMs(): Promise<ReadonlyMap<string, number>>;
  /**
   * Makes later submissions with this key fail, or succeed again if `fault` is undefined. Returns the number of
   * submissions that have failed with any key.
   */
  setFault(key: string, fault: Fault | undefined): Promise<number>;
  /** Sends the webhooks that later calls request to this service, whatever URL they name. */
  sendWebhooksTo(url: string): Promise<void>;
  stop(): Promise<void>;
}

/** A `rate-limit` is a response with 429. With `no-response`, the submission hangs. */
export type Fault = 'rate-limit' | 'no-response';

/** Starts the double. Each call ends successfully after `callMs`. */
export async function startBenchFal(callMs: number): Promise<BenchFal> {
  const child: ChildProcess = fork(import.meta.filename, [String(callMs)]);
  const [{ url }] = (await once(child, 'message')) as [{ url: string }];
  return {
    url,
    listAcceptedAtMs: async () =>
      new Map((await (await fetch(`${url}/accepted`)).json()) as [string, number][]),
    setFault: async (key, fault) => {
      const response = await fetch(`${url}/fault`, { method: 'POST', body: JSON.stringify({ key, fault }) });
      return ((await response.json()) as { failed: number }).failed;
    },
    sendWebhooksTo: async service =>
      void (await fetch(`${url}/webhook-service`, { method: 'POST', body: service })),
    stop: () => endProcess(child),
  };
}

const BLUE_PIXEL_PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

function serve(callMs: number): void {
  const acceptedAtMs = new Map<string, number>();
  const keys = generateKeyPairSync('ed25519');
  const jwks = { keys: [keys.publicKey.export({ format: 'jwk' })] };
  let webhookService: string | undefined;
  const faults = new Map<string, Fault>();
  const hangingResponses = new Set<ServerResponse>();
  let failureCount = 0;
  const setFault = ({ key, fault }: { readonly key: string; readonly fault?: Fault }): void => {
    if (fault === undefined) faults.delete(`Key ${key}`);
    else faults.set(`Key ${key}`, fault);
    for (const res of hangingResponses) res.destroy();
    hangingResponses.clear();
  };
  const sendWebhook = async (requestedUrl: string): Promise<void> => {
    const body = '{"status":"OK"}';
    const headers = signFalCallback(body, keys.privateKey);
    // A benchmark may stop the service while calls are active.
    await fetch(webhookService + new URL(requestedUrl).pathname, { method: 'POST', headers, body }).catch(
      () => undefined,
    );
  };
  const server = createServer(async (req, res) => {
    const [path = '', query] = (req.url ?? '').split('?');
    if (path === '/webhook-service') {
      webhookService = await text(req);
      return sendJson(res, 200, {});
    }
    if (path === '/fault') {
      setFault(JSON.parse(await text(req)));
      return sendJson(res, 200, { failed: failureCount });
    }
    req.resume();
    if (path === '/.well-known/jwks.json') return sendJson(res, 200, jwks);
    if (path === '/accepted') return sendJson(res, 200, [...acceptedAtMs]);
    if (path.startsWith('/files/')) return void res.writeHead(200).end(BLUE_PIXEL_PNG);
    const [, id = '', action = ''] = /\/requests\/([^/]+)(\/\w+)?$/.exec(path) ?? [];
    const requestsUrl = `http://${req.headers.host}/bench/model/requests`;
    if (id === '') {
      const fault = faults.get(req.headers.authorization ?? '');
      if (fault !== undefined) failureCount++;
      if (fault === 'rate-limit') return sendJson(res, 429, { detail: 'slow down' });
      if (fault === 'no-response') return void hangingResponses.add(res);
      const requestId = `req-${acceptedAtMs.size}`;
      acceptedAtMs.set(requestId, Date.now());
      const webhookUrl = new URLSearchParams(query).get('fal_webhook');
      if (webhookUrl !== null && webhookService !== undefined)
        setTimeout(() => void sendWebhook(webhookUrl), callMs);
      const urls = {
        response_url: `${requestsUrl}/${requestId}`,
        status_url: `${requestsUrl}/${requestId}/status`,
      };
      return sendJson(res, 200, {
        request_id: requestId,
        ...urls,
        cancel_url: `${requestsUrl}/${requestId}/cancel`,
      });
    }
    const hasEnded = Date.now() >= (acceptedAtMs.get(id) ?? Number.POSITIVE_INFINITY) + callMs;
    if (action === '/cancel') return sendJson(res, 202, { status: 'CANCELLATION_REQUESTED' });
    if (action === '/status')
      return sendJson(res, hasEnded ? 200 : 202, { status: hasEnded ? 'COMPLETED' : 'IN_PROGRESS' });
    if (!hasEnded) return sendJson(res, 400, { detail: 'Request is still in progress' });
    return sendJson(res, 200, { images: [{ url: `http://${req.headers.host}/files/${id}.png` }] });
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address() as AddressInfo;
    process.send?.({ url: `http://127.0.0.1:${port}` });
  });
  // The parent process may exit without calling `stop`.
  process.once('disconnect', () => process.exit());
}

function sendJson(res: ServerResponse, status: number, body: unknown): void {
  res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

if (process.argv[1] === import.meta.filename && process.send !== undefined) serve(Number(process.argv[2]));
