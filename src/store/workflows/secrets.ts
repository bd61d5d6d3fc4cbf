// The encrypted secrets of a workflow, as its runs need them.
import type { Tx } from '../db.ts';

/** null: it has none. A deleted workflow's runs still end, so they still find theirs. */
export async function findSecrets(tx: Tx, workflowId: string): Promise<Buffer | null> {
  const { rows } = await tx.query<{ secrets: Buffer | null }>('select secrets from workflows where id = $1', [
    workflowId,
  ]);
  return rows[0]?.secrets ?? null;
}
