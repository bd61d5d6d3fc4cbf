// Reads the graph of an accepted run as it was at that time, and the states of its nodes.
import { MAX_RUN_BYTES, OUTPUT_TOO_LARGE, TOO_LARGE } from '../engine/budget.ts';
import type { Step } from '../engine/types.ts';
import type { Plan } from '../graph/plan.ts';
import type { Values } from '../graph/types.ts';
import { AppError } from '../lib/errors.ts';
import type { Tx } from '../store/db.ts';
import type { ExecutionRow } from '../store/executions.ts';
import { listShownSteps, listStepsOfRuns, listWholeSteps, type StepRow } from '../store/steps.ts';
import type { RunDeps } from './deps.ts';
import { parseRunRequest } from './run-request.ts';

/**
 * Returns the plan of an accepted run. It was valid when the run was accepted; if it no longer is, the plan is empty.
 */
export async function planOf(
  deps: RunDeps,
  row: Pick<ExecutionRow, 'workflow_id' | 'workflow_version' | 'request'>,
): Promise<Plan> {
  const version = await deps.versions.get(deps.db, row.workflow_id, row.workflow_version);
  const { targets, pins = {} } = parseRunRequest(row.request);
  const result = version.plan(targets, Object.keys(pins));
  return result.ok ? result.plan : { nodes: [] };
}

/**
 * Returns states by node id for display. If the run recorded much, long values are cut and the results of items are
 * left out.
 */
export async function stepsOf(db: Tx, executionId: string): Promise<Map<string, Step>> {
  const rows = await listShownSteps(db, executionId);
  return new Map(rows.map(({ step }) => [(step as Step).nodeId, step as Step]));
}

/**
 * The most that a run within its limit can have stored: item results, the lists made of them, and intermediate states.
 */
export const MAX_STORED_BYTES = 4 * MAX_RUN_BYTES;

/** Returns whole states by node id for a run that continues. Throws 413 if they exceed what a run may record. */
export async function readWholeSteps(db: Tx, executionId: string): Promise<Map<string, Step>> {
  const [stored] = await listStepsOfRuns(db, [executionId], { maxBytes: 0 });
  if ((stored?.bytes ?? 0) > MAX_STORED_BYTES) throw new AppError(OUTPUT_TOO_LARGE, TOO_LARGE.message);
  return foldSteps(await listWholeSteps(db, executionId));
}

/** A state as it is stored: `true` stands for an item result that an earlier state of the node contains. */
type StoredStep = Omit<Step, 'items'> & { readonly items?: readonly (Values | null | true)[] };

/** Folds rows into whole states by node id. The last state of a node counts. */
export function foldSteps(rows: readonly StepRow[]): Map<string, Step> {
  const steps = new Map<string, Step>();
  for (const { step } of rows) {
    const { items, ...rest } = step as StoredStep;
    const before = steps.get(rest.nodeId)?.items;
    const whole = items?.map((item, index) => (item === true ? (before?.[index] ?? null) : item));
    steps.set(rest.nodeId, whole === undefined ? rest : { ...rest, items: whole });
  }
  return steps;
}
