// A proxy that adds a key to every request, for clients written by others that cannot send a header.
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface KeyProxy {
  readonly url: string;
  close(): Promise<void>;
}

/** Forwards to the origin what comes, as it comes, with `Authorization: Bearer <key>`. */
export async function startKeyProxy(origin: string, key: string): Promise<KeyProxy> {
  const { hostname, port } = new URL(origin);
  const server = createServer((req, res) => {
    const headers = { ...req.headers, authorization: `Bearer ${key}` };
    const onward = request({ hostname, port, method: req.method, path: req.url, headers }, answer => {
      res.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(res);
    });
    onward.on('error', () => res.destroy());
    res.on('close', () => onward.destroy());
    req.pipe(onward);
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
