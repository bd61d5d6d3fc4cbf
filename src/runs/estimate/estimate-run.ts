// Estimates the cost of a run before it starts, for callers and for the reservation of a start.
import { forecastPlan, type NodeForecast } from '../../engine/forecast.ts';
import { UNKNOWN_MEDIA } from '../../engine/placeholders.ts';
import type { PlannedRun } from '../../engine/reuse.ts';
import type { NodeCache, Step } from '../../engine/types.ts';
import type { Plan } from '../../graph/plan.ts';
import { findNeededProvider } from '../../nodes/catalog.ts';
import { authorize, getWorkspaceId } from '../../services/accounts/access.ts';
import { type Actor, requireScope } from '../../services/accounts/actor.ts';
import type { RunCredentials } from '../../services/credentials/credential.ts';
import { readEndpoints } from '../../services/credentials/run-credentials.ts';
import { findStoredMedia } from '../../services/media/stored-media.ts';
import { getPool } from '../../store/credits.ts';
import { findSampleRun } from '../../store/runs.ts';
import { findWorkflow } from '../../store/workflows/workflows.ts';
import type { RunDeps } from '../deps.ts';
import { createNodeCache } from '../node-cache.ts';
import { findReusedSteps, type ReusedSteps } from '../reused-steps.ts';
import type { RunRequest } from '../run.schema.ts';
import { configureVersion, requireValidConfig } from '../run-config.ts';
import { resolvePlan } from '../run-credentials.ts';
import { planRequest, readInputOverrides } from '../run-request.ts';
import { expandForStart } from '../run-version.ts';
import {
  createCredentialFinder,
  findMissingInputs,
  findOverMax,
  findRemoved,
  findUnavailable,
  findUnpriced,
  hasPaidNode,
  isPaid,
  priceForecast,
  sampleWarnings,
} from './estimate-plan.ts';

export interface RunToEstimate extends PlannedRun {
  /** The owner whose media the run may use. */
  readonly owner: { readonly userId: number; readonly workspace: string };
  /** The credentials that its calls use. */
  readonly credentials: RunCredentials;
  /** Results of an earlier run, by node id. */
  readonly steps?: ReadonlyMap<string, Step>;
  /** If absent, the node cache is not searched. */
  readonly cache?: NodeCache;
}

/** Forecasts the paid nodes that are not completed. */
export async function forecastPaidNodes(
  deps: RunDeps,
  { plan, overrides, owner, credentials, steps = new Map(), cache }: RunToEstimate,
): Promise<readonly NodeForecast[]> {
  if (!hasPaidNode(deps, plan)) return [];
  return forecastPlan(plan, {
    define: deps.findNode,
    overrides,
    steps,
    isWanted: node => isPaid(deps, node) && steps.get(node.id)?.status !== 'COMPLETED',
    findMedia: async (source, kind) => (await findStoredMedia(deps, owner, source, kind)) ?? UNKNOWN_MEDIA,
    providers: await readEndpoints(deps, credentials.values()),
    account: String(owner.userId),
    ...(cache === undefined ? {} : { cache }),
  });
}

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
  const stored = await deps.versions.get(deps.db, workflow.id, input.version ?? workflow.version);
  requireValidConfig(deps, stored, config);
  const configured = configureVersion(deps, stored, config);
  const number = input.version ?? workflow.version;
  const caller = { workflowId: workflow.id, version: number, userId: user.userId };
  const { version } = await expandForStart(deps, configured, caller);
  const workspace = getWorkspaceId(workflow);
  const { plan, credentials } = await resolvePlan(deps, planRequest(deps, version, input.request), {
    workspace,
    workflowId: workflow.id,
  });
  const overrides = readInputOverrides(deps, version.graph, input.request.inputs);
  const owner = { userId: user.userId, workspace };
  const reused = await findReusedSteps(deps, {
    workflowId: workflow.id,
    request: input.request,
    plan,
    overrides,
  });
  const outlook = {
    plan,
    overrides,
    owner,
    credentials,
    steps: reused.steps,
    cache: createNodeCache(deps, workspace),
  };
  const [pool, forecasts] = await Promise.all([
    getPool(deps.db, workspace),
    forecastPaidNodes(deps, outlook),
  ]);
  const find = createCredentialFinder(deps, outlook);
  const { credits, exact, breakdown } = priceForecast(forecasts, find);
  const cached = new Set(forecasts.filter(({ isCached }) => isCached).map(({ node }) => node.id));
  const failures = forecasts.flatMap(({ node, error }) =>
    error === undefined ? [] : [{ nodeId: node.id, ...error }],
  );
  const unavailable = findUnavailable(plan, reused.steps);
  const hasSample = unavailable.length > 0 && (await findSampleRun(deps.db, workflow.id)) !== undefined;
  const needs = findNeeds(deps, plan, unavailable);
  return {
    credits,
    // One credit is one US cent.
    costUsd: credits / 100,
    exact,
    breakdown: breakdown.map(line => ({ ...line, cached: cached.has(line.nodeId) })),
    ...presentReused(input.request, reused),
    ...presentSampled(plan, reused),
    ...(hasSample ? { hasSample } : {}),
    ...(needs.length === 0 ? {} : { needs }),
    availableCredits: pool.balance,
    issues: [
      ...unavailable,
      ...findMissingInputs({ plan, overrides }, id => reused.steps.get(id)?.status === 'COMPLETED'),
      ...failures,
      ...findUnpriced(deps, user, forecasts, overrides, find),
      ...findRemoved(forecasts, find),
      ...findOverMax(forecasts),
    ],
  };
}

/** Returns the names of the providers that these nodes lack. */
function findNeeds(
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
    meta: { warnings: sampleWarnings(plan, steps) },
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
