// Reads and writes the operator's models, and a revision that increases with each change.

import type { Tx } from './db.ts';
import { CHANNELS } from './db.ts';

export async function getModelsRevision(tx: Tx): Promise<number> {
  const { rows } = await tx.query<{ revision: number }>('select revision from models_revision');
  return rows[0]?.revision ?? 0;
}

/** Lists the stored models, ordered by name. */
export async function listModels(tx: Tx): Promise<readonly unknown[]> {
  const { rows } = await tx.query<{ model: unknown }>('select model from models order by node_type');
  return rows.map(({ model }) => model);
}

/**
 * Raises the revision and returns it, or undefined if the current one is not `expected`. The row stays locked until the
 * commit.
 */
export async function raiseModelsRevision(tx: Tx, expected: number): Promise<number | undefined> {
  const { rows } = await tx.query<{ revision: number }>(
    'update models_revision set revision = revision + 1 where revision = $1 returning revision',
    [expected],
  );
  return rows[0]?.revision;
}

export async function upsertModels(tx: Tx, models: readonly { readonly nodeType: string }[]): Promise<void> {
  await tx.query(
    `insert into models (node_type, model)
     select model->>'nodeType', model from jsonb_array_elements($1::jsonb) as model
     on conflict (node_type) do update set model = excluded.model, updated_at = now()`,
    [JSON.stringify(models)],
  );
}

/** Notifies every process once the transaction has committed. */
export async function notifyModels(tx: Tx): Promise<void> {
  await tx.query(`select pg_notify('${CHANNELS.models}', '')`);
}
