// Streams the changes of a batch and its rows.
import { createChangeWaiter } from '../../lib/change-waiter.ts';
import type { RunDeps } from '../../runs/deps.ts';
import { type Actor, requireScope } from '../../services/accounts/actor.ts';
import { findBatch, listChangedRows } from '../../store/automation/batches.ts';
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
  | { readonly event: 'row'; readonly id: number; readonly data: PresentedRow };

/**
 * Streams a snapshot of the batch, then each row that changes and the batch with its counts, until it has ended.
 * With `afterId`, the stream has no snapshot and resumes after that change.
 */
export async function* watchBatch(
  deps: RunDeps,
  actor: Actor,
  id: string,
  { afterId, signal }: { readonly afterId?: number | undefined; readonly signal: AbortSignal },
): AsyncGenerator<BatchEvent> {
  const user = requireScope(actor, 'workflows:read');
  let batch = await getBatchRow(deps, user, id);
  const { wait, notify } = createChangeWaiter();
  const unsubscribe = deps.runNotifier.subscribe(id, { onChange: notify });
  try {
    let sentSeq = afterId ?? batch.seq;
    if (afterId === undefined)
      yield { event: 'snapshot', id: batch.seq, data: await presentBatch(deps, batch) };
    while (!signal.aborted) {
      for (;;) {
        const rows = await listChangedRows(deps.db, id, sentSeq, ROWS_AT_ONCE);
        const last = rows.at(-1);
        if (last === undefined) break;
        // Rows of one change are sent together, so that a stream can resume after any of them.
        const isCut = rows.length === ROWS_AT_ONCE && rows[0]?.seq !== last.seq;
        const whole = isCut ? rows.filter(({ seq }) => seq < last.seq) : rows;
        const presented = await presentRows(deps, batch, whole);
        for (const [index, data] of presented.entries()) {
          if (signal.aborted) return;
          yield { event: 'row', id: whole[index]?.seq ?? sentSeq, data };
        }
        sentSeq = whole.at(-1)?.seq ?? sentSeq;
        if (rows.length < ROWS_AT_ONCE) break;
      }
      const current = await findBatch(deps.db, id);
      if (current === undefined) return;
      if (current.seq !== batch.seq) {
        batch = current;
        yield { event: 'batch', id: batch.seq, data: await presentBatch(deps, batch) };
      }
      const hasEnded = batch.status === 'STOPPED' || batch.status === 'COMPLETED';
      if (hasEnded && sentSeq >= (await newestRowSeq(deps, id, sentSeq))) return;
      await new Promise(resolve => setTimeout(resolve, MIN_PAUSE_MS));
      await wait(POLL_MS, signal);
    }
  } finally {
    unsubscribe();
  }
}

async function newestRowSeq(deps: RunDeps, id: string, sentSeq: number): Promise<number> {
  const [row] = await listChangedRows(deps.db, id, sentSeq, 1);
  return row?.seq ?? sentSeq;
}
