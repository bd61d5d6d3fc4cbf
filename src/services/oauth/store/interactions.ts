// Stores authorization requests that wait for the user.
import type { Tx } from '../../../store/db.ts';
import { firstValue, insertRow } from '../../../store/rows.ts';

export function findInteraction(
  tx: Tx,
  id: string,
  now: Date,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  return firstValue(tx, 'select payload from oauth_interactions where id = $1 and expires_at > $2', [
    id,
    now,
  ]);
}

export async function upsertInteraction(
  tx: Tx,
  id: string,
  payload: Readonly<Record<string, unknown>>,
  expiresAt: Date,
): Promise<void> {
  await insertRow(
    tx,
    'oauth_interactions',
    { id, payload: JSON.stringify(payload), expires_at: expiresAt },
    'on conflict (id) do update set payload = excluded.payload, expires_at = excluded.expires_at',
  );
}

export async function deleteInteraction(tx: Tx, id: string): Promise<void> {
  await tx.query('delete from oauth_interactions where id = $1', [id]);
}
