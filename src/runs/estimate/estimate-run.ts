// Estimates a run of a stored workflow: its cost, and reasons why nodes could not run.
import type { Plan } from '../../graph/plan.ts';
import { findNeededProvider } from '../../nodes/catalog.ts';
import { toProviderName } from '../../providers/names.ts';
import { authorize } from '../../services/accounts/access.ts';
import { type Actor, requireScope, toSpender } from '../../services/accounts/actor.ts';
import { getPool } from '../../store/credits.ts';
import { findSampleRun } from '../../store/runs.ts';
import { listLimits } from '../../store/spenders.ts';
import { findWorkflow } from '../../store/workflows/workflows.ts';
import type { RunDeps } from '../deps.ts';
import { describeExceededLimits, getRemaining } from '../payments/spender-limit.ts';
import { createNodeCache } from '../prepare/node-cache.ts';
import { prepareRun, type RunToEstimate } from '../prepare/prepare-run.ts';
import type { RunRequest } from '../prepare/run.schema.ts';
import { findComfyIssues, toComfyIssues } from './comfy-issues.ts';
import { createCredentialGetter, priceForecast } from './estimate-plan.ts';
import { forecastPaidNodes } from './forecast-run.ts';
import { describeSampledNodes, findIssues } from './run-issues.ts';

/**
 * Returns the response of POST /workflows/{id}/estimate: the credits that would be reserved, and in `issues` why nodes
 * could not run. `cached` marks nodes whose results would come from the node cache, free of charge. Throws the same errors
 * for the graph and inputs as starting the run.
 */
export async function estimateWorkflow(
  deps: RunDeps,
  actor: Actor,
  input: {
    readonly workflowId: string;
    readonly request: RunRequest;
    /** Default: the workflow's current version. */
    readonly versionNumber?: number;
  },
) {
  const user = requireScope(actor, 'workflows:execute');
  const { workflow } = authorize(actor, 'run', await findWorkflow(deps.db, input.workflowId, user.userId));
  const { request, versionNumber = workflow.version } = input;
  const run = await prepareRun(deps, user.userId, workflow, { versionNumber, request });
  const { plan, owner, steps } = run;
  const [pool, limits, forecasts] = await Promise.all([
    getPool(deps.db, owner.workspace),
    listLimits(deps.db, [{ workspace: owner.workspace, ...toSpender(user) }], 'read'),
    forecastPaidNodes(deps, run, createNodeCache(deps, owner.workspace)),
  ]);
  const getCredential = createCredentialGetter(deps, run);
  const { credits, exact, breakdown } = priceForecast(forecasts, getCredential);
  const cachedIds = new Set(forecasts.filter(({ isCached }) => isCached).map(({ node }) => node.id));
  const missingProviders = listMissingProviders(deps, plan, steps);
  const hasSample = missingProviders.length > 0 && (await findSampleRun(deps.db, workflow.id)) !== undefined;
  const warnings = [...describeExceededLimits(limits, credits), ...describeSampledNodes(plan, steps)];
  return {
    credits,
    // One credit is one US cent.
    costUsd: credits / 100,
    exact,
    breakdown: breakdown.map(line => ({ ...line, cached: cachedIds.has(line.nodeId) })),
    ...presentReused(request, steps),
    ...(hasSample ? { hasSample } : {}),
    ...(missingProviders.length === 0 ? {} : { needs: missingProviders }),
    availableCredits: Math.min(pool.balance, ...limits.map(getRemaining)),
    issues: [
      ...findIssues(deps, user, run, forecasts, getCredential),
      ...toComfyIssues(await findComfyIssues(deps, run)),
    ],
    ...(warnings.length === 0 ? {} : { meta: { warnings } }),
  };
}

/** Lists the providers that are not configured and that nodes without a result need. */
function listMissingProviders(
  { findNode }: Pick<RunDeps, 'findNode'>,
  { nodes }: Plan,
  steps: RunToEstimate['steps'],
): readonly string[] {
  const providers = nodes
    .filter(
      ({ id, unavailableReason }) => unavailableReason !== undefined && steps.get(id)?.status !== 'COMPLETED',
    )
    .flatMap(({ nodeType, config }) => findNeededProvider(findNode(nodeType), config) ?? [])
    .map(toProviderName);
  return [...new Set<string>(providers)].sort();
}

/** Presents the nodes that reuse a result: either `kept` from an earlier run, or `sampled`. */
function presentReused({ keep, pins }: RunRequest, steps: RunToEstimate['steps']) {
  const completedSteps = [...steps.values()].filter(({ status }) => status === 'COMPLETED');
  const [sampled = [], kept = []] = [true, undefined].map(fromSample =>
    completedSteps.filter(step => step.fromSample === fromSample).map(({ nodeId }) => nodeId),
  );
  return {
    ...(keep === undefined && pins === undefined ? {} : { kept }),
    ...(sampled.length === 0 ? {} : { sampled }),
  };
}
