// Stores cached node outputs, by workspace and key.
import type { Tx } from './db.ts';
import { firstValue } from './rows.ts';

/** Returns the JSON text of the outputs, or undefined if there is no entry or one of its files was deleted. */
export function findCachedOutputs(tx: Tx, workspace: string, key: string): Promise<string | undefined> {
  return firstValue(
    tx,
    `select outputs from node_cache c where workspace = $1 and key = decode($2, 'hex')
     and not exists (select from unnest(c.media_ids) as used (id) where not exists (select from media m where m.id = used.id))`,
    [workspace, key],
  );
}

export async function saveCachedOutputs(
  tx: Tx,
  entry: {
    readonly workspace: string;
    readonly key: string;
    readonly outputs: string;
    readonly mediaIds: readonly string[];
  },
): Promise<void> {
  await tx.query(
    `insert into node_cache (workspace, key, outputs, media_ids) values ($1, decode($2, 'hex'), $3, $4)
     on conflict (workspace, key) do update set outputs = excluded.outputs, media_ids = excluded.media_ids, created_at = now()`,
    [entry.workspace, entry.key, entry.outputs, entry.mediaIds],
  );
}
