// Runs a proxy that forwards requests to the servers in rotation, even to servers that do not respond.
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface RoundRobinProxy {
  readonly port: number;
  close(): Promise<void>;
}

export async function startRoundRobin(
  host: string,
  servers: readonly { readonly host: string; readonly port: number }[],
): Promise<RoundRobinProxy> {
  let requestCount = 0;
  const proxy = createServer((req, res) => {
    const server = servers[requestCount++ % servers.length];
    const { method, url: path, headers } = req;
    const upstream = request({ ...server, method, path, headers }, response => {
      res.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(res);
    });
    upstream.on('error', () => {
      if (res.headersSent) res.destroy();
      else res.writeHead(502, { 'content-type': 'application/json' }).end('{"code":"bad_gateway"}');
    });
    res.on('close', () => upstream.destroy());
    req.pipe(upstream);
  });
  proxy.listen(0, host);
  await once(proxy, 'listening');
  return {
    port: (proxy.address() as AddressInfo).port,
    close: async () => {
      proxy.closeAllConnections();
      proxy.close();
      await once(proxy, 'close');
    },
  };
}
