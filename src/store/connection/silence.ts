// Bounded waits for PostgreSQL: a connection on which no answer comes ends like one that broke. Without this a request
// waits for ever where a host was cut off, or where something between dropped the connection without a word.
import type { Socket } from 'node:net';
import type pg from 'pg';

/** Probes of the system while nothing is said; Node's follow each other by a second, and the tenth lost one ends it. */
export const KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 } as const;

// The server's own, so that the locks of a client that was cut off are not kept for hours. Ignored on a Unix socket.
export const SERVER_KEEP_ALIVE =
  '-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3 -c tcp_user_timeout=25000';

/** Ends the connection where a statement gets no answer for so long. Call it once it is connected. */
export function boundSilence(
  client: pg.Client,
  silenceMs: number,
  onSilence: (err: Error) => void = () => undefined,
): void {
  // Encrypted ones have another socket by now than at first.
  const socket = client.connection.stream as Socket;
  const ask = client.query.bind(client) as (...args: unknown[]) => unknown;
  const asked = (...args: unknown[]): unknown => {
    socket.setTimeout(silenceMs);
    return ask(...args);
  };
  client.query = asked as typeof client.query;
  client.on('drain', () => socket.setTimeout(0));
  socket.on('timeout', () => {
    const error = new Error(`PostgreSQL has not answered for ${silenceMs / 1000} s.`);
    const outage = Object.assign(error, { code: 'ETIMEDOUT' });
    onSilence(outage);
    socket.destroy(outage);
  });
}

/** All connections of the pool. After one that was silent no idle one is trusted, which may have met the same fate. */
export function boundPool(pool: pg.Pool, silenceMs: number): void {
  const idle = new Set<pg.PoolClient>();
  pool.on('connect', client =>
    boundSilence(client, silenceMs, err => {
      // With an error they leave the pool before anybody learns of the silence and asks again.
      for (const other of idle) other.connection.stream.destroy(err);
    }),
  );
  pool.on('acquire', client => idle.delete(client));
  pool.on('release', (_err, client) => idle.add(client));
  pool.on('remove', client => idle.delete(client));
}
