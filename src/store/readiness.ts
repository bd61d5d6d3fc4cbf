// Whether the database and the job queue in it answer.
import type { Tx } from './db.ts';

/** Throws where the database does not answer. */
export async function pingDatabase(tx: Tx): Promise<void> {
  await tx.query('select 1');
}

/** Throws where the queue's tables cannot be read. */
export async function pingQueue(tx: Tx): Promise<void> {
  await tx.query('select from graphile_worker.jobs limit 1');
}
