// Computes the maximum cost of a run: for each paid node, the price of its calls or the maximum in its config.
import type { NodeForecast } from '../../engine/forecast.ts';
import { describeMissingInputs } from '../../engine/inputs.ts';
import type { PlannedRun } from '../../engine/reuse.ts';
import type { Step } from '../../engine/types.ts';
import type { Plan, PlanNode } from '../../graph/plan.ts';
import { AppError, type Issue } from '../../lib/errors.ts';
import { boundCall, getPrice, OVER_MAX_CREDITS } from '../../nodes/models/pricing.ts';
import type { UserActor } from '../../services/accounts/actor.ts';
import { getPlanLimits } from '../../services/accounts/daily-executions.ts';
import type { RunDeps } from '../deps.ts';

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
  }[];
  /** The paid node types that the run may call. */
  readonly models: readonly string[];
}

/** Adds up the calls of the forecast paid nodes. */
export function priceForecast(forecasts: readonly NodeForecast[]): Estimate {
  const lines = forecasts.map(({ node, definition, calls, isCounted }) => {
    const prices = calls.map(values => getPrice(definition, values));
    return {
      nodeId: node.id,
      nodeLabel: node.label,
      credits: prices.reduce((sum, price) => sum + (price?.credits ?? 0), 0),
      isExact: isCounted && prices.every(price => price?.isExact === true),
    };
  });
  return {
    isPaid: lines.length > 0,
    credits: lines.reduce((sum, line) => sum + line.credits, 0),
    exact: lines.every(line => line.isExact),
    breakdown: lines.map(({ isExact: _, ...line }) => line),
    models: [...new Set(forecasts.map(({ node }) => node.nodeType))],
  };
}

export function hasPaidNode(deps: Pick<RunDeps, 'catalog'>, plan: Plan): boolean {
  return plan.nodes.some(node => isPaid(deps, node));
}

export function isPaid(deps: Pick<RunDeps, 'catalog'>, node: Pick<PlanNode, 'nodeType'>): boolean {
  return deps.catalog.find(node.nodeType)?.executionCost === 'paid';
}

type NodeIssue = Issue & { readonly nodeId: string };

/** Finds nodes without a result whose provider is not configured. */
export function findUnavailable(
  { nodes }: Plan,
  steps: ReadonlyMap<string, Step> = new Map(),
): readonly NodeIssue[] {
  return nodes.flatMap(({ id, unavailable }) =>
    unavailable === undefined || steps.get(id)?.status === 'COMPLETED'
      ? []
      : [{ nodeId: id, code: 'provider_not_configured', message: unavailable } as const],
  );
}

/** Finds required inputs without a value. Their nodes would fail in a run. */
export function findMissingInputs(
  { plan, overrides }: PlannedRun,
  isDone: (nodeId: string) => boolean = () => false,
): readonly Issue[] {
  return plan.nodes
    .filter(({ id }) => !isDone(id))
    .flatMap(node =>
      describeMissingInputs(node, { ...node.settings, ...overrides.get(node.id) }).map(message => ({
        nodeId: node.id,
        code: 'missing_input',
        message,
      })),
    );
}

/** Finds nodes with a call that costs more than their maxCredits, as far as its inputs are known. */
export function findOverMax(forecasts: readonly NodeForecast[]): readonly NodeIssue[] {
  return forecasts
    .filter(({ definition, calls }) => calls.some(values => boundCall(definition, values) === null))
    .map(({ node }) => ({ nodeId: node.id, code: 'max_credits_exceeded', message: OVER_MAX_CREDITS }));
}

/** Finds nodes whose model has no price, if the user's plan does not allow such models. */
export function findUnpriced(
  { settings }: Pick<RunDeps, 'settings'>,
  { plan }: Pick<UserActor, 'plan'>,
  forecasts: readonly NodeForecast[],
  overrides: PlannedRun['overrides'],
): readonly NodeIssue[] {
  if (getPlanLimits(settings, plan).runsUnpriced === true) return [];
  return forecasts
    .filter(({ node, definition }) => {
      const defaults = Object.fromEntries(node.inputDefs.map(({ id, default: value }) => [id, value]));
      const values = { ...defaults, ...node.settings, ...overrides.get(node.id) };
      return definition.pricing?.isUnpriced?.(values) === true;
    })
    .map(({ node }) => ({
      nodeId: node.id,
      code: 'unpriced_model',
      message: `${node.label} has no price, and your plan (${plan}) runs only models that have one. Use another model, or ask the operator to set its price.`,
    }));
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

/** Returns a sentence for each node that takes its sample result. */
export function sampleWarnings({ nodes }: Plan, steps: ReadonlyMap<string, Step>): readonly string[] {
  return nodes
    .filter(({ id }) => steps.get(id)?.fromSample === true)
    .map(
      ({ label }) =>
        `${label} takes the sample result of the template, whatever it is fed, because its provider is not set up.`,
    );
}
