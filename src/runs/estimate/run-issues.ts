// Finds reasons why the nodes of a planned run could not run, and refuses runs with them.
import type { NodeForecast } from '../../engine/forecast.ts';
import { describeMissingInputs } from '../../engine/inputs.ts';
import type { PlannedRun } from '../../engine/reuse.ts';
import type { Step } from '../../engine/types.ts';
import type { UnavailableCode } from '../../graph/catalog.ts';
import type { Plan, PlanNode } from '../../graph/plan.ts';
import { explainDisallowed, type Policy } from '../../graph/policy.ts';
import { AppError, type Issue } from '../../lib/errors.ts';
import { findNeededProvider } from '../../nodes/catalog.ts';
import { boundCall, isFreeCall, OVER_MAX_CREDITS } from '../../nodes/models/pricing.ts';
import type { UserActor } from '../../services/accounts/actor.ts';
import { getPlanLimits } from '../../services/accounts/execution-limits.ts';
import { loadPolicy } from '../../services/accounts/team-policy.ts';
import type { RunDeps } from '../deps.ts';
import { describeUnpriced } from '../payments/pay-by-credential.ts';
import { type Estimate, type GetCredential, toSettings } from './estimate-plan.ts';

type NodeIssue = Issue & { readonly nodeId: string };

/** Finds the reasons why nodes without a result could not run. */
export function findIssues(
  deps: Pick<RunDeps, 'settings' | 'findNode'>,
  user: Pick<UserActor, 'accountPlan'>,
  {
    plan,
    overrides,
    steps,
    policy,
  }: PlannedRun & { readonly steps: ReadonlyMap<string, Step>; readonly policy: Policy | undefined },
  forecasts: readonly NodeForecast[],
  getCredential: GetCredential,
): readonly Issue[] {
  return [
    ...findUnavailableNodes(plan, steps),
    ...findDisallowedNodes(deps, { plan, overrides, policy }, steps),
    ...createMissingInputFinder(plan)(overrides).filter(
      ({ nodeId }) => steps.get(nodeId)?.status !== 'COMPLETED',
    ),
    ...forecasts.flatMap(({ node, error }) => (error === undefined ? [] : [{ nodeId: node.id, ...error }])),
    ...findUnpricedNodes(deps, user, forecasts, overrides, getCredential),
    ...findRemovedCredentials(forecasts, getCredential),
    ...findNodesOverMax(forecasts, getCredential),
  ];
}

/** Finds nodes without a result whose provider is not configured. */
export function findUnavailableNodes(
  { nodes }: Plan,
  steps: ReadonlyMap<string, Step> = new Map(),
): readonly (NodeIssue & { readonly code: UnavailableCode })[] {
  return nodes.flatMap(({ id, unavailableReason, unavailableCode = 'provider_not_configured' }) =>
    unavailableReason === undefined || steps.get(id)?.status === 'COMPLETED'
      ? []
      : [{ nodeId: id, code: unavailableCode, message: unavailableReason }],
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
export function findNodesOverMax(
  forecasts: readonly NodeForecast[],
  getCredential: GetCredential,
): readonly NodeIssue[] {
  return forecasts
    .filter(forecast => {
      const { definition, pendingCallValues } = forecast;
      const credential = getCredential(forecast);
      return pendingCallValues.some(
        values => !isFreeCall(definition, values, credential) && boundCall(definition, values) === null,
      );
    })
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
    const values = { ...toSettings(node), ...overrides.get(node.id) };
    const credential = getCredential(forecast);
    if (definition.pricing?.isUnpriced?.(values) !== true || isFreeCall(definition, values, credential))
      return [];
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

/** Finds nodes without a result that the policy of the team does not allow. */
export function findDisallowedNodes(
  { findNode }: Pick<RunDeps, 'findNode'>,
  {
    plan,
    overrides,
    policy,
  }: Pick<PlannedRun, 'plan' | 'overrides'> & { readonly policy: Policy | undefined },
  steps: ReadonlyMap<string, Step> = new Map(),
): readonly NodeIssue[] {
  if (policy === undefined) return [];
  return plan.nodes.flatMap(({ id, label, nodeType, config }) => {
    // An input of the run may set the server of a node.
    const provider = findNeededProvider(findNode(nodeType), { ...config, ...overrides.get(id) });
    if (provider === undefined || steps.get(id)?.status === 'COMPLETED') return [];
    const message = explainDisallowed(policy, { nodeType, label, provider });
    return message === undefined ? [] : [{ nodeId: id, code: 'not_allowed_by_policy', message }];
  });
}

/** Throws 403 `not_allowed_by_policy`. */
export function requireAllowed(issues: readonly NodeIssue[]): void {
  const [firstIssue] = issues;
  if (firstIssue !== undefined) throw new AppError('not_allowed_by_policy', firstIssue.message, { issues });
}

/** Throws 403 `not_allowed_by_policy` if the team that pays for a run of an app does not allow its nodes. */
export async function requireAllowedByPayer(
  deps: Pick<RunDeps, 'db' | 'findNode'>,
  payer: string,
  run: Pick<PlannedRun, 'plan' | 'overrides'> & { readonly steps: ReadonlyMap<string, Step> },
): Promise<void> {
  const policy = await loadPolicy(deps.db, payer);
  if (findDisallowedNodes(deps, { ...run, policy }, run.steps).length === 0) return;
  // Visitors of an app must not learn its models.
  throw new AppError(
    'not_allowed_by_policy',
    'The policy of the team that pays does not allow a provider or model of this app. Choose another workspace, or ask an OWNER of the team to change the policy.',
    { details: { isOfPayer: true } },
  );
}

export const isPayerPolicyError = (err: AppError): boolean =>
  err.code === 'not_allowed_by_policy' && err.details?.isOfPayer === true;

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

/** Throws 400 `provider_not_configured` or `local_nodes_off`. */
export function requireProviders(issues: ReturnType<typeof findUnavailableNodes>, hint = ''): void {
  const [firstIssue] = issues;
  if (firstIssue !== undefined)
    throw new AppError(firstIssue.code, `${firstIssue.message}${hint}`, { issues });
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
