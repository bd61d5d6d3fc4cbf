// Streams the changes of a batch and its rows.
import { setTimeout as sleep } from 'node:timers/promises';
import { createChangeWaiter } from '../../lib/change-waiter.ts';
import type { RunDeps } from '../../runs/deps.ts';
import { type Actor, requireScope } from '../../services/accounts/actor.ts';
import { listChangedRows } from '../../store/automation/batch-rows.ts';
import { type BatchRow, findBatch } from '../../store/automation/batches.ts';
import { MAX_ROWS } from './batch.schema.ts';
import { getBatchRow, type PresentedRow, presentBatch, presentRows } from './read-batch.ts';

/** Other processes change batches without a notification. */
const POLL_MS = 1000;
/** Changes that arrive faster are sent together. */
const MIN_PAUSE_MS = 200;
const ROWS_AT_ONCE = 100;

export type BatchEvent =
  | {
      readonly event: 'snapshot' | 'batch';
      readonly id: number;
      readonly data: Awaited<ReturnType<typeof presentBatch>>;
    }
  | { readonly event: 'row'; readonly data: PresentedRow };

/**
 * Streams a snapshot of the batch, then each row that changes and the batch with its counts, until it has ended.
 * With `afterId`, the stream has no snapshot and resumes after that change. Returns undefined if nothing is left to send.
 */
export async function watchBatch(
  deps: RunDeps,
  actor: Actor,
  id: string,
  options: WatchOptions,
): Promise<AsyncGenerator<BatchEvent> | undefined> {
  const batch = await getBatchRow(deps, requireScope(actor, 'workflows:read'), id);
  const { afterId } = options;
  if (hasEnded(batch) && afterId !== undefined && afterId >= batch.seq) return undefined;
  return follow(deps, batch, options);
}

interface WatchOptions {
  readonly afterId?: number | undefined;
  readonly signal: AbortSignal;
}

const hasEnded = ({ status }: BatchRow): boolean => status === 'STOPPED' || status === 'COMPLETED';

async function* follow(
  deps: RunDeps,
  batch: BatchRow,
  { afterId, signal }: WatchOptions,
): AsyncGenerator<BatchEvent> {
  const { wait, notify } = createChangeWaiter();
  const unsubscribe = deps.runNotifier.subscribe(batch.id, { onChange: notify });
  try {
    let sentSeq = afterId ?? batch.seq;
    if (afterId === undefined)
      yield { event: 'snapshot', id: sentSeq, data: await presentBatch(deps, batch) };
    while (!signal.aborted) {
      const current = await findBatch(deps.db, batch.id);
      if (current === undefined) return;
      if (current.seq > sentSeq) {
        yield* listChanges(deps, current, sentSeq);
        sentSeq = current.seq;
      }
      if (hasEnded(current)) return;
      await sleep(MIN_PAUSE_MS);
      await wait(POLL_MS, signal);
    }
  } finally {
    unsubscribe();
  }
}

/** Yields the rows that changed after `sentSeq`, then the batch. Only the batch has an id, so a stream resumes there. */
async function* listChanges(deps: RunDeps, batch: BatchRow, sentSeq: number): AsyncGenerator<BatchEvent> {
  let after = { seq: sentSeq, row: MAX_ROWS };
  for (;;) {
    const range = { after, maxSeq: batch.seq, limit: ROWS_AT_ONCE };
    const rows = await listChangedRows(deps.db, batch.id, range);
    for (const data of await presentRows(deps, batch, rows)) yield { event: 'row', data };
    const last = rows.at(-1);
    if (last === undefined || rows.length < ROWS_AT_ONCE) break;
    after = { seq: last.seq, row: last.row_number };
  }
  yield { event: 'batch', id: batch.seq, data: await presentBatch(deps, batch) };
}
