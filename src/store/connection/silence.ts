// Ends connections to PostgreSQL that do not respond in time. Otherwise requests would wait forever after a host or
// middlebox silently dropped the connection.
import type { Socket } from 'node:net';
import type pg from 'pg';

/** TCP keepalive; Node probes once a second after this, and ends the connection after ten lost probes. */
export const KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 } as const;

// The server's own keepalive, so that it does not hold the locks of a lost client for hours. Ignored on a Unix socket.
export const SERVER_KEEP_ALIVE =
  '-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3 -c tcp_user_timeout=25000';

/** Ends the connection if a statement gets no response for that long. Call it once the client is connected. */
export function boundSilence(
  client: pg.Client,
  silenceMs: number,
  onSilence: (err: Error) => void = () => undefined,
): void {
  // Encrypted connections have replaced their first socket by now.
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
 * Does the same for all connections of the pool. After a silent connection, idle ones are closed, since they may be
 * lost too.
 */
export function boundPool(pool: pg.Pool, silenceMs: number): void {
  const idle = new Set<pg.PoolClient>();
  pool.on('connect', client =>
    boundSilence(client, silenceMs, err => {
      // Destroyed with an error, they leave the pool before anyone sees the failure and retries.
      for (const idleClient of idle) idleClient.connection.stream.destroy(err);
    }),
  );
  pool.on('acquire', client => idle.delete(client));
  pool.on('release', (_err, client) => idle.add(client));
  pool.on('remove', client => idle.delete(client));
}
