// Stores new batches without a long transaction. A draft reserves the batch, its rows are added in parts, and then the draft
// is published. Nobody reads a draft, and its rows do not start. If the process of a draft dies, the draft expires, and the
// job that was queued with it deletes it.
import type { Tx } from '../../../store/db.ts';
import { enqueue } from '../../../store/queue.ts';
import { first, firstValue, insertRow, insertRows, matches } from '../../../store/rows.ts';
import { deleteBatch, findBatch, type NewBatch, type StoredBatch } from './batches.ts';
import type { NewRow } from './rows.ts';
import type { NewValue } from './values.ts';

/** Stores the batch without rows. It counts as running. The draft expires after `leaseMs`. Requires a transaction. */
export async function insertDraft(tx: Tx, batch: NewBatch, leaseMs: number): Promise<void> {
  const expiry = await firstValue<Date>(tx, `select now() + $1::float8 * interval '1 millisecond'`, [
    leaseMs,
  ]);
  // Processes of an earlier version do not know drafts, but leave paused batches alone.
  const draft = { ...batch, status: 'PAUSED', rows_waiting: batch.total, draft_until: expiry };
  await insertRow(tx, 'batches', draft);
  await enqueue(tx, 'batch', [batch.id], expiry);
}

/** Moves the expiry of the draft. Returns false if it has expired and was deleted. */
export function renewDraft(tx: Tx, id: string, leaseMs: number): Promise<boolean> {
  return matches(
    tx,
    `update batches set draft_until = now() + $2::float8 * interval '1 millisecond'
     where id = $1 and draft_until is not null`,
    [id, leaseMs],
  );
}

/** Some rows of a batch, and the values that they and later rows share. */
export interface BatchPart {
  readonly rows: readonly NewRow[];
  readonly values: readonly NewValue[];
}

/**
 * Adds rows and renews the draft. Returns false if the draft has expired and was deleted. Requires a transaction.
 */
export async function addDraftRows(
  tx: Tx,
  id: string,
  { rows, values }: BatchPart,
  leaseMs: number,
): Promise<boolean> {
  // The update also locks the draft, so that it is not deleted while rows are added.
  if (!(await renewDraft(tx, id, leaseMs))) return false;
  const addBatch = (row: object): object => ({ batch_id: id, ...row });
  await insertRows(tx, 'batch_values', values.map(addBatch));
  await insertRows(tx, 'batch_rows', rows.map(addBatch));
  return true;
}

/**
 * Turns the draft into a batch and queues its job. Returns undefined if the draft has expired and was deleted. Requires a
 * transaction.
 */
export async function publishDraft(tx: Tx, id: string): Promise<StoredBatch | undefined> {
  await tx.query(
    `update batches set draft_until = null, status = 'RUNNING' where id = $1 and draft_until is not null`,
    [id],
  );
  const batch = await findBatch(tx, id);
  if (batch !== undefined) await enqueue(tx, 'batch', [id]);
  return batch;
}

/** Deletes the draft, its rows and its idempotency key. Requires a transaction. */
export async function deleteDraft(tx: Tx, id: string): Promise<void> {
  if ((await lockDraft(tx, id)) !== undefined) await deleteBatch(tx, id);
}

/** Deletes the draft if it has expired. Otherwise queues the job that calls this function again. Requires a transaction. */
export async function sweepDraft(tx: Tx, id: string): Promise<void> {
  const draft = await lockDraft(tx, id);
  if (draft === undefined) return;
  if (draft.is_expired) await deleteBatch(tx, id);
  else await enqueue(tx, 'batch', [id], draft.draft_until);
}

function lockDraft(
  tx: Tx,
  id: string,
): Promise<{ readonly draft_until: Date; readonly is_expired: boolean } | undefined> {
  return first(
    tx,
    `select draft_until, draft_until < now() as is_expired from batches
     where id = $1 and draft_until is not null for update`,
    [id],
  );
}
