// A TCP proxy to the test's PostgreSQL that simulates network faults: it goes silent, or disconnects before an answer.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { TestAddress } from '../postgres.ts';

export interface PostgresProxy {
  /** In the form of DATABASE_URL. */
  readonly url: string;
  /** Stops passing data without refusing connections, as a host behind a network partition does. */
  goSilent(): void;
  /** Passes the data of new connections again. Connections opened earlier stay silent. */
  heal(): void;
  /** Breaks the connection once, between a matching request and its matching answer. */
  loseAnswer(request: string, response: string): void;
  /** Whether the answer has been dropped yet. */
  readonly hasLost: boolean;
  close(): Promise<void>;
}

export async function startPostgresProxy({ socketDir, user, database }: TestAddress): Promise<PostgresProxy> {
  const pairs = new Set<readonly [Socket, Socket]>();
  let isSilent = false;
  let pendingLoss: readonly [string, string] | undefined;
  let hasLost = false;
  const server = createServer(near => {
    const far = connect(`${socketDir}/.s.PGSQL.5432`);
    const end = (): void => {
      near.destroy();
      far.destroy();
    };
    for (const socket of [near, far]) socket.on('error', end).on('close', end);
    pairs.add([near, far]);
    if (isSilent) return;
    let request = '';
    near.on('data', bytes => {
      request = bytes.toString('latin1');
      far.write(bytes);
    });
    far.on('data', bytes => {
      const isLost =
        pendingLoss !== undefined &&
        request.includes(pendingLoss[0]) &&
        bytes.toString('latin1').includes(pendingLoss[1]);
      if (!isLost) return void near.write(bytes);
      hasLost = true;
      pendingLoss = undefined;
      end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `postgres://${user}@127.0.0.1:${(server.address() as AddressInfo).port}/${database}`,
    goSilent: () => {
      isSilent = true;
      // Received data is acknowledged and discarded.
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
