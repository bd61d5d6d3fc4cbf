// What a worker reads of the runs that it goes on with: those that come together are read together, as they are written.
import { createBatcher } from '../../lib/batch.ts';
import { type CallState, listCalls } from '../../store/calls.ts';
import { type Coverage, listCoverage } from '../../store/credits.ts';
import type { Tx } from '../../store/db.ts';
import { listStepsOfRuns, type StoredSteps } from '../../store/steps.ts';

/** Each by an execution's id. */
export interface RunReads {
  /** Without rows where the run has recorded more than is read together with others. */
  steps(id: string): Promise<StoredSteps>;
  calls(id: string): Promise<readonly CallState[]>;
  /** undefined: it was accepted as a run that costs nothing. */
  coverage(id: string): Promise<Coverage | undefined>;
}

/** Of one run, so that a batch stays small. */
const MAX_STEP_BYTES = 256_000;

const BATCH = { maxItems: 200, concurrency: 2 } as const;

export function createRunReads(tx: Tx): RunReads {
  return {
    steps: createBatcher(ids => listStepsOfRuns(tx, ids, { maxBytes: MAX_STEP_BYTES }), BATCH),
    calls: createBatcher(async ids => groupBy(ids, await listCalls(tx, ids)), BATCH),
    coverage: createBatcher(async ids => {
      const rows = new Map((await listCoverage(tx, ids)).map(row => [row.execution_id, row]));
      return ids.map(id => rows.get(id));
    }, BATCH),
  };
}

function groupBy<R extends { readonly execution_id: string }>(
  ids: readonly string[],
  rows: readonly R[],
): readonly (readonly R[])[] {
  const groups = Map.groupBy(rows, row => row.execution_id);
  return ids.map(id => groups.get(id) ?? []);
}
