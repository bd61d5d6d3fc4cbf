// Stores the clients and the keys of the authorization server.
import type { Tx } from '../db.ts';
import { first, firstValue } from '../rows.ts';

export interface ClientRow {
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly secret: Buffer | null;
}

export function findClient(tx: Tx, id: string): Promise<ClientRow | undefined> {
  return first(tx, 'select metadata, secret from oauth_clients where id = $1', [id]);
}

export async function insertClient(
  tx: Tx,
  client: { readonly id: string; readonly createdAt: Date } & ClientRow,
): Promise<void> {
  await tx.query('insert into oauth_clients (id, metadata, secret, created_at) values ($1, $2, $3, $4)', [
    client.id,
    JSON.stringify(client.metadata),
    client.secret,
    client.createdAt,
  ]);
}

export async function deleteClient(tx: Tx, id: string): Promise<void> {
  await tx.query('delete from oauth_clients where id = $1', [id]);
}

/** Returns the stored encrypted key of that name, or stores the given one. All processes share it. */
export async function findOrStoreKey(tx: Tx, name: string, encrypted: Buffer): Promise<Buffer> {
  await tx.query('insert into oauth_keys (name, encrypted) values ($1, $2) on conflict do nothing', [
    name,
    encrypted,
  ]);
  return (
    (await firstValue<Buffer>(tx, 'select encrypted from oauth_keys where name = $1', [name])) ?? encrypted
  );
}
