// Plans a run of a stored workflow before it is accepted or estimated: what executes, with which credentials, and which
// earlier results it reuses.

import { getWorkspaceId } from '../services/accounts/access.ts';
import type { UserActor } from '../services/accounts/actor.ts';
import type { RunnableGraph } from '../services/workflows/graph-versions.ts';
import type { ReadWorkflowRow } from '../store/workflows/workflows.ts';
import type { RunDeps } from './deps.ts';
import type { RunToEstimate } from './estimate/forecast-run.ts';
import { resolvePlan } from './plan-credentials.ts';
import { getReusedSteps, type ReusedSteps } from './reused-steps.ts';
import type { RunRequest } from './run.schema.ts';
import { planRequest, readInputOverrides } from './run-request.ts';

/** Throws the errors of `planRequest`, `readInputOverrides` and `getReusedSteps`. */
export async function planRun(
  deps: RunDeps,
  { userId }: Pick<UserActor, 'userId'>,
  workflow: ReadWorkflowRow,
  version: RunnableGraph,
  request: RunRequest,
): Promise<RunToEstimate & ReusedSteps> {
  const workflowId = workflow.id;
  const owner = { userId, workspace: getWorkspaceId(workflow) };
  const { plan, credentials } = await resolvePlan(deps, planRequest(deps, version, request), {
    workspace: owner.workspace,
    workflowId,
  });
  const overrides = readInputOverrides(deps, version.graph, request.inputs);
  const reused = await getReusedSteps(deps, { workflowId, request, plan, overrides });
  return { plan, overrides, owner, credentials, ...reused };
}
