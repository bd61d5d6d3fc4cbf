// Stores the clients and the keys of the authorization server.
import type { Tx } from '../../../store/db.ts';
import { first, firstValue, insertMissingRow, insertRow } from '../../../store/rows.ts';

export interface ClientRow {
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly secret: Buffer | null;
}

export function findClient(tx: Tx, id: string): Promise<ClientRow | undefined> {
  return first(tx, 'select metadata, secret from oauth_clients where id = $1', [id]);
}

export function insertClient(
  tx: Tx,
  client: ClientRow & { readonly id: string; readonly created_at: Date },
): Promise<void> {
  return insertRow(tx, 'oauth_clients', client);
}

export async function deleteClient(tx: Tx, id: string): Promise<void> {
  await tx.query('delete from oauth_clients where id = $1', [id]);
}

/** Returns the key of that name, which all processes share. Stores `encrypted` if there is no such key. */
export async function findOrStoreKey(tx: Tx, name: string, encrypted: Buffer): Promise<Buffer> {
  await insertMissingRow(tx, 'oauth_keys', { name, encrypted });
  const stored = await firstValue<Buffer>(tx, 'select encrypted from oauth_keys where name = $1', [name]);
  if (stored === undefined) throw new Error(`The OAuth key ${name} was deleted while it was read.`);
  return stored;
}
