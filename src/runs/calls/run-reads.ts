// Reads the state of runs that a worker resumes. Reads of several runs share one query.
import { createBatcher } from '../../lib/batcher.ts';
import { type CallState, listCalls } from '../../store/calls.ts';
import { type Coverage, listCoverage } from '../../store/credits.ts';
import type { Tx } from '../../store/db.ts';
import { listStepsOfRuns, type StoredSteps } from '../../store/steps.ts';

/** Every method takes the id of an execution. */
export interface RunReads {
  /** Has no rows if the run's steps are too large for a shared query. */
  steps(id: string): Promise<StoredSteps>;
  calls(id: string): Promise<readonly CallState[]>;
  /** Returns undefined if the run was accepted as free of charge. */
  coverage(id: string): Promise<Coverage | undefined>;
}

/** The limit per run, so that a batch stays small. */
const MAX_STEP_BYTES = 256_000;

const BATCH = { maxItems: 200, concurrency: 2 } as const;

export function createRunReads(tx: Tx): RunReads {
  return {
    steps: createBatcher(ids => listStepsOfRuns(tx, ids, { maxBytes: MAX_STEP_BYTES }), BATCH),
    calls: createBatcher(async ids => groupByRun(ids, await listCalls(tx, ids)), BATCH),
    coverage: createBatcher(async ids => {
      const rows = new Map((await listCoverage(tx, ids)).map(row => [row.execution_id, row]));
      return ids.map(id => rows.get(id));
    }, BATCH),
  };
}

function groupByRun<R extends { readonly execution_id: string }>(
  ids: readonly string[],
  rows: readonly R[],
): readonly (readonly R[])[] {
  const groups = Map.groupBy(rows, row => row.execution_id);
  return ids.map(id => groups.get(id) ?? []);
}
