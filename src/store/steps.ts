// Reads the node states of runs: complete, to continue a run, or with long values shortened, for display. A row
// contains the states of one checkpoint; the last state of a node counts.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { computeFairShare } from '../lib/fair-share.ts';
import { createLimiter } from '../lib/limiter.ts';
import type { Tx } from './db.ts';
import { first } from './rows.ts';

export interface StepRow {
  readonly seq: number;
  /** engine/types.ts Step. */
  readonly step: unknown;
}

/** The node states of one run. */
export interface StoredSteps {
  /** The stored size. */
  readonly bytes: number;
  /** undefined if the rows exceed `maxBytes`. */
  readonly rows: readonly StepRow[] | undefined;
}

const NONE: StoredSteps = { bytes: 0, rows: [] };

/** Returns the node states of each run after `afterSeq`, oldest first, if they have at most `maxBytes`. */
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
  // Decoding and parsing long texts each block the event loop, so yield in between.
  if (rows.some(({ bytes, steps }) => steps !== null && bytes > SMALL_BYTES)) await nextTurn();
  const stepsByRun = Map.groupBy(rows, row => row.execution_id);
  return executionIds.map(id => {
    const ownRows = stepsByRun.get(id) ?? [];
    const [{ bytes = 0 } = {}] = ownRows;
    if (bytes > maxBytes) return { bytes, rows: undefined };
    if (ownRows.length === 0) return NONE;
    return { bytes, rows: ownRows.flatMap(({ seq, steps }) => parseRow(seq, steps ?? '[]', afterSeq)) };
  });
}

function parseRow(seq: number, text: string, afterSeq = -1): readonly StepRow[] {
  const steps = JSON.parse(text) as readonly unknown[];
  return steps
    .map((step, index) => ({ seq: seq - steps.length + 1 + index, step }))
    .filter(row => row.seq > afterSeq);
}

/** Returns all node states of a run, read row by row, so that a large run does not block other work. */
export async function listWholeSteps(tx: Tx, executionId: string): Promise<readonly StepRow[]> {
  const { rows } = await tx.query<{ seq: number }>(
    'select seq from execution_steps where execution_id = $1 order by seq',
    [executionId],
  );
  const steps: StepRow[] = [];
  for (const { seq } of rows) {
    const row = await first<{ steps: string }>(
      tx,
      'select steps from execution_steps where execution_id = $1 and seq = $2',
      [executionId, seq],
    );
    if (row !== undefined) steps.push(...parseRow(seq, row.steps));
  }
  return steps;
}

/** Runs whose node states are smaller are read without waiting for other reads. */
const SMALL_BYTES = 1_000_000;
/** The maximum that is read for display. If a run has more, long values are shortened. */
const MAX_LIST_BYTES = 16_000_000;

// Limits concurrent reads, because each takes several times its size in memory.
const largeReads = createLimiter({ concurrency: 2, maxWaiting: 100 });
const NEVER = new AbortController().signal;

// The states are counted once per row, because a row can be 32 MB.
const STATES = `
select s.seq - counted.states + states.place as seq, states.step
from execution_steps s
  cross join lateral (select json_array_length(s.steps::json) as states offset 0) counted
  cross join lateral json_array_elements(s.steps::json) with ordinality as states (step, place)
where s.execution_id = $1 and s.seq > $2`;

/**
 * Returns the node states after `afterSeq` for display, oldest first. If the run has large results, long values are
 * shortened, and item results are `true`.
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
    const boundedRows = (await readSince(MAX_LIST_BYTES)) ?? (await readCutSteps(tx, executionId, afterSeq));
    // Presenting the parsed states takes as long again, so yield first.
    await nextTurn();
    return boundedRows;
  };
  return largeReads(readLarge, NEVER);
}

async function readSteps(
  tx: Tx,
  executionId: string,
  bounds: { readonly maxBytes: number; readonly afterSeq?: number },
): Promise<readonly StepRow[] | undefined> {
  const [{ rows } = NONE] = await listStepsOfRuns(tx, [executionId], bounds);
  return rows;
}

async function readCutSteps(tx: Tx, executionId: string, afterSeq: number): Promise<readonly StepRow[]> {
  const sizes = await tx.query<{ bytes: number }>(
    `select octet_length(step::text) as bytes from (${STATES}) s where seq > $2`,
    [executionId, afterSeq],
  );
  const maxValueBytes = computeFairShare(
    sizes.rows.map(({ bytes }) => bytes),
    MAX_LIST_BYTES,
  );
  const cutRows = await tx.query<{ seq: number; step: string }>(
    `select seq::int as seq, cut_step(step, $3)::text as step from (${STATES}) s where seq > $2 order by seq`,
    [executionId, afterSeq, maxValueBytes],
  );
  await nextTurn();
  return cutRows.rows.map(({ seq, step }) => ({ seq, step: JSON.parse(step) as unknown }));
}

/**
 * Returns the states of one node, oldest first, with the newest complete up to `maxBytes`. For large runs, only the
 * newest.
 */
export async function listStepsOfNode(
  tx: Tx,
  executionId: string,
  nodeId: string,
  maxBytes: number,
): Promise<readonly StepRow[]> {
  const rows = await readSteps(tx, executionId, { maxBytes: SMALL_BYTES });
  if (rows !== undefined) return rows.filter(({ step }) => (step as { nodeId: string }).nodeId === nodeId);
  const readLarge = () =>
    tx.query<{ seq: number; step: string }>(
      `select seq::int as seq, cut_step(step, $4)::text as step from (${STATES} and strpos(s.steps, $5) > 0) s
       where step->>'nodeId' = $3 order by seq desc limit 1`,
      [executionId, -1, nodeId, maxBytes, JSON.stringify(nodeId)],
    );
  const largeSteps = await largeReads(readLarge, NEVER);
  await nextTurn();
  return largeSteps.rows.map(({ seq, step }) => ({ seq, step: JSON.parse(step) as unknown }));
}
