// Runs a proxy that adds an API key to every request, for third-party clients that cannot send a header.
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface KeyProxy {
  readonly url: string;
  close(): Promise<void>;
}

/** Forwards requests to the origin unchanged, with `Authorization: Bearer <key>` added. */
export async function startKeyProxy(origin: string, key: string): Promise<KeyProxy> {
  const { hostname, port } = new URL(origin);
  const server = createServer((req, res) => {
    const headers = { ...req.headers, authorization: `Bearer ${key}` };
    const upstream = request({ hostname, port, method: req.method, path: req.url, headers }, response => {
      res.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(res);
    });
    upstream.on('error', () => res.destroy());
    res.on('close', () => upstream.destroy());
    req.pipe(upstream);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
