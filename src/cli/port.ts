// Checks whether the service can listen on the configured address.
import { createServer } from 'node:net';
import type { Settings } from '../lib/settings.ts';

type ListenAddress = Pick<Settings, 'HOST' | 'PORT'>;

/** Listens briefly. Rejects, if that fails, with an error that names the setting to change. */
export async function requirePort({ HOST, PORT }: ListenAddress): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const server = createServer().once('error', reject);
  server.listen(PORT, HOST, () => server.close(() => resolve()));
  await promise.catch((err: Error) => {
    throw explainListenError(err, { HOST, PORT });
  });
}

const REASONS: Readonly<Record<string, (address: ListenAddress) => string>> = {
  EADDRINUSE: ({ HOST, PORT }) => `${HOST}:${PORT} is in use. Stop the other program, or set PORT.`,
  EACCES: ({ HOST, PORT }) => `This account may not listen on ${HOST}:${PORT}. Set PORT to 1024 or above.`,
  EADDRNOTAVAIL: ({ HOST }) => `${HOST} is not an address of this machine. Set HOST to 127.0.0.1 or 0.0.0.0.`,
};

/** Returns an error that names the setting to change, or the error itself if it has another cause. */
export function explainListenError(err: Error, address: ListenAddress): Error {
  const reason = REASONS[(err as NodeJS.ErrnoException).code ?? ''];
  return reason === undefined ? err : new Error(reason(address), { cause: err });
}
