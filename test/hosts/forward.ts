// Joins connections: what comes to one address goes on to another, a TCP port or a Unix socket.
import { once } from 'node:events';
import { connect, createServer, type NetConnectOpts, type Server } from 'node:net';

/** Listens until it is closed. */
export async function forward(
  from: { readonly host: string; readonly port: number },
  to: () => NetConnectOpts,
): Promise<Server> {
  const server = createServer(near => {
    const far = connect(to());
    near.pipe(far).pipe(near);
    // Either side may break off; the other then learns of it.
    near.on('error', () => far.destroy()).on('close', () => far.destroy());
    far.on('error', () => near.destroy()).on('close', () => near.destroy());
  });
  server.listen(from.port, from.host);
  await once(server, 'listening');
  return server;
}
