// Closes connections to PostgreSQL that do not respond in time. Otherwise requests would wait forever if a host or
// middlebox dropped the connection without notice.
import type { Socket } from 'node:net';
import type pg from 'pg';

/** TCP keepalive. After this delay, Node sends a probe each second, and closes the connection after ten lost ones. */
export const KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 } as const;

// The keepalive of the server, which would otherwise hold the locks of a lost client for hours. Ignored on a Unix socket.
export const SERVER_KEEP_ALIVE =
  '-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3 -c tcp_user_timeout=25000';

/** Closes the connection if a statement gets no response for `silenceMs`. Call it when the client is connected. */
export function limitSilence(
  client: pg.Client,
  silenceMs: number,
  onSilence: (err: Error) => void = () => undefined,
): void {
  // Not read before the client is connected, because encrypted connections replace their first socket.
  const socket = client.connection.stream as Socket;
  const sendQuery = client.query.bind(client) as (...args: unknown[]) => unknown;
  const monitoredQuery = (...args: unknown[]): unknown => {
    socket.setTimeout(silenceMs);
    return sendQuery(...args);
  };
  client.query = monitoredQuery as typeof client.query;
  client.on('drain', () => socket.setTimeout(0));
  socket.on('timeout', () => {
    const error = new Error(`PostgreSQL has not responded for ${silenceMs / 1000} s.`);
    const outage = Object.assign(error, { code: 'ETIMEDOUT' });
    onSilence(outage);
    socket.destroy(outage);
  });
}

/**
 * Limits the silence of all connections of the pool. When one is closed, closes the idle connections too, because they
 * are probably lost.
 */
export function limitPoolSilence(pool: pg.Pool, silenceMs: number): void {
  const idleClients = new Set<pg.PoolClient>();
  pool.on('connect', client =>
    limitSilence(client, silenceMs, err => {
      // The error removes idle connections from the pool before a caller sees the failure and retries.
      for (const idleClient of idleClients) idleClient.connection.stream.destroy(err);
    }),
  );
  pool.on('acquire', client => idleClients.delete(client));
  pool.on('release', (_err, client) => idleClients.add(client));
  pool.on('remove', client => idleClients.delete(client));
}
