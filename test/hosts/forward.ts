// Forwards connections from one address to another, a TCP port or a Unix socket.
import { once } from 'node:events';
import { connect, createServer, type NetConnectOpts, type Server } from 'node:net';

/** Starts forwarding. Closing the server stops it. */
export async function forward(
  address: { readonly host: string; readonly port: number },
  getTarget: () => NetConnectOpts,
): Promise<Server> {
  const server = createServer(near => {
    const far = connect(getTarget());
    near.pipe(far).pipe(near);
    // When one side disconnects, the other side is closed too.
    near.on('error', () => far.destroy()).on('close', () => far.destroy());
    far.on('error', () => near.destroy()).on('close', () => near.destroy());
  });
  server.listen(address.port, address.host);
  await once(server, 'listening');
  return server;
}
