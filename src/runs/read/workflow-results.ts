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
/** The number of latest runs in which current results are preferred to newer ones. Each is planned and hashed. */
const MAX_HASHED_RUNS = 12;

type FoundRun = Pick<ExecutionRow, 'id' | 'finished_at'>;

interface NodeResult {
  readonly row: FoundRun;
  readonly step: Step;
  readonly isCurrent: boolean;
}

/**
 * Returns results by node id. A result is current if the node and everything upstream have not changed since the run that
 * computed it. Throws 404, and 403 for users who may not list the runs of the workflow.
 */
export async function readWorkflowResults(deps: RunDeps, actor: Actor, workflowId: string) {
  const user = requireScope(actor, 'workflows:read');
  const { workflow } = authorize(actor, 'edit', await findWorkflow(deps.db, workflowId, user.userId));
  const plan = await readPlan(deps, toVersionKey(workflowId, workflow.version));
  const currentHashes = await hashUpstream({ plan, overrides: new Map() });
  const results = await findNewestResults(deps, workflowId, currentHashes);
  const { nodeStates } = truncateRecord({
    nodeStates: [...results.values()].map(({ row, step, isCurrent }) => ({
      nodeId: step.nodeId,
      ...presentResult(step, row),
      isCurrent,
    })),
  });
  return { nodes: Object.fromEntries(nodeStates.map(({ nodeId, ...result }) => [nodeId, result])) };
}

/**
 * Searches the latest runs, newest first, until each node has a current result or too much was read. A node without a
 * current result gets its newest one.
 */
async function findNewestResults(
  deps: RunDeps,
  workflowId: string,
  currentHashes: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, NodeResult>> {
  const results = new Map<string, NodeResult>();
  const missing = new Set(currentHashes.keys());
  const outdated = new Set<string>();
  const rows = await listRunsOutsideApps(deps.db, workflowId, {
    statuses: EXECUTION_STATUSES,
    limit: MAX_RUNS,
  });
  const byId = new Map(rows.map(row => [row.id, row]));
  let runs = 0;
  for await (const [id, steps] of streamBoundedSteps(deps.db, [...byId.keys()])) {
    const prefersCurrent = ++runs <= MAX_HASHED_RUNS;
    const row = byId.get(id) as FoundRun;
    const found = [...steps.values()].filter(
      ({ nodeId, status }) =>
        status === 'COMPLETED' && (missing.has(nodeId) || (prefersCurrent && outdated.has(nodeId))),
    );
    const runHashes = found.length === 0 ? undefined : await hashRun(deps, id);
    for (const step of found) {
      const { nodeId } = step;
      const isCurrent = runHashes?.get(nodeId) === currentHashes.get(nodeId);
      if (!isCurrent && outdated.has(nodeId)) continue;
      results.set(nodeId, { row, step, isCurrent });
      missing.delete(nodeId);
      if (isCurrent) outdated.delete(nodeId);
      else outdated.add(nodeId);
    }
    if (missing.size === 0 && (outdated.size === 0 || runs >= MAX_HASHED_RUNS)) break;
  }
  return results;
}

async function hashRun(deps: RunDeps, id: string): Promise<ReadonlyMap<string, string> | undefined> {
  const run = await readPlannedRun(deps, id);
  return run && hashUpstream(run);
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
