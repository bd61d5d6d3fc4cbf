// Reads the steps of runs: in full to continue a run, or with long values truncated for display. Each row of the table
// contains the steps of one checkpoint. The last step of a node is its current state.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createLimiter } from '../lib/limiter.ts';
import { createThreadPool } from '../lib/threads/pool.ts';
import type { Tx } from './db.ts';
import { allValues, first } from './rows.ts';
import type { StepText, TruncationRequest } from './truncate-steps.ts';

/** One step. */
export interface StepRow {
  readonly seq: number;
  /** A `Step` (engine/types.ts). */
  readonly step: unknown;
}

/** The steps of one run. */
export interface StoredSteps {
  /** The stored size. */
  readonly bytes: number;
  /** Undefined if the steps exceed `maxBytes`. */
  readonly rows: readonly StepRow[] | undefined;
}

const NO_STEPS: StoredSteps = { bytes: 0, rows: [] };

/** Returns the steps of each run after `afterSeq`, oldest first, if the steps of the run have at most `maxBytes`. */
export async function listStepsOfRuns(
  tx: Tx,
  executionIds: readonly string[],
  { maxBytes, afterSeq = -1 }: { readonly maxBytes: number; readonly afterSeq?: number },
): Promise<readonly StoredSteps[]> {
  const { rows } = await tx.query<{ execution_id: string; seq: number; bytes: number; steps: string | null }>(
    `select execution_id, seq, bytes::float8 as bytes, case when bytes <= $3 then steps end as steps
     from (
       select execution_id, seq, steps, sum(octet_length(steps)) over (partition by execution_id) as bytes
       from execution_steps where execution_id = any ($1::text[]) and seq > $2) s
     order by execution_id, seq`,
    [executionIds, afterSeq, maxBytes],
  );
  // Decoding and parsing long texts both block the event loop, so other work may run in between.
  if (rows.some(({ bytes, steps }) => steps !== null && bytes > SMALL_BYTES)) await nextTurn();
  const rowsByRun = Map.groupBy(rows, row => row.execution_id);
  return executionIds.map(id => {
    const runRows = rowsByRun.get(id) ?? [];
    const [{ bytes = 0 } = {}] = runRows;
    if (bytes > maxBytes) return { bytes, rows: undefined };
    if (runRows.length === 0) return NO_STEPS;
    return { bytes, rows: runRows.flatMap(({ seq, steps }) => parseRow(seq, steps ?? '[]', afterSeq)) };
  });
}

function parseRow(seq: number, text: string, afterSeq = -1): readonly StepRow[] {
  const steps = JSON.parse(text) as readonly unknown[];
  return steps
    .map((step, index) => ({ seq: seq - steps.length + 1 + index, step }))
    .filter(row => row.seq > afterSeq);
}

/** Returns all steps of a run. Reads row by row, so that a large run does not block other work. */
export async function listWholeSteps(tx: Tx, executionId: string): Promise<readonly StepRow[]> {
  const steps: StepRow[] = [];
  for await (const row of readTexts(tx, executionId)) steps.push(...parseRow(row.seq, row.steps));
  return steps;
}

/** Yields the rows of a run that may have steps after `afterSeq` and, with `nodeId`, mention the node. */
async function* readTexts(
  tx: Tx,
  executionId: string,
  { afterSeq = -1, nodeId }: { readonly afterSeq?: number; readonly nodeId?: string } = {},
): AsyncGenerator<StepText> {
  const seqs = await allValues<number>(
    tx,
    `select seq from execution_steps
     where execution_id = $1 and seq > $2 and ($3::text is null or strpos(steps, $3) > 0) order by seq`,
    [executionId, afterSeq, nodeId === undefined ? null : JSON.stringify(nodeId)],
  );
  for (const seq of seqs) {
    const row = await first<StepText>(
      tx,
      'select seq, steps from execution_steps where execution_id = $1 and seq = $2',
      [executionId, seq],
    );
    if (row !== undefined) yield row;
  }
}

/** Runs whose steps are smaller are read without a limit on concurrency. */
const SMALL_BYTES = 1_000_000;
/** The maximum total size of the steps of a displayed run. Larger steps are truncated. */
const MAX_LIST_BYTES = 16_000_000;

// Limits concurrent reads, because each read takes several times the size of its rows in memory.
const largeReads = createLimiter({ concurrency: 2, maxWaiting: 100 });
const NEVER_ABORTED = new AbortController().signal;

const truncationPool = createThreadPool<TruncationRequest, string>({
  module: new URL('./truncate-steps-thread', import.meta.url),
  threads: 1,
  timeoutMs: 20_000,
  maxHeapMb: 1024,
  maxWaiting: 10,
});
const MAX_TRUNCATION_MS = 60_000;

/**
 * Returns the steps after `afterSeq` for display, oldest first. If the run has large results, truncates long values, and
 * replaces the result of each item by `true`.
 */
export async function listBoundedSteps(
  tx: Tx,
  executionId: string,
  afterSeq = -1,
): Promise<readonly StepRow[]> {
  const readSince = (maxBytes: number) => readSteps(tx, executionId, { maxBytes, afterSeq });
  const rows = await readSince(SMALL_BYTES);
  if (rows !== undefined) return rows;
  const readLarge = async () => {
    const boundedRows =
      (await readSince(MAX_LIST_BYTES)) ??
      (await readTruncatedSteps(tx, executionId, { afterSeq, maxBytes: MAX_LIST_BYTES }));
    // Presenting the parsed steps takes as long as parsing them.
    await nextTurn();
    return boundedRows;
  };
  return largeReads(readLarge, NEVER_ABORTED);
}

async function readSteps(
  tx: Tx,
  executionId: string,
  bounds: { readonly maxBytes: number; readonly afterSeq?: number },
): Promise<readonly StepRow[] | undefined> {
  const [{ rows } = NO_STEPS] = await listStepsOfRuns(tx, [executionId], bounds);
  return rows;
}

/** Truncates the steps in a thread. */
async function readTruncatedSteps(
  tx: Tx,
  executionId: string,
  { afterSeq = -1, nodeId, maxBytes }: Partial<TruncationRequest> & Pick<TruncationRequest, 'maxBytes'>,
): Promise<readonly StepRow[]> {
  const filter = nodeId === undefined ? { afterSeq } : { afterSeq, nodeId };
  const rows = await Array.fromAsync(readTexts(tx, executionId, filter));
  const text = await truncationPool.run(
    { rows, ...filter, maxBytes },
    { account: executionId, signal: AbortSignal.timeout(MAX_TRUNCATION_MS) },
  );
  return JSON.parse(text) as readonly StepRow[];
}

/**
 * Returns the steps of one node, oldest first. For large runs, returns only the newest step, which is complete if it has
 * at most `maxBytes`.
 */
export async function listStepsOfNode(
  tx: Tx,
  executionId: string,
  nodeId: string,
  maxBytes: number,
): Promise<readonly StepRow[]> {
  const rows = await readSteps(tx, executionId, { maxBytes: SMALL_BYTES });
  if (rows !== undefined) return rows.filter(({ step }) => (step as { nodeId: string }).nodeId === nodeId);
  const largeRows = await largeReads(
    () => readTruncatedSteps(tx, executionId, { nodeId, maxBytes }),
    NEVER_ABORTED,
  );
  await nextTurn();
  return largeRows;
}
