// Stores a new batch without a long transaction: reserves it as a draft, adds its rows in parts, and publishes it.
import { AppError } from '../../lib/errors.ts';
import { createLimiter } from '../../lib/limiter.ts';
import { getWork } from '../../lib/work.ts';
import { createInProgressError } from '../../runs/accept/idempotency.ts';
import type { RunDeps } from '../../runs/deps.ts';
import { claimStorage } from '../../services/media/storage-quota.ts';
import type { Tx } from '../../store/db.ts';
import { findIdempotencyKey, type IdempotencyKey, saveIdempotencyKey } from '../../store/executions.ts';
import { markTableUsed } from '../tables/store.ts';
import { countRunningBatches, lockRunningBatches, type NewBatch, type StoredBatch } from './store/batches.ts';
import {
  addDraftRows,
  type BatchPart,
  deleteDraft,
  insertDraft,
  publishDraft,
  renewDraft,
} from './store/drafts.ts';
import type { NewRow } from './store/rows.ts';
import type { NewValue } from './store/values.ts';

/** The idempotency key of a request, with the hash of its body. */
export type BatchKey = IdempotencyKey & { readonly body_hash: string };

export interface RowToStore {
  readonly row: NewRow;
  /** The values to store with the row. */
  readonly newValues: readonly NewValue[];
}

export interface BatchToStore {
  readonly batch: NewBatch;
  readonly readRows: (tx: Tx) => AsyncIterable<RowToStore> | Iterable<RowToStore>;
  readonly key: BatchKey | null;
  /** The table of the rows. It counts as used once the batch is published. */
  readonly tableId?: string | undefined;
}

/** Each batch takes a connection for most of the time, and memory for a part of its rows. One place is left to others. */
const limitStoring = createLimiter({ concurrency: 4, maxPerAccount: 3, maxWaiting: 20, isCostly: true });

/** Rows are added once they have this many characters in total. */
const PART_CHARACTERS = 1_000_000;

/** Stores the batch with its rows, and queues the job that starts them. */
export function storeBatch(deps: RunDeps, unstored: BatchToStore): Promise<StoredBatch> {
  return limitStoring(() => storeNow(deps, unstored), getWork().signal);
}

/** The first part reserves the draft, and the last one publishes it. Most batches have one part, and so one transaction. */
async function storeNow(deps: RunDeps, unstored: BatchToStore): Promise<StoredBatch> {
  const { db, log } = deps;
  const {
    batch: { id },
    tableId,
  } = unstored;
  const leaseMs = deps.timing.batchDraftMs;
  // A busy process may take long to read rows for the next part.
  const renewing = setInterval(
    () =>
      void renewDraft(db, id, leaseMs).catch(err =>
        log.warn({ err, batchId: id }, 'the draft of a batch was not renewed'),
      ),
    leaseMs / RENEWALS,
  );
  let isReserved = false;
  try {
    for await (const { isLast, ...part } of groupRows(unstored.readRows(db))) {
      const batch = await db.transaction(async tx => {
        if (!isReserved) await reserveDraft(deps, tx, unstored);
        if (!(await addDraftRows(tx, id, part, leaseMs))) throw createExpiredError();
        if (!isLast) return undefined;
        if (tableId !== undefined) await markTableUsed(tx, tableId);
        return publishDraft(tx, id);
      });
      if (batch !== undefined) return batch;
      isReserved = true;
    }
    throw new Error(`The batch ${id} was not published.`);
  } catch (err) {
    if (isReserved)
      await db
        .transaction(tx => deleteDraft(tx, id))
        .catch((err: unknown) => log.warn({ err, batchId: id }, 'a job deletes the draft of a batch later'));
    throw err;
  } finally {
    clearInterval(renewing);
  }
}

/** How often a draft is renewed before it expires. */
const RENEWALS = 4;

/**
 * Stores the draft. Throws 409 if the workspace has too many batches, or if another request used the key first. Throws 413
 * `storage_quota_exceeded`.
 */
async function reserveDraft(deps: RunDeps, tx: Tx, { batch, key }: BatchToStore): Promise<void> {
  await requireBatchSlot(tx, batch.workspace);
  await claimStorage(tx, deps.settings, { userId: batch.user_id, bytes: batch.bytes });
  await insertDraft(tx, batch, deps.timing.batchDraftMs);
  if (key === null) return;
  await saveIdempotencyKey(tx, { ...key, executionId: batch.id });
  const firstUse = await findIdempotencyKey(tx, key);
  if (firstUse?.execution_id !== batch.id) throw createInProgressError();
}

async function* groupRows(
  unstoredRows: ReturnType<BatchToStore['readRows']>,
): AsyncGenerator<BatchPart & { readonly isLast: boolean }> {
  let rows: NewRow[] = [];
  let values: NewValue[] = [];
  let characters = 0;
  for await (const { row, newValues } of unstoredRows) {
    if (characters >= PART_CHARACTERS) {
      yield { rows, values, isLast: false };
      [rows, values, characters] = [[], [], 0];
    }
    rows.push(row);
    values.push(...newValues);
    characters += countCharacters({ row, newValues });
  }
  yield { rows, values, isLast: true };
}

/** The size of the other columns of a row. */
const ROW_CHARACTERS = 50;

/** Returns the size of the row with its new values, in characters. */
export function countCharacters({ row: { inputs, config, shared }, newValues }: RowToStore): number {
  let characters = ROW_CHARACTERS + inputs.length + (config?.length ?? 0) + (shared?.length ?? 0);
  for (const { value } of newValues) characters += value.length;
  return characters;
}

const createExpiredError = (): AppError =>
  new AppError('unavailable', 'Storing the batch took too long. Nothing was stored. Try again.', {
    headers: { 'retry-after': '2' },
  });

const MAX_RUNNING_BATCHES = 20;

/** Throws 409 `conflict` if the workspace has as many running batches as allowed. */
export async function requireBatchSlot(tx: Tx, workspace: string): Promise<void> {
  await lockRunningBatches(tx, workspace);
  if ((await countRunningBatches(tx, workspace)) < MAX_RUNNING_BATCHES) return;
  throw new AppError(
    'conflict',
    `The workspace has ${MAX_RUNNING_BATCHES} running batches, the most allowed. Wait until one ends, or stop one.`,
  );
}
