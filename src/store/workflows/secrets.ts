// Reads the encrypted secrets of a workflow for its runs.
import type { Tx } from '../db.ts';

/** Null if it has none. Runs of a deleted workflow still end, so they still find theirs. */
export async function findSecrets(tx: Tx, workflowId: string): Promise<Buffer | null> {
  const { rows } = await tx.query<{ secrets: Buffer | null }>('select secrets from workflows where id = $1', [
    workflowId,
  ]);
  return rows[0]?.secrets ?? null;
}
