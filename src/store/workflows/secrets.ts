// Reads the encrypted secrets of a workflow for its runs.
import type { Tx } from '../db.ts';

export interface StoredSecrets {
  /** null: it has none. */
  readonly secrets: Buffer | null;
  /** Its creator; null where the workflow is gone. */
  readonly user_id: number | null;
}

/** A deleted workflow's runs still end, so they still find theirs. */
export async function findSecrets(tx: Tx, workflowId: string): Promise<StoredSecrets> {
  const { rows } = await tx.query<StoredSecrets>('select secrets, user_id from workflows where id = $1', [
    workflowId,
  ]);
  return rows[0] ?? { secrets: null, user_id: null };
}
