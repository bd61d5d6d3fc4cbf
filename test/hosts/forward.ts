// Forwards TCP connections to another TCP port or to a Unix socket.
import { once } from 'node:events';
import { connect, createServer, type NetConnectOpts, type Server } from 'node:net';

/** Forwards connections to this address until the server is closed. */
export async function forward(
  address: { readonly host: string; readonly port: number },
  getTarget: () => NetConnectOpts,
): Promise<Server> {
  const server = createServer(client => {
    const target = connect(getTarget());
    client.pipe(target).pipe(client);
    // When one side disconnects, the other side is closed too.
    client.on('error', () => target.destroy()).on('close', () => target.destroy());
    target.on('error', () => client.destroy()).on('close', () => client.destroy());
  });
  server.listen(address.port, address.host);
  await once(server, 'listening');
  return server;
}
