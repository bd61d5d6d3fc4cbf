// The node states of runs: whole, for whoever goes on with a run, or with long values cut, to be shown. A row holds the
// states of one checkpoint; of the states of a node the last one counts.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createGate } from '../lib/gate.ts';
import { findFairShare } from '../lib/level.ts';
import type { Tx } from './db.ts';
import { first } from './rows.ts';

export interface StepRow {
  readonly seq: number;
  /** engine/types.ts Step. */
  readonly step: unknown;
}

/** The node states of one run. */
export interface StoredSteps {
  /** As they are stored. */
  readonly bytes: number;
  /** undefined: they have more bytes than were asked for. */
  readonly rows: readonly StepRow[] | undefined;
}

const NONE: StoredSteps = { bytes: 0, rows: [] };

/** Of each run every node state with a number above `afterSeq`, oldest first, if they have `maxBytes` at most. */
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
  // Long texts have just been decoded, and are about to be parsed.
  if (rows.some(({ bytes, steps }) => steps !== null && bytes > SMALL_BYTES)) await nextTurn();
  const found = Map.groupBy(rows, row => row.execution_id);
  return executionIds.map(id => {
    const own = found.get(id) ?? [];
    const [{ bytes = 0 } = {}] = own;
    if (bytes > maxBytes) return { bytes, rows: undefined };
    if (own.length === 0) return NONE;
    return { bytes, rows: own.flatMap(({ seq, steps }) => parseRow(seq, steps ?? '[]', afterSeq)) };
  });
}

function parseRow(seq: number, text: string, afterSeq = -1): readonly StepRow[] {
  const steps = JSON.parse(text) as readonly unknown[];
  return steps
    .map((step, index) => ({ seq: seq - steps.length + 1 + index, step }))
    .filter(row => row.seq > afterSeq);
}

/** Every node state of a run, row by row, so that a large one keeps nobody waiting. */
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

/** What is read at once, whatever else is read. */
const SMALL_BYTES = 1_000_000;
/** What is read of a run that is shown; of one that has more, long values are cut. */
const MAX_SHOWN_BYTES = 16_000_000;

// Each takes its size several times over while it is read.
const largeReads = createGate({ concurrency: 2, maxWaiting: 100 });
const NEVER = new AbortController().signal;

// Counted once a row: a row can be 32 MB.
const STATES = `
select s.seq - counted.states + states.place as seq, states.step
from execution_steps s
  cross join lateral (select json_array_length(s.steps::json) as states offset 0) counted
  cross join lateral json_array_elements(s.steps::json) with ordinality as states (step, place)
where s.execution_id = $1 and s.seq > $2`;

/**
 * Every node state with a number above `afterSeq`, oldest first. Of runs that recorded much, long values are cut, and
 * results of items are `true`.
 */
export async function listShownSteps(
  tx: Tx,
  executionId: string,
  afterSeq = -1,
): Promise<readonly StepRow[]> {
  const read = (maxBytes: number) => readSteps(tx, executionId, { maxBytes, afterSeq });
  const rows = await read(SMALL_BYTES);
  if (rows !== undefined) return rows;
  const readLarge = async () => {
    const found = (await read(MAX_SHOWN_BYTES)) ?? (await readCutSteps(tx, executionId, afterSeq));
    // What was parsed is presented and written as JSON next, which takes as long again.
    await nextTurn();
    return found;
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
  const most = findFairShare(
    sizes.rows.map(({ bytes }) => bytes),
    MAX_SHOWN_BYTES,
  );
  const cut = await tx.query<{ seq: number; step: string }>(
    `select seq::int as seq, cut_step(step, $3)::text as step from (${STATES}) s where seq > $2 order by seq`,
    [executionId, afterSeq, most],
  );
  await nextTurn();
  return cut.rows.map(({ seq, step }) => ({ seq, step: JSON.parse(step) as unknown }));
}

/** The states of one node, oldest first, the newest whole up to `maxBytes`; of a run that recorded much, it alone. */
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
  const found = await largeReads(readLarge, NEVER);
  await nextTurn();
  return found.rows.map(({ seq, step }) => ({ seq, step: JSON.parse(step) as unknown }));
}
