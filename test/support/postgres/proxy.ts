// Runs a TCP proxy to the test's PostgreSQL that simulates network faults: a partition, or the loss of a response.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { TestAddress } from './address.ts';

export interface PostgresProxy {
  /** The URL of the database through the proxy, in the form of DATABASE_URL. */
  readonly url: string;
  /** Stops passing data without refusing connections, as a host behind a network partition does. */
  goSilent(): void;
  /** Passes the data of new connections again. Connections opened earlier stay silent. */
  heal(): void;
  /** Breaks the connection once, instead of forwarding a response that contains `response` to a request with `request`. */
  loseAnswer(request: string, response: string): void;
  /** Whether the response has been dropped. */
  readonly hasLost: boolean;
  close(): Promise<void>;
}

export async function startPostgresProxy({ socketDir, user, database }: TestAddress): Promise<PostgresProxy> {
  const pairs = new Set<readonly [Socket, Socket]>();
  let isSilent = false;
  let pendingLoss: readonly [string, string] | undefined;
  let hasLost = false;
  const server = createServer(client => {
    const target = connect(`${socketDir}/.s.PGSQL.5432`);
    const disconnect = (): void => {
      client.destroy();
      target.destroy();
    };
    for (const socket of [client, target]) socket.on('error', disconnect).on('close', disconnect);
    pairs.add([client, target]);
    if (isSilent) return;
    let request = '';
    client.on('data', bytes => {
      request = bytes.toString('latin1');
      target.write(bytes);
    });
    target.on('data', bytes => {
      const isLost =
        pendingLoss !== undefined &&
        request.includes(pendingLoss[0]) &&
        bytes.toString('latin1').includes(pendingLoss[1]);
      if (!isLost) return void client.write(bytes);
      hasLost = true;
      pendingLoss = undefined;
      disconnect();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `postgres://${user}@127.0.0.1:${(server.address() as AddressInfo).port}/${database}`,
    goSilent: () => {
      isSilent = true;
      // The proxy still receives data, but discards it.
      for (const socket of [...pairs].flat()) socket.removeAllListeners('data').resume();
    },
    heal: () => {
      isSilent = false;
    },
    loseAnswer: (request, response) => {
      pendingLoss = [request, response];
    },
    get hasLost() {
      return hasLost;
    },
    close: async () => {
      for (const socket of [...pairs].flat()) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
