// A TCP address of the test's PostgreSQL that misbehaves as networks do: it goes silent, or breaks off before an answer.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { TestAddress } from '../postgres.ts';

export interface PostgresProxy {
  /** As DATABASE_URL has it. */
  readonly url: string;
  /** From now on nothing passes, and nothing is refused either: as where a host is cut off. */
  goSilent(): void;
  /** New connections pass again; of those before nothing is ever heard again. */
  heal(): void;
  /** Breaks the connection off once, before the answer that matches to a request that matches. */
  loseAnswer(request: string, answer: string): void;
  /** Whether the answer was lost by now. */
  readonly hasLost: boolean;
  close(): Promise<void>;
}

export async function startPostgresProxy({ socketDir, user, database }: TestAddress): Promise<PostgresProxy> {
  const pairs = new Set<readonly [Socket, Socket]>();
  let isSilent = false;
  let toLose: readonly [string, string] | undefined;
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
        toLose !== undefined && request.includes(toLose[0]) && bytes.toString('latin1').includes(toLose[1]);
      if (!isLost) return void near.write(bytes);
      hasLost = true;
      toLose = undefined;
      end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `postgres://${user}@127.0.0.1:${(server.address() as AddressInfo).port}/${database}`,
    goSilent: () => {
      isSilent = true;
      // What arrives is acknowledged, and forgotten.
      for (const socket of [...pairs].flat()) socket.removeAllListeners('data').resume();
    },
    heal: () => {
      isSilent = false;
    },
    loseAnswer: (request, answer) => {
      toLose = [request, answer];
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
