// Estimates a run of a stored workflow: its cost, and reasons why nodes could not run.
import type { Plan } from '../../graph/plan.ts';
import { findNeededProvider } from '../../nodes/catalog.ts';
import { authorize } from '../../services/accounts/access.ts';
import { type Actor, requireScope } from '../../services/accounts/actor.ts';
import { getPool } from '../../store/credits.ts';
import { findSampleRun } from '../../store/runs.ts';
import { findWorkflow } from '../../store/workflows/workflows.ts';
import type { RunDeps } from '../deps.ts';
import { createNodeCache } from '../node-cache.ts';
import { planRun } from '../plan-run.ts';
import type { ReusedSteps } from '../reused-steps.ts';
import type { RunRequest } from '../run.schema.ts';
import { configureVersion, requireValidConfig } from '../run-config.ts';
import { expandForStart } from '../run-version.ts';
import {
  createCredentialGetter,
  describeSampledNodes,
  findIssues,
  findUnavailableNodes,
  priceForecast,
} from './estimate-plan.ts';
import { forecastPaidNodes } from './forecast-run.ts';

/**
 * Returns the response of POST /workflows/{id}/estimate: the credits that would be reserved, and in `issues` why nodes
 * could not run. `cached` marks nodes whose results would come from the cache, free of charge. Throws the same errors
 * for the graph and inputs as starting the run.
 */
export async function estimateWorkflow(
  deps: RunDeps,
  actor: Actor,
  input: {
    readonly workflowId: string;
    readonly request: RunRequest;
    /** Default: the current version. */
    readonly version?: number;
  },
) {
  const user = requireScope(actor, 'workflows:execute');
  const { workflow } = authorize(actor, 'run', await findWorkflow(deps.db, input.workflowId, user.userId));
  const { config } = input.request;
  const number = input.version ?? workflow.version;
  const stored = await deps.versions.get(deps.db, workflow.id, number);
  requireValidConfig(deps, stored, config);
  const configured = configureVersion(deps, stored, config);
  const caller = { workflowId: workflow.id, version: number, userId: user.userId };
  const { version } = await expandForStart(deps, configured, caller);
  const planned = await planRun(deps, user, workflow, version, input.request);
  const { plan, owner, reused } = planned;
  const [pool, forecasts] = await Promise.all([
    getPool(deps.db, owner.workspace),
    forecastPaidNodes(deps, { ...planned, cache: createNodeCache(deps, owner.workspace) }),
  ]);
  const getCredential = createCredentialGetter(deps, planned);
  const { credits, exact, breakdown } = priceForecast(forecasts, getCredential);
  const cached = new Set(forecasts.filter(({ isCached }) => isCached).map(({ node }) => node.id));
  const unavailable = findUnavailableNodes(plan, reused.steps);
  const hasSample = unavailable.length > 0 && (await findSampleRun(deps.db, workflow.id)) !== undefined;
  const neededProviders = listNeededProviders(deps, plan, unavailable);
  return {
    credits,
    // One credit is one US cent.
    costUsd: credits / 100,
    exact,
    breakdown: breakdown.map(line => ({ ...line, cached: cached.has(line.nodeId) })),
    ...presentReused(input.request, reused),
    ...presentSampled(plan, reused),
    ...(hasSample ? { hasSample } : {}),
    ...(neededProviders.length === 0 ? {} : { needs: neededProviders }),
    availableCredits: pool.balance,
    issues: findIssues(deps, user, planned, forecasts, getCredential),
  };
}

/** Returns the names of the providers that these nodes lack. */
function listNeededProviders(
  { findNode }: Pick<RunDeps, 'findNode'>,
  { nodes }: Plan,
  unavailable: readonly { readonly nodeId: string }[],
): readonly string[] {
  const ids = new Set(unavailable.map(({ nodeId }) => nodeId));
  const needs = nodes
    .filter(({ id }) => ids.has(id))
    .flatMap(({ nodeType, settings }) => findNeededProvider(findNode(nodeType), settings) ?? []);
  return [...new Set<string>(needs)].sort();
}

function presentSampled(plan: Plan, { steps }: ReusedSteps) {
  const sampled = [...steps.values()].filter(({ fromSample }) => fromSample === true);
  if (sampled.length === 0) return {};
  return {
    sampled: sampled.map(({ nodeId }) => nodeId),
    meta: { warnings: describeSampledNodes(plan, steps) },
  };
}

function presentReused(
  { keep, pins }: RunRequest,
  { steps }: ReusedSteps,
): { readonly kept?: readonly string[] } {
  if (keep === undefined && pins === undefined) return {};
  const completed = [...steps.values()].filter(({ status }) => status === 'COMPLETED');
  return { kept: completed.map(({ nodeId }) => nodeId) };
}
