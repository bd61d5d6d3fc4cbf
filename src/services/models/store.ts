// Stores the installed models, and a revision that increases with each change.
import type { Tx } from '../../store/db.ts';
import { CHANNELS } from '../../store/db.ts';
import { allValues, firstNumber, firstValue } from '../../store/rows.ts';

export function getModelsRevision(tx: Tx): Promise<number> {
  return firstNumber(tx, 'select revision from models_revision');
}

/** Lists the stored models, ordered by node type. */
export function listModels(tx: Tx): Promise<readonly unknown[]> {
  return allValues(tx, 'select model from models order by node_type');
}

/**
 * Increases the revision, locks it until the transaction ends, and returns it. Returns undefined if the current
 * revision is not `expected`.
 */
export function raiseModelsRevision(tx: Tx, expected: number): Promise<number | undefined> {
  return firstValue(
    tx,
    'update models_revision set revision = revision + 1 where revision = $1 returning revision',
    [expected],
  );
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
