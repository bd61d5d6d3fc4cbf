// Starts a run: checks access, plan, inputs and cost, then has it accepted.
import type { Step } from '../engine/types.ts';
import type { Plan } from '../graph/plan.ts';
import { AppError } from '../lib/errors.ts';
import { authorize, getWorkspaceId } from '../services/accounts/access.ts';
import { type Actor, requireScope, type UserActor } from '../services/accounts/actor.ts';
import { parseWebhook } from '../services/webhooks/webhook-target.ts';
import { findWorkflowBatched } from '../services/workflows/read-workflow.ts';
import { findSampleRun } from '../store/runs.ts';
import { acceptRun, type RunOrigin } from './accept-run.ts';
import type { RunDeps } from './deps.ts';
import {
  createCredentialFinder,
  type Estimate,
  findOverMax,
  findUnavailable,
  findUnpriced,
  priceForecast,
  requireBounded,
  requirePriced,
  requireProviders,
  requireWithinDailyLimits,
  sampleWarnings,
} from './estimate/estimate-plan.ts';
import { forecastPaidNodes, type RunToEstimate } from './estimate/estimate-run.ts';
import { requireDrawable } from './estimate/svg-inputs.ts';
import { type AcceptedRun, findReplay, type RunRoute, toIdempotency } from './idempotency.ts';
import { findReusedSteps } from './reused-steps.ts';
import type { RunRequest } from './run.schema.ts';
import { configureVersion, requireValidConfig } from './run-config.ts';
import { resolvePlan } from './run-credentials.ts';
import { planRequest, readInputOverrides } from './run-request.ts';
import { expandForStart } from './run-version.ts';

export interface StartRunInput {
  readonly workflowId: string;
  readonly route: RunRoute;
  readonly request: RunRequest;
  /** As sent; `parseWebhook` checks it. */
  readonly webhook?: unknown;
  readonly idempotencyKey?: string | undefined;
  readonly trigger: string;
  /** Default: the current version. */
  readonly version?: number;
  readonly origin?: RunOrigin;
}

/**
 * Starts a run of the workflow's current graph, or of an earlier version. Resolves once it is certain to execute. A
 * rejected request stores nothing, not even its idempotency key.
 */
export async function startRun(deps: RunDeps, actor: Actor, input: StartRunInput): Promise<AcceptedRun> {
  const user = requireScope(actor, 'workflows:execute');
  const { request } = input;
  const webhook = parseWebhook(deps.settings, input.webhook);
  const reading = { id: input.workflowId, userId: user.userId };
  const { workflow } = authorize(actor, 'run', await findWorkflowBatched(deps, reading));
  const idempotency = toIdempotency(input.route, input.idempotencyKey, {
    ...request,
    webhook: input.webhook ?? null,
  });
  const firstResponse = await findReplay(deps, user.userId, workflow.id, idempotency);
  if (firstResponse !== undefined) return firstResponse;
  requireActive(workflow);
  const number = input.version ?? workflow.version;
  // An automation was checked when it was created.
  if (request.config !== undefined && input.origin === undefined) {
    requireScope(actor, 'workflows:write');
    authorize(actor, 'edit', workflow);
  }
  const stored = await deps.versions.get(deps.db, workflow.id, number);
  requireValidConfig(deps, stored, request.config);
  const configured = configureVersion(deps, stored, request.config);
  const caller = { workflowId: workflow.id, version: number, userId: user.userId };
  const { version, components } = await expandForStart(deps, configured, caller);
  const owner = { userId: user.userId, workspace: getWorkspaceId(workflow) };
  const { plan, credentials } = await resolvePlan(deps, planRequest(deps, version, request), {
    workspace: owner.workspace,
    workflowId: workflow.id,
  });
  const overrides = readInputOverrides(deps, version.graph, request.inputs);
  const reused = await findReusedSteps(deps, { workflowId: workflow.id, request, plan, overrides });
  const hint = request.useSample === true ? '' : await sampleHint(deps, workflow.id, plan, reused.steps);
  const outlook = { plan, overrides, owner, credentials, steps: reused.steps };
  const estimate = await estimateForStart(deps, user, outlook, hint);
  const warnings = sampleWarnings(plan, reused.steps);
  const accepted = await acceptRun(deps, user, {
    workflow,
    version: number,
    components,
    request,
    nodesTotal: plan.nodes.length,
    estimate,
    credentials,
    webhook,
    trigger: input.trigger,
    origin: input.origin,
    idempotency,
    reused,
  });
  return warnings.length === 0 ? accepted : { ...accepted, meta: { warnings } };
}

/** Returns a sentence that says what else could be done if a provider is missing and the workflow has a sample. */
async function sampleHint(
  deps: RunDeps,
  workflowId: string,
  plan: Plan,
  steps: ReadonlyMap<string, Step>,
): Promise<string> {
  if (findUnavailable(plan, steps).length === 0) return '';
  const run = await findSampleRun(deps.db, workflowId);
  return run === undefined ? '' : ' To use the sample results of its template, send useSample: true.';
}

/**
 * Estimates the run. Throws before credits are reserved if a paid call is known to be impossible: 400
 * `provider_not_configured`, `svg_not_drawable`; 403 `unpriced_model`; 402 `max_credits_exceeded`,
 * `daily_limit_exceeded`.
 */
export async function estimateForStart(
  deps: RunDeps,
  user: UserActor,
  run: RunToEstimate,
  hint?: string,
): Promise<Estimate> {
  requireProviders(findUnavailable(run.plan, run.steps), hint);
  const forecasts = await forecastPaidNodes(deps, run);
  const find = createCredentialFinder(deps, run);
  requirePriced(findUnpriced(deps, user, forecasts, run.overrides, find));
  await requireDrawable(deps, forecasts);
  const estimate = priceForecast(forecasts, find);
  requireBounded(findOverMax(forecasts), estimate);
  await requireWithinDailyLimits(deps, estimate, run.credentials);
  return estimate;
}

/** Throws 400 for a workflow that is switched off. */
export function requireActive(workflow: { readonly is_active: boolean }): void {
  if (workflow.is_active) return;
  throw new AppError('workflow_inactive', 'The workflow is inactive. Set isActive to true to run it.');
}
