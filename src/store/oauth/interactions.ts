// Reads and writes authorization requests that wait for the user.
import type { Tx } from '../db.ts';

export async function findInteraction(
  tx: Tx,
  id: string,
  now: Date,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const { rows } = await tx.query<{ payload: Readonly<Record<string, unknown>> }>(
    'select payload from oauth_interactions where id = $1 and expires_at > $2',
    [id, now],
  );
  return rows[0]?.payload;
}

export async function putInteraction(
  tx: Tx,
  id: string,
  payload: Readonly<Record<string, unknown>>,
  expiresAt: Date,
): Promise<void> {
  await tx.query(
    `insert into oauth_interactions (id, payload, expires_at) values ($1, $2, $3)
     on conflict (id) do update set payload = excluded.payload, expires_at = excluded.expires_at`,
    [id, JSON.stringify(payload), expiresAt],
  );
}

export async function deleteInteraction(tx: Tx, id: string): Promise<void> {
  await tx.query('delete from oauth_interactions where id = $1', [id]);
}
