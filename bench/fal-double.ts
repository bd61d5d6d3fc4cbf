// Runs a test double of fal in its own process. The double accepts calls of any model, works for a fixed time on each, and
// returns a small picture.
import { type ChildProcess, fork } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { signFalHook } from '../test/support/providers/fal.ts';

export interface BenchFal {
  readonly url: string;
  /** Returns the time at which each request was accepted, by request id, in ms since the epoch. */
  accepted(): Promise<ReadonlyMap<string, number>>;
  /**
   * Rejects later submissions with this key, or does not answer them. Without a fault, accepts submissions again. Returns
   * the number of submissions that were rejected or not answered.
   */
  fail(key: string, fault: Fault | undefined): Promise<number>;
  /** Sends the webhooks of later calls to this service, if the calls request a webhook. */
  sendWebhooksTo(url: string): Promise<void>;
  stop(): Promise<void>;
}

/** `limit` responds with 429, and `hang` does not respond. */
export type Fault = 'limit' | 'hang';

/** Starts the double, which works for `jobMs` on each call. */
export async function startBenchFal(jobMs: number): Promise<BenchFal> {
  const child: ChildProcess = fork(import.meta.filename, [String(jobMs)]);
  const [{ url }] = (await once(child, 'message')) as [{ url: string }];
  return {
    url,
    accepted: async () => new Map((await (await fetch(`${url}/accepted`)).json()) as [string, number][]),
    fail: async (key, fault) => {
      const response = await fetch(`${url}/fail`, { method: 'POST', body: JSON.stringify({ key, fault }) });
      return ((await response.json()) as { failed: number }).failed;
    },
    sendWebhooksTo: async service =>
      void (await fetch(`${url}/report-to`, { method: 'POST', body: service })),
    async stop() {
      child.kill();
      await once(child, 'exit');
    },
  };
}

/** A picture of one blue pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

function serve(jobMs: number): void {
  const accepted = new Map<string, number>();
  const keys = generateKeyPairSync('ed25519');
  const jwks = { keys: [keys.publicKey.export({ format: 'jwk' })] };
  let service: string | undefined;
  const faults = new Map<string, Fault>();
  const hanging = new Set<ServerResponse>();
  let failureCount = 0;
  const setFault = ({ key, fault }: { readonly key: string; readonly fault?: Fault }): void => {
    if (fault === undefined) faults.delete(`Key ${key}`);
    else faults.set(`Key ${key}`, fault);
    for (const res of hanging) res.destroy();
    hanging.clear();
  };
  const sendWebhook = async (hook: string): Promise<void> => {
    const body = '{"status":"OK"}';
    const headers = signFalHook(body, keys.privateKey);
    await fetch(service + new URL(hook).pathname, { method: 'POST', headers, body });
  };
  const server = createServer(async (req, res) => {
    const [path = '', query] = (req.url ?? '').split('?');
    if (path === '/report-to') {
      service = await text(req);
      return sendJson(res, 200, {});
    }
    if (path === '/fail') {
      setFault(JSON.parse(await text(req)));
      return sendJson(res, 200, { failed: failureCount });
    }
    req.resume();
    if (path === '/.well-known/jwks.json') return sendJson(res, 200, jwks);
    if (path === '/accepted') return sendJson(res, 200, [...accepted]);
    if (path.startsWith('/files/')) return void res.writeHead(200).end(PNG);
    const [, id = '', action = ''] = /\/requests\/([^/]+)(\/\w+)?$/.exec(path) ?? [];
    const requestsUrl = `http://${req.headers.host}/bench/model/requests`;
    if (id === '') {
      const fault = faults.get(req.headers.authorization ?? '');
      if (fault !== undefined) failureCount++;
      if (fault === 'limit') return sendJson(res, 429, { detail: 'slow down' });
      if (fault === 'hang') return void hanging.add(res);
      const requestId = `req-${accepted.size}`;
      accepted.set(requestId, Date.now());
      const hook = new URLSearchParams(query).get('fal_webhook');
      if (hook !== null && service !== undefined) setTimeout(() => void sendWebhook(hook), jobMs);
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
    const hasEnded = Date.now() >= (accepted.get(id) ?? Number.POSITIVE_INFINITY) + jobMs;
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
  // The parent process may exit without a message.
  process.once('disconnect', () => process.exit());
}

function sendJson(res: ServerResponse, status: number, body: unknown): void {
  res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

if (process.argv[1] === import.meta.filename && process.send !== undefined) serve(Number(process.argv[2]));
