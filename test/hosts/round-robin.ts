// Forwards each request to the next server in turn, whether or not that server responds.
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Proxy {
  readonly port: number;
  close(): Promise<void>;
}

export async function startRoundRobin(
  host: string,
  servers: readonly { readonly host: string; readonly port: number }[],
): Promise<Proxy> {
  let turn = 0;
  const proxy = createServer((req, res) => {
    const server = servers[turn++ % servers.length];
    const { method, url: path, headers } = req;
    const onward = request({ ...server, method, path, headers }, response => {
      res.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(res);
    });
    onward.on('error', () => {
      if (res.headersSent) res.destroy();
      else res.writeHead(502, { 'content-type': 'application/json' }).end('{"code":"bad_gateway"}');
    });
    res.on('close', () => onward.destroy());
    req.pipe(onward);
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
