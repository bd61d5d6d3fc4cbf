// Collects the newest completed result of each node of a workflow from its latest runs, except those of app visitors.
import { hashUpstream, type PlannedRun } from '../../engine/reuse.ts';
import type { Step } from '../../engine/types.ts';
import { authorize } from '../../services/accounts/access.ts';
import { type Actor, requireScope } from '../../services/accounts/actor.ts';
import {
  EXECUTION_STATUSES,
  type ExecutionRow,
  findExecution,
  listRunsOutsideApps,
} from '../../store/executions.ts';
import { findWorkflow } from '../../store/workflows/workflows.ts';
import type { RunDeps } from '../deps.ts';
import { parseRunRequest, readInputOverrides } from '../prepare/run-request.ts';
import { findRunVersion, toVersionKey } from '../prepare/run-version.ts';
import { readPlan, streamBoundedSteps } from '../prepare/stored-run.ts';
import { presentResult } from './present-execution.ts';
import { truncateRecord } from './truncate-record.ts';

/** The number of latest runs that are searched. */
const MAX_RUNS = 50;

type FoundRun = Pick<ExecutionRow, 'id' | 'finished_at'>;

interface NodeResult {
  readonly row: FoundRun;
  readonly step: Step;
}

/**
 * Returns results by node id. A result is current if the node and everything upstream have not changed since the run that
 * computed it. Throws 404, and 403 for users who may not list the runs of the workflow.
 */
export async function readWorkflowResults(deps: RunDeps, actor: Actor, workflowId: string) {
  const user = requireScope(actor, 'workflows:read');
  const { workflow } = authorize(actor, 'edit', await findWorkflow(deps.db, workflowId, user.userId));
  const plan = await readPlan(deps, toVersionKey(workflowId, workflow.version));
  const newestResults = await findNewestResults(deps, workflowId, new Set(plan.nodes.map(({ id }) => id)));
  const currentHashes = await hashUpstream({ plan, overrides: new Map() });
  const nodeStates = [];
  for (const [row, results] of Map.groupBy(newestResults.values(), ({ row }) => row)) {
    const run = await readPlannedRun(deps, row.id);
    const runHashes = run === undefined ? new Map<string, string>() : await hashUpstream(run);
    for (const { step } of results) {
      const isCurrent = runHashes.get(step.nodeId) === currentHashes.get(step.nodeId);
      nodeStates.push({ nodeId: step.nodeId, ...presentResult(step, row), isCurrent });
    }
  }
  const { nodeStates: truncatedStates } = truncateRecord({ nodeStates });
  return { nodes: Object.fromEntries(truncatedStates.map(({ nodeId, ...result }) => [nodeId, result])) };
}

/** Searches the latest runs, newest first, until each node has a result or too much was read. */
async function findNewestResults(
  deps: RunDeps,
  workflowId: string,
  nodeIds: ReadonlySet<string>,
): Promise<ReadonlyMap<string, NodeResult>> {
  const results = new Map<string, NodeResult>();
  const rows = await listRunsOutsideApps(deps.db, workflowId, {
    statuses: EXECUTION_STATUSES,
    limit: MAX_RUNS,
  });
  const byId = new Map(rows.map(row => [row.id, row]));
  for await (const [id, steps] of streamBoundedSteps(deps.db, [...byId.keys()])) {
    const row = byId.get(id) as FoundRun;
    for (const step of steps.values())
      if (step.status === 'COMPLETED' && nodeIds.has(step.nodeId) && !results.has(step.nodeId))
        results.set(step.nodeId, { row, step });
    if (results.size === nodeIds.size) break;
  }
  return results;
}

/** Returns the plan and inputs of a run, or undefined if the run was deleted or its graph is no longer valid. */
export async function readPlannedRun(deps: RunDeps, id: string): Promise<PlannedRun | undefined> {
  const row = await findExecution(deps.db, id);
  if (row === undefined) return undefined;
  const request = parseRunRequest(row.request);
  const version = await findRunVersion(deps, row, request);
  const planned = version?.plan();
  if (version === undefined || planned?.ok !== true) return undefined;
  return { plan: planned.plan, overrides: readInputOverrides(deps, version.graph, request.inputs) };
}
