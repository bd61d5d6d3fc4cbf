// Starts a run: checks access, plan, inputs and cost, then has it accepted.
import { AppError } from '../../lib/errors.ts';
import { authorize } from '../../services/accounts/access.ts';
import { type Actor, requireScope, type UserActor } from '../../services/accounts/actor.ts';
import { parseWebhook } from '../../services/webhooks/webhook-target.ts';
import { findWorkflowGrouped } from '../../services/workflows/read-workflow.ts';
import { findSampleRun } from '../../store/runs.ts';
import type { RunDeps } from '../deps.ts';
import { findComfyIssues, requireServers } from '../estimate/comfy-issues.ts';
import {
  createCredentialGetter,
  type Estimate,
  priceForecast,
  requireWithinDailyLimits,
} from '../estimate/estimate-plan.ts';
import { forecastPaidNodes } from '../estimate/forecast-run.ts';
import {
  describeSampledNodes,
  findDisallowedNodes,
  findNodesOverMax,
  findUnavailableNodes,
  findUnpricedNodes,
  requireAllowed,
  requireAllowedByPayer,
  requireBounded,
  requirePriced,
  requireProviders,
} from '../estimate/run-issues.ts';
import { requireDrawable } from '../estimate/svg-inputs.ts';
import { prepareRun, type RunToEstimate } from '../prepare/prepare-run.ts';
import type { RunRequest } from '../prepare/run.schema.ts';
import { acceptRun, type RunOrigin } from './accept-run.ts';
import type { AcceptedRun } from './accepted-run.ts';
import { findReplay, type IdempotencyScope, parseIdempotencyKey } from './idempotency.ts';

export interface StartRunInput {
  readonly workflowId: string;
  readonly idempotencyScope: IdempotencyScope;
  readonly request: RunRequest;
  /** The webhook as sent, which `parseWebhook` validates. */
  readonly webhook?: unknown;
  readonly idempotencyKey?: string | undefined;
  readonly trigger: string;
  /** Default: the workflow's current version. */
  readonly versionNumber?: number;
  readonly origin?: RunOrigin;
}

/**
 * Starts a run of the workflow's current graph, or of an earlier version. Resolves once the run is certain to execute. A
 * rejected request stores nothing, not even its idempotency key.
 */
export async function startRun(deps: RunDeps, actor: Actor, input: StartRunInput): Promise<AcceptedRun> {
  const user = requireScope(actor, 'workflows:execute');
  const { request } = input;
  const webhook = parseWebhook(deps.settings, input.webhook);
  const view = await findWorkflowGrouped(deps, { id: input.workflowId, userId: user.userId });
  const { workflow } = authorize(actor, 'run', view);
  const idempotency = await parseIdempotencyKey(input.idempotencyScope, input.idempotencyKey, {
    ...request,
    webhook: input.webhook ?? null,
  });
  const firstResponse = await findReplay(deps, user.userId, workflow.id, idempotency);
  if (firstResponse !== undefined) return firstResponse;
  requireActive(workflow);
  const versionNumber = input.versionNumber ?? workflow.version;
  // The permission of an automation was checked when the automation was created.
  if (request.config !== undefined && input.origin === undefined) {
    requireScope(actor, 'workflows:write');
    authorize(actor, 'edit', workflow);
  }
  const prepared = await prepareRun(deps, user.userId, workflow, { versionNumber, request });
  const payer = input.origin?.payer;
  if (payer !== undefined) await requireAllowedByPayer(deps, payer, prepared);
  const hint = request.useSample === true ? '' : await describeSample(deps, workflow.id, prepared);
  const estimate = await estimateForStart(deps, user, prepared, hint);
  const warnings = describeSampledNodes(prepared.plan, prepared.steps);
  const acceptedRun = await acceptRun(deps, user, {
    workflow,
    prepared,
    request: prepared.request,
    estimate,
    webhook,
    trigger: input.trigger,
    origin: input.origin,
    idempotency,
  });
  return { ...acceptedRun, warnings };
}

/** Returns a sentence about the sample results of the workflow, if it has some and a provider is missing. */
async function describeSample(
  deps: RunDeps,
  workflowId: string,
  { plan, steps }: RunToEstimate,
): Promise<string> {
  if (findUnavailableNodes(plan, steps).length === 0) return '';
  const run = await findSampleRun(deps.db, workflowId);
  return run === undefined
    ? ''
    : ' To use the sample results of its template, send useSample: true (--use-sample on the command line).';
}

/**
 * Estimates the run. Throws before credits are reserved if a paid call is known to be impossible (except for a credential
 * that was deleted, with which the call fails): 400
 * `provider_not_configured`, `local_nodes_off`, `comfyui_missing`, `svg_not_drawable`; 403 `unpriced_model`, `not_allowed_by_policy`; 402 `max_credits_exceeded`,
 * `daily_limit_exceeded`.
 */
export async function estimateForStart(
  deps: RunDeps,
  user: UserActor,
  run: RunToEstimate,
  hint?: string,
): Promise<Estimate> {
  requireProviders(findUnavailableNodes(run.plan, run.steps), hint);
  requireAllowed(findDisallowedNodes(deps, run, run.steps));
  requireServers(await findComfyIssues(deps, run));
  const forecasts = await forecastPaidNodes(deps, run);
  const getCredential = createCredentialGetter(deps, run);
  requirePriced(findUnpricedNodes(deps, user, forecasts, run.overrides, getCredential));
  await requireDrawable(deps, forecasts);
  const estimate = priceForecast(forecasts, getCredential);
  requireBounded(findNodesOverMax(forecasts, getCredential), estimate);
  await requireWithinDailyLimits(deps, estimate, run.credentials);
  return estimate;
}

/** Throws 400 for an inactive workflow. */
export function requireActive(workflow: { readonly is_active: boolean }): void {
  if (workflow.is_active) return;
  throw new AppError('workflow_inactive', 'The workflow is inactive. Set isActive to true to run it.');
}
