// The graph of an accepted run, as it stood when the run was accepted, and the states of its nodes.
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

/** The plan of an accepted run; it was sound when the run was accepted, and is empty should it no longer be. */
export async function planOf(
  deps: RunDeps,
  row: Pick<ExecutionRow, 'workflow_id' | 'workflow_version' | 'request'>,
): Promise<Plan> {
  const version = await deps.versions.get(deps.db, row.workflow_id, row.workflow_version);
  const { targets, pins = {} } = parseRunRequest(row.request);
  const result = version.plan(targets, Object.keys(pins));
  return result.ok ? result.plan : { nodes: [] };
}

/** By node id, to be shown: of a run that recorded much, with long values cut and without the results of items. */
export async function stepsOf(db: Tx, executionId: string): Promise<Map<string, Step>> {
  const rows = await listShownSteps(db, executionId);
  return new Map(rows.map(({ step }) => [(step as Step).nodeId, step as Step]));
}

/** What a run that keeps to its limit may have stored: results of items, then as lists, and states on the way. */
export const MAX_STORED_BYTES = 4 * MAX_RUN_BYTES;

/** Whole states by node id, for a run that goes on with them. Throws 413 where they are more than a run may record. */
export async function readWholeSteps(db: Tx, executionId: string): Promise<Map<string, Step>> {
  const [stored] = await listStepsOfRuns(db, [executionId], { maxBytes: 0 });
  if ((stored?.bytes ?? 0) > MAX_STORED_BYTES) throw new AppError(OUTPUT_TOO_LARGE, TOO_LARGE.message);
  return foldSteps(await listWholeSteps(db, executionId));
}

/** A state as it is written: `true` stands for the result of an item that an earlier state of the node has. */
type StoredStep = Omit<Step, 'items'> & { readonly items?: readonly (Values | null | true)[] };

/** Whole states by node id, of which the last one counts. */
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
