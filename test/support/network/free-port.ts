// Finds a free port for a process whose address must be known before the process listens.
import { once } from 'node:events';
import { createServer } from 'node:net';

/** A range below the ports of outgoing connections, which could take a port before the process listens. */
const [FIRST_PORT, LAST_PORT] = [12_000, 32_000];

/** Returns a port of 127.0.0.1 on which nothing listens at the moment. */
export async function findFreePort(): Promise<number> {
  const port = FIRST_PORT + Math.floor(Math.random() * (LAST_PORT - FIRST_PORT));
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return findFreePort();
  }
  server.close();
  await once(server, 'close');
  return port;
}
