// The graph of an accepted run, as it stood when the run was accepted.
import type { Plan } from '../graph/plan.ts';
import type { ExecutionRow } from '../store/executions.ts';
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
