// Streams the changes of a batch and its rows.
import type { RunDeps } from '../../runs/deps.ts';
import { watchChanges } from '../../runs/read/watch-changes.ts';
import type { Actor } from '../../services/accounts/actor.ts';
import { MAX_ROWS } from './batch.schema.ts';
import { getReadableBatch, PAGE_SIZE, type PresentedRow, presentBatch, presentRows } from './read-batch.ts';
import { findListedBatch, type ListedBatch, type StoredBatch } from './store/batches.ts';
import { listChangedRows } from './store/row-lists.ts';

const PAGE_ROWS = 100;

export type BatchEvent =
  | {
      readonly event: 'snapshot' | 'batch';
      readonly id: number;
      readonly data: Awaited<ReturnType<typeof presentBatch>>;
    }
  | { readonly event: 'row'; readonly data: PresentedRow };

/**
 * Streams a snapshot of the batch and then, until the batch has ended, its changes: the changed rows, followed by the
 * batch with its counts. With `afterId`, the stream has no snapshot and resumes after that change. Returns undefined if
 * there is nothing left to send.
 */
export async function watchBatch(
  deps: RunDeps,
  actor: Actor,
  id: string,
  options: WatchOptions,
): Promise<AsyncGenerator<BatchEvent> | undefined> {
  const batch = await getReadableBatch(deps, actor, id);
  if (hasEnded(batch) && (options.afterId ?? -1) >= batch.seq) return undefined;
  return follow(deps, batch, options);
}

interface WatchOptions {
  readonly afterId?: number | undefined;
  readonly signal: AbortSignal;
}

const hasEnded = ({ status }: StoredBatch): boolean => status === 'STOPPED' || status === 'COMPLETED';

async function* follow(
  deps: RunDeps,
  batch: StoredBatch,
  { afterId, signal }: WatchOptions,
): AsyncGenerator<BatchEvent> {
  let sentSeq = afterId ?? batch.seq;
  if (afterId === undefined) yield { event: 'snapshot', id: sentSeq, data: await presentBatch(deps, batch) };
  for await (const _ of watchChanges(deps, batch.id, signal)) {
    const current = await findListedBatch(deps.db, batch.id);
    if (current === undefined) return;
    if (current.seq > sentSeq) {
      yield* listChanges(deps, current, sentSeq);
      sentSeq = current.seq;
    }
    if (hasEnded(current)) return;
  }
}

/** Yields the rows that changed after `sentSeq`, then the batch. Only the batch has an id, from which a stream resumes. */
async function* listChanges(deps: RunDeps, batch: ListedBatch, sentSeq: number): AsyncGenerator<BatchEvent> {
  let after = { seq: sentSeq, row: MAX_ROWS };
  for (;;) {
    const range = { after, maxSeq: batch.seq, limit: PAGE_ROWS, ...PAGE_SIZE };
    const { rows, hasMore } = await listChangedRows(deps.db, batch.id, range);
    for (const data of await presentRows(deps, batch, rows)) yield { event: 'row', data };
    const last = rows.at(-1);
    if (last === undefined || !hasMore) break;
    after = { seq: last.seq, row: last.row_number };
  }
  yield { event: 'batch', id: batch.seq, data: await presentBatch(deps, batch) };
}
