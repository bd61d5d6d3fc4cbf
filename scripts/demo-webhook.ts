// Receives completion webhooks on loopback and verifies each signature with GitHub's own library.
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { verify } from '@octokit/webhooks-methods';

export interface Delivery {
  readonly event: string;
  readonly executionId: string;
  readonly status: string;
}

export interface Receiver extends AsyncDisposable {
  readonly url: string;
  /** Resolves to the first delivery. Rejects if the delivery's signature is wrong, or if the signal is aborted before. */
  waitForDelivery(signal: AbortSignal): Promise<Delivery>;
}

/** Starts the receiver on a free port. */
export async function startReceiver(secret: string): Promise<Receiver> {
  const arrival = Promise.withResolvers<Delivery>();
  // The promise may reject before `waitForDelivery` is called.
  arrival.promise.catch(() => undefined);
  const server = createServer(async (request, response) => {
    const body = await readBody(request);
    const isGenuine = await verify(secret, body, String(request.headers['x-service-signature'])).catch(
      () => false,
    );
    response.writeHead(isGenuine ? 204 : 401).end();
    if (isGenuine) arrival.resolve(JSON.parse(body) as Delivery);
    else arrival.reject(new Error('the webhook has a wrong signature'));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    waitForDelivery: signal => {
      signal.addEventListener('abort', () => arrival.reject(new Error('the webhook did not arrive')), {
        once: true,
      });
      return arrival.promise;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
