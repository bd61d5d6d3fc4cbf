// Reads the steps of runs: in full to continue a run, or with long values truncated for display. Each row of the table
// contains the steps of one checkpoint. The last step of a node is its current state.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createLimiter } from '../lib/limiter.ts';
import { omitUndefined } from '../lib/record.ts';
import { createThreadPool } from '../lib/threads/pool.ts';
import { getWork } from '../lib/work.ts';
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

/** Yields the rows of a run that may have steps after `afterSeq` and, with `nodeIds`, mention one of the nodes. */
async function* readTexts(
  tx: Tx,
  executionId: string,
  { afterSeq = -1, nodeIds }: Pick<StepsQuery, 'afterSeq' | 'nodeIds'> = {},
): AsyncGenerator<StepText> {
  const seqs = await allValues<number>(
    tx,
    `select seq from execution_steps
     where execution_id = $1 and seq > $2
       and ($3::text[] is null or exists (select from unnest($3::text[]) as id where strpos(steps, id) > 0))
     order by seq`,
    [executionId, afterSeq, nodeIds === undefined ? null : nodeIds.map(id => JSON.stringify(id))],
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

/** Steps that are smaller are parsed here, and without a limit on concurrency. A thread prepares larger ones. */
const SMALL_BYTES = 250_000;
/** The maximum total size of the steps of a displayed run. Larger steps are truncated. */
const MAX_LIST_BYTES = 16_000_000;

// Limits concurrent reads, because each read takes several times the size of its rows in memory.
const largeReads = createLimiter({ concurrency: 2, maxPerAccount: 1, maxWaiting: 100 });

const truncationPool = createThreadPool<TruncationRequest, string | readonly StepRow[]>({
  module: new URL('./truncate-steps-thread', import.meta.url),
  threads: 1,
  timeoutMs: 20_000,
  maxHeapMb: 1024,
  maxWaiting: 10,
});
const MAX_TRUNCATION_MS = 60_000;

/** Which steps of a run are read. */
export interface StepsQuery {
  /** Only later steps. Default: all. */
  readonly afterSeq?: number;
  /** Only steps of these nodes. */
  readonly nodeIds?: readonly string[];
  /** The nodes whose outputs are needed. Default: all. */
  readonly outputsOf?: readonly string[];
  /** The maximum total size; longer values are truncated. Default: that of a displayed run. */
  readonly maxBytes?: number;
}

/**
 * Returns steps for display, oldest first. If the run has large results, truncates long values, and replaces the result
 * of each item by `true`; JSON values then have only their text, as `exactText`.
 */
export async function listBoundedSteps(
  tx: Tx,
  executionId: string,
  query: StepsQuery = {},
): Promise<readonly StepRow[]> {
  const { afterSeq = -1, nodeIds, maxBytes = MAX_LIST_BYTES } = query;
  const rows = await readSteps(tx, executionId, { maxBytes: Math.min(maxBytes, SMALL_BYTES), afterSeq });
  if (rows === undefined) return readTruncatedSteps(tx, executionId, { ...query, maxBytes });
  return nodeIds === undefined
    ? rows
    : rows.filter(({ step }) => nodeIds.includes((step as { nodeId: string }).nodeId));
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
function readTruncatedSteps(
  tx: Tx,
  executionId: string,
  {
    afterSeq = -1,
    nodeId,
    nodeIds = nodeId === undefined ? undefined : [nodeId],
    ...options
  }: Partial<TruncationRequest> & Pick<TruncationRequest, 'maxBytes'>,
): Promise<readonly StepRow[]> {
  const { signal } = getWork();
  const read = async (): Promise<readonly StepRow[]> => {
    const filter = omitUndefined({ afterSeq, nodeId, nodeIds });
    const rows = await Array.fromAsync(readTexts(tx, executionId, filter));
    const result = await truncationPool.run(
      { ...options, ...filter, rows },
      { signal: AbortSignal.any([signal, AbortSignal.timeout(MAX_TRUNCATION_MS)]) },
    );
    const steps = typeof result === 'string' ? (JSON.parse(result) as readonly StepRow[]) : result;
    // Presenting the steps takes as long as receiving them.
    await nextTurn();
    return steps;
  };
  return largeReads(read, signal);
}

/**
 * Returns the steps of one node, oldest first. For large runs, returns only the newest step, which is complete if it has
 * at most `maxBytes`. With `isStoredForm`, values are as they are stored; otherwise they are for display.
 */
export async function listStepsOfNode(
  tx: Tx,
  executionId: string,
  nodeId: string,
  { maxBytes, isStoredForm = false }: { readonly maxBytes: number; readonly isStoredForm?: boolean },
): Promise<readonly StepRow[]> {
  const rows = await readSteps(tx, executionId, { maxBytes: SMALL_BYTES });
  if (rows !== undefined) return rows.filter(({ step }) => (step as { nodeId: string }).nodeId === nodeId);
  return readTruncatedSteps(tx, executionId, { nodeId, maxBytes, isStoredForm });
}
