// Stores a new batch without a long transaction: reserves it as a draft, adds its rows in parts, then publishes it.
import { AppError } from '../../lib/errors.ts';
import { createLimiter } from '../../lib/limiter.ts';
import { getWork } from '../../lib/work.ts';
import type { RunDeps } from '../../runs/deps.ts';
import { addDraftRows, deleteDraft, insertDraft, publishDraft } from '../../store/automation/batch-drafts.ts';
import type { NewRow } from '../../store/automation/batch-rows.ts';
import {
  countRunningBatches,
  lockRunningBatches,
  type NewBatch,
  type StoredBatch,
} from '../../store/automation/batches.ts';
import type { Tx } from '../../store/db.ts';
import { findIdempotencyKey, type IdempotencyKey, saveIdempotencyKey } from '../../store/executions.ts';

/** The idempotency key of a request, with the hash of its body. */
export type BatchKey = IdempotencyKey & { readonly body_hash: string };

export interface UnstoredBatch {
  readonly batch: NewBatch;
  readonly readRows: (tx: Tx) => AsyncIterable<NewRow>;
  readonly key: BatchKey | null;
}

/** Each batch takes a connection for most of the time, and memory for a part of its rows. */
const limitStoring = createLimiter({ concurrency: 4, maxWaiting: 20 });

/** Rows are added once they have this many characters in total. */
const PART_CHARACTERS = 1_000_000;

/** Stores the batch with its rows, and queues the job that starts them. */
export function storeBatch(deps: RunDeps, unstored: UnstoredBatch): Promise<StoredBatch> {
  return limitStoring(() => storeNow(deps, unstored), getWork().signal);
}

async function storeNow(deps: RunDeps, unstored: UnstoredBatch): Promise<StoredBatch> {
  const { db, log } = deps;
  const { id } = unstored.batch;
  await db.transaction(tx => reserveDraft(deps, tx, unstored));
  try {
    for await (const rows of groupRows(unstored.readRows(db))) {
      const isAdded = await db.transaction(tx => addDraftRows(tx, id, rows, deps.timing.batchDraftMs));
      if (!isAdded) throw createExpiredError();
    }
    const batch = await db.transaction(tx => publishDraft(tx, id));
    if (batch === undefined) throw createExpiredError();
    return batch;
  } catch (err) {
    await db
      .transaction(tx => deleteDraft(tx, id))
      .catch((err: unknown) => log.warn({ err, batchId: id }, 'a job deletes the draft of a batch later'));
    throw err;
  }
}

/** Stores the draft. Throws 409 if the workspace has too many batches, or if another request used the key first. */
async function reserveDraft(deps: RunDeps, tx: Tx, { batch, key }: UnstoredBatch): Promise<void> {
  await requireBatchSlot(tx, batch.workspace);
  await insertDraft(tx, batch, deps.timing.batchDraftMs);
  if (key === null) return;
  await saveIdempotencyKey(tx, { ...key, executionId: batch.id });
  const firstUse = await findIdempotencyKey(tx, key);
  if (firstUse?.execution_id !== batch.id) throw createInProgressError();
}

async function* groupRows(rows: AsyncIterable<NewRow>): AsyncGenerator<readonly NewRow[]> {
  let group: NewRow[] = [];
  let characters = 0;
  for await (const row of rows) {
    group.push(row);
    characters += row.inputs.length + (row.config?.length ?? 0) + 100;
    if (characters < PART_CHARACTERS) continue;
    yield group;
    group = [];
    characters = 0;
  }
  if (group.length > 0) yield group;
}

export const createInProgressError = (): AppError =>
  new AppError(
    'idempotency_in_progress',
    'The first request with this Idempotency-Key is still being processed. Try again in a second.',
    { headers: { 'retry-after': '1' } },
  );

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
