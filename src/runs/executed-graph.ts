// The graph of an accepted run, as it stood when the run was accepted, and the states of its nodes.
import type { Step } from '../engine/types.ts';
import type { Plan } from '../graph/plan.ts';
import type { Tx } from '../store/db.ts';
import { type ExecutionRow, listSteps } from '../store/executions.ts';
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

/** By node id; of the states of a node the last one counts. */
export async function stepsOf(db: Tx, executionId: string): Promise<Map<string, Step>> {
  const rows = await listSteps(db, executionId);
  return new Map(rows.map(({ step }) => [(step as Step).nodeId, step as Step]));
}
