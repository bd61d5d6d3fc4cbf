// Checks that the database and its job queue respond.
import type { Tx } from './db.ts';

/** Throws if the database does not respond. */
export async function pingDatabase(tx: Tx): Promise<void> {
  await tx.query('select 1');
}

/** Throws if the queue's tables cannot be read. */
export async function pingQueue(tx: Tx): Promise<void> {
  await tx.query('select from graphile_worker.jobs limit 1');
}
