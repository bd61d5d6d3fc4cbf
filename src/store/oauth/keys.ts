// Stores the encrypted keys of the authorization server, which all processes share.
import type { Tx } from '../db.ts';

/** Returns the stored key of that name, or stores the given one. */
export async function keepKey(tx: Tx, name: string, encrypted: Buffer): Promise<Buffer> {
  await tx.query('insert into oauth_keys (name, encrypted) values ($1, $2) on conflict do nothing', [
    name,
    encrypted,
  ]);
  const { rows } = await tx.query<{ encrypted: Buffer }>('select encrypted from oauth_keys where name = $1', [
    name,
  ]);
  return rows[0]?.encrypted ?? encrypted;
}
