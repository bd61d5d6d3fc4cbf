// Reads the plan and the steps of an accepted run.
import { MAX_RUN_BYTES, OUTPUT_TOO_LARGE, TOO_LARGE_ERROR } from '../../engine/output-size.ts';
import type { Step } from '../../engine/types.ts';
import type { Plan } from '../../graph/plan.ts';
import type { Values } from '../../graph/types.ts';
import { AppError } from '../../lib/errors.ts';
import type { Tx } from '../../store/db.ts';
import {
  listBoundedSteps,
  listStepsOfRuns,
  listWholeSteps,
  type StepRow,
  type StepsQuery,
} from '../../store/steps.ts';
import type { RunDeps } from '../deps.ts';
import { parseRunRequest } from './run-request.ts';
import { findRunVersion, type RunVersionKey } from './run-version.ts';

/**
 * Returns the plan of an accepted run. If its graph is no longer valid, for example after a change of the catalog, the
 * plan is empty.
 */
export async function readPlan(deps: RunDeps, row: RunVersionKey): Promise<Plan> {
  const request = parseRunRequest(row.request);
  const { targets, pins = {} } = request;
  const result = (await findRunVersion(deps, row, request))?.plan(targets, Object.keys(pins));
  return result?.ok === true ? result.plan : { nodes: [] };
}

/**
 * Returns steps by node id for display. If the run has large results, long values are truncated and item results are
 * left out.
 */
export async function readBoundedSteps(
  db: Tx,
  executionId: string,
  query: StepsQuery = {},
): Promise<Map<string, Step>> {
  const rows = await listBoundedSteps(db, executionId, query);
  return new Map(rows.map(({ step }) => [(step as Step).nodeId, step as Step]));
}

/** The maximum size of the steps that one stream reads. */
const MAX_STREAMED_BYTES = 64_000_000;

/** Yields the steps of one run after another for display. Stops before their total size exceeds the limit. */
export async function* streamBoundedSteps(
  db: Tx,
  executionIds: readonly string[],
): AsyncGenerator<readonly [executionId: string, steps: ReadonlyMap<string, Step>]> {
  const sizes = await listStepsOfRuns(db, executionIds, { maxBytes: 0 });
  let bytes = 0;
  for (const [index, id] of executionIds.entries()) {
    bytes += sizes[index]?.bytes ?? 0;
    if (index > 0 && bytes > MAX_STREAMED_BYTES) return;
    yield [id, await readBoundedSteps(db, id)];
  }
}

/**
 * The maximum size of the stored steps of a run within its limit: item results, gathered lists and intermediate states.
 */
export const MAX_STORED_BYTES = 4 * MAX_RUN_BYTES;

/** Returns complete steps by node id for a run that continues. Throws 413 if they are larger than a run may record. */
export async function readWholeSteps(db: Tx, executionId: string): Promise<Map<string, Step>> {
  const [size] = await listStepsOfRuns(db, [executionId], { maxBytes: 0 });
  if ((size?.bytes ?? 0) > MAX_STORED_BYTES) throw new AppError(OUTPUT_TOO_LARGE, TOO_LARGE_ERROR.message);
  return mergeSteps(await listWholeSteps(db, executionId));
}

/** A step as it is stored. `true` means that an earlier row of the node contains the item's result. */
type StoredStep = Omit<Step, 'items'> & { readonly items?: readonly (Values | null | true)[] };

/** Merges rows into complete steps by node id. Later rows of a node replace earlier ones. */
export function mergeSteps(rows: readonly StepRow[]): Map<string, Step> {
  const steps = new Map<string, Step>();
  for (const { step } of rows) {
    const { items, ...fields } = step as StoredStep;
    const earlierItems = steps.get(fields.nodeId)?.items;
    const allItems = items?.map((item, index) => (item === true ? (earlierItems?.[index] ?? null) : item));
    steps.set(fields.nodeId, allItems === undefined ? fields : { ...fields, items: allItems });
  }
  return steps;
}
