// Computes the maximum cost of a run: for each paid node, the price of its calls or the maximum in its config.
import type { NodeForecast } from '../../engine/forecast.ts';
import { describeMissingInputs } from '../../engine/inputs.ts';
import type { PlannedRun } from '../../engine/reuse.ts';
import type { Step } from '../../engine/types.ts';
import type { Plan, PlanNode } from '../../graph/plan.ts';
import { AppError, type Issue } from '../../lib/errors.ts';
import { boundCall, getCreditsToReserve, OVER_MAX_CREDITS, toUsd } from '../../nodes/models/pricing.ts';
import type { PaidBy } from '../../providers/credential.ts';
import type { UserActor } from '../../services/accounts/actor.ts';
import { getPlanLimits } from '../../services/accounts/execution-limits.ts';
import type { RunCredential, RunCredentials } from '../../services/credentials/credential.ts';
import { listDailyUsd } from '../../store/credential-charges.ts';
import type { RunDeps } from '../deps.ts';
import { describeOverLimit, describeUnpriced, estimateUsd } from '../payments/pay-by-credential.ts';
import { findNodeCredential } from '../prepare/plan-credentials.ts';

export interface Estimate {
  /** Whether any node may cost credits. Only then does the run have a row in the ledger. */
  readonly isPaid: boolean;
  readonly credits: number;
  /** False if a price or the length of a list is known at run time only. */
  readonly exact: boolean;
  /** The paid nodes. */
  readonly breakdown: readonly {
    readonly nodeId: string;
    readonly nodeLabel: string;
    readonly credits: number;
    /** Whether the node's calls cost credits, or are billed to the workspace's own credential. */
    readonly paidBy: PaidBy;
    readonly credentialId: string | null;
    /** The most that the node's calls may cost in USD; null if that is unknown. */
    readonly costUsd: number | null;
  }[];
  /** The paid node types that the run may call. */
  readonly models: readonly string[];
}

/** Returns the credential that the calls of a forecast node use. */
export type GetCredential = (forecast: NodeForecast) => RunCredential | undefined;

export const createCredentialGetter =
  (
    deps: Pick<RunDeps, 'findNode'>,
    run: Pick<PlannedRun, 'overrides'> & { readonly credentials: RunCredentials },
  ): GetCredential =>
  ({ node }) => {
    const config = { ...node.config, ...run.overrides.get(node.id) };
    return findNodeCredential(deps, { nodeType: node.nodeType, config }, run.credentials);
  };

/** Adds up the calls of the forecast paid nodes. */
export function priceForecast(forecasts: readonly NodeForecast[], getCredential: GetCredential): Estimate {
  const lines = forecasts.map(forecast => {
    const { node, definition, pendingCallValues, hasExactCallCount } = forecast;
    const credential = getCredential(forecast);
    const paidBy = credential?.paidBy ?? 'credits';
    const prices = pendingCallValues.map(values => getCreditsToReserve(definition, values));
    const credits = prices.reduce((sum, price) => sum + (price?.credits ?? 0), 0);
    return {
      nodeId: node.id,
      nodeLabel: node.label,
      credits: paidBy === 'credits' ? credits : 0,
      paidBy,
      credentialId: credential?.id ?? null,
      costUsd: paidBy === 'credits' ? toUsd(credits) : sumUsd(forecast),
      isExact: hasExactCallCount && prices.every(price => price?.isExact === true),
    };
  });
  return {
    isPaid: lines.some(({ paidBy }) => paidBy === 'credits'),
    credits: lines.reduce((sum, line) => sum + line.credits, 0),
    exact: lines.every(line => line.isExact),
    breakdown: lines.map(({ isExact: _, ...line }) => line),
    models: [...new Set(forecasts.map(({ node }) => node.nodeType))],
  };
}

/** Returns the most that the calls may cost, or null if the price of any call is unknown. */
function sumUsd({ definition, pendingCallValues }: NodeForecast): number | null {
  let sum = 0;
  for (const values of pendingCallValues) {
    const usd = estimateUsd({ definition, values });
    if (usd === null) return null;
    sum += usd;
  }
  return sum;
}

/** Throws 402 `daily_limit_exceeded` if the run would exceed the daily limit of a credential. */
export async function requireWithinDailyLimits(
  { db }: Pick<RunDeps, 'db'>,
  { breakdown }: Estimate,
  credentials: RunCredentials,
): Promise<void> {
  const limitedCredentials = new Map(
    [...credentials.values()]
      .filter(({ dailyUsdLimit }) => dailyUsdLimit !== null)
      .map(each => [each.id, each]),
  );
  const lines = breakdown.filter(
    ({ paidBy, credentialId }) => paidBy === 'credential' && limitedCredentials.has(credentialId ?? ''),
  );
  if (lines.length === 0) return;
  const days = await listDailyUsd(db, [...limitedCredentials.keys()]);
  for (const [id, credential] of limitedCredentials) {
    const { limit = null, spent = 0 } = days.get(id) ?? {};
    const ownLines = lines.filter(({ credentialId }) => credentialId === id);
    const requiredUsd = ownLines.reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0);
    if (ownLines.length === 0 || limit === null || spent + requiredUsd <= limit) continue;
    throw new AppError(
      'daily_limit_exceeded',
      describeOverLimit(credential, { needed: requiredUsd, limit, spent }),
      {
        details: { credentialId: id, requiredUsd, availableUsd: Math.max(0, limit - spent) },
      },
    );
  }
}

export function hasPaidNode(deps: Pick<RunDeps, 'catalog'>, plan: Plan): boolean {
  return plan.nodes.some(node => isPaid(deps, node));
}

export function isPaid(deps: Pick<RunDeps, 'catalog'>, node: Pick<PlanNode, 'nodeType'>): boolean {
  return deps.catalog.find(node.nodeType)?.executionCost === 'paid';
}

type NodeIssue = Issue & { readonly nodeId: string };

/** Finds the reasons why nodes without a result could not run. */
export function findIssues(
  deps: Pick<RunDeps, 'settings'>,
  user: Pick<UserActor, 'accountPlan'>,
  { plan, overrides, steps }: PlannedRun & { readonly steps: ReadonlyMap<string, Step> },
  forecasts: readonly NodeForecast[],
  getCredential: GetCredential,
): readonly Issue[] {
  return [
    ...findUnavailableNodes(plan, steps),
    ...createMissingInputFinder(plan)(overrides).filter(
      ({ nodeId }) => steps.get(nodeId)?.status !== 'COMPLETED',
    ),
    ...forecasts.flatMap(({ node, error }) => (error === undefined ? [] : [{ nodeId: node.id, ...error }])),
    ...findUnpricedNodes(deps, user, forecasts, overrides, getCredential),
    ...findRemovedCredentials(forecasts, getCredential),
    ...findNodesOverMax(forecasts),
  ];
}

/** Finds nodes without a result whose provider is not configured. */
export function findUnavailableNodes(
  { nodes }: Plan,
  steps: ReadonlyMap<string, Step> = new Map(),
): readonly NodeIssue[] {
  return nodes.flatMap(({ id, unavailableReason }) =>
    unavailableReason === undefined || steps.get(id)?.status === 'COMPLETED'
      ? []
      : [{ nodeId: id, code: 'provider_not_configured', message: unavailableReason } as const],
  );
}

/**
 * Returns a function that finds required inputs without a value, whose nodes would fail in a run. For many runs of a plan, it
 * checks the nodes that a run does not override once, and others only if they require inputs.
 */
export function createMissingInputFinder(
  plan: Plan,
): (overrides: PlannedRun['overrides']) => readonly NodeIssue[] {
  const nodes = new Map(
    plan.nodes.filter(node => describeMissingInputs(node, {}).length > 0).map(node => [node.id, node]),
  );
  const missingInputs = plan.nodes.flatMap(node => listMissing(node, new Map()));
  return overrides => [
    ...missingInputs.filter(({ nodeId }) => !overrides.has(nodeId)),
    ...[...overrides.keys()].flatMap(id => {
      const node = nodes.get(id);
      return node === undefined ? [] : listMissing(node, overrides);
    }),
  ];
}

function listMissing(node: PlanNode, overrides: PlannedRun['overrides']): readonly NodeIssue[] {
  return describeMissingInputs(node, { ...node.config, ...overrides.get(node.id) }).map(message => ({
    nodeId: node.id,
    code: 'missing_input',
    message,
  }));
}

/** Finds nodes with a call that costs more than their maxCredits, as far as its inputs are known. */
export function findNodesOverMax(forecasts: readonly NodeForecast[]): readonly NodeIssue[] {
  return forecasts
    .filter(({ definition, pendingCallValues }) =>
      pendingCallValues.some(values => boundCall(definition, values) === null),
    )
    .map(({ node }) => ({ nodeId: node.id, code: 'max_credits_exceeded', message: OVER_MAX_CREDITS }));
}

/**
 * Finds nodes whose model has no price, if neither the plan of the user's account nor the credential that pays allows such models. A
 * workspace's own credential allows them unless it has a daily limit.
 */
export function findUnpricedNodes(
  { settings }: Pick<RunDeps, 'settings'>,
  { accountPlan }: Pick<UserActor, 'accountPlan'>,
  forecasts: readonly NodeForecast[],
  overrides: PlannedRun['overrides'],
  getCredential: GetCredential,
): readonly NodeIssue[] {
  const isAllowed = getPlanLimits(settings, accountPlan).runsUnpriced === true;
  return forecasts.flatMap(forecast => {
    const { node, definition } = forecast;
    const defaults = Object.fromEntries(node.inputDefs.map(({ id, default: value }) => [id, value]));
    const values = { ...defaults, ...node.config, ...overrides.get(node.id) };
    if (definition.pricing?.isUnpriced?.(values) !== true) return [];
    const credential = getCredential(forecast);
    const isPaidByCredential = credential?.paidBy === 'credential';
    if (isPaidByCredential ? credential.dailyUsdLimit === null : isAllowed) return [];
    const message = isPaidByCredential
      ? describeUnpriced(credential)
      : `${node.label} has no price, and your plan (${accountPlan}) runs only models that have one. Use another model, or ask the operator to set its price.`;
    return [{ nodeId: node.id, code: 'unpriced_model', message }];
  });
}

/** Finds nodes whose chosen credential was deleted. */
function findRemovedCredentials(
  forecasts: readonly NodeForecast[],
  getCredential: GetCredential,
): readonly NodeIssue[] {
  return forecasts.flatMap(forecast => {
    const credential = getCredential(forecast);
    if (credential?.source !== 'removed') return [];
    const message = `The credential “${credential.name}” that this workflow uses was deleted. Choose another one.`;
    return [{ nodeId: forecast.node.id, code: 'provider_auth', message }];
  });
}

/** Throws 403 `unpriced_model`. */
export function requirePriced(issues: readonly NodeIssue[]): void {
  const [firstIssue] = issues;
  if (firstIssue !== undefined) throw new AppError('unpriced_model', firstIssue.message, { issues });
}

/** Throws 402 `max_credits_exceeded`. */
export function requireBounded(issues: readonly NodeIssue[], { credits, breakdown }: Estimate): void {
  if (issues.length === 0) return;
  const details = { requiredCredits: credits, breakdown };
  throw new AppError('max_credits_exceeded', OVER_MAX_CREDITS, { issues, details });
}

/** Throws 400 `provider_not_configured`. */
export function requireProviders(issues: readonly NodeIssue[], hint = ''): void {
  const [firstIssue] = issues;
  if (firstIssue !== undefined)
    throw new AppError('provider_not_configured', `${firstIssue.message}${hint}`, { issues });
}

/** Returns a warning for each node that takes its sample result. */
export function describeSampledNodes({ nodes }: Plan, steps: ReadonlyMap<string, Step>): readonly string[] {
  return nodes
    .filter(({ id }) => steps.get(id)?.fromSample === true)
    .map(
      ({ label }) =>
        `${label} takes the sample result of the template and ignores its inputs, because its provider is not set up.`,
    );
}
