// Stores the long values of batches, each once, however many rows have them.
import type { Tx } from '../../../store/db.ts';
import { all } from '../../../store/rows.ts';

export interface NewValue {
  /** Unique in the batch. */
  readonly number: number;
  /** JSON text. */
  readonly value: string;
}

/** Returns the values by number. */
export async function listValues(
  tx: Tx,
  batchId: string,
  numbers: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  const rows = await all<NewValue>(
    tx,
    'select number, value from batch_values where batch_id = $1 and number = any ($2::int[])',
    [batchId, numbers],
  );
  return new Map(rows.map(({ number, value }) => [number, value]));
}
