// Forwards connections from one address to another, a TCP port or a Unix socket.
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
    // When either side disconnects, the other one is closed too.
    near.on('error', () => far.destroy()).on('close', () => far.destroy());
    far.on('error', () => near.destroy()).on('close', () => near.destroy());
  });
  server.listen(from.port, from.host);
  await once(server, 'listening');
  return server;
}
