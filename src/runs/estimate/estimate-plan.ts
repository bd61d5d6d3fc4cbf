// Computes the maximum cost of a run: for each paid node, the price of its calls or the maximum in its config.
import type { NodeForecast } from '../../engine/forecast.ts';
import type { PlannedRun } from '../../engine/reuse.ts';
import type { Plan, PlanNode } from '../../graph/plan.ts';
import { AppError } from '../../lib/errors.ts';
import { getCreditsToReserve, isFreeCall, toUsd } from '../../nodes/models/pricing.ts';
import type { PaidBy } from '../../providers/credential.ts';
import type { RunCredential, RunCredentials } from '../../services/credentials/credential.ts';
import { listDailyUsd } from '../../store/credential-charges.ts';
import type { RunDeps } from '../deps.ts';
import { describeOverLimit, estimateUsd } from '../payments/pay-by-credential.ts';
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
    const prices = pendingCallValues.map(values =>
      isFreeCall(definition, values, credential)
        ? { credits: 0, isExact: true }
        : getCreditsToReserve(definition, values),
    );
    const credits = prices.reduce((sum, price) => sum + (price?.credits ?? 0), 0);
    return {
      nodeId: node.id,
      nodeLabel: node.label,
      credits: paidBy === 'credits' ? credits : 0,
      paidBy,
      credentialId: credential?.id ?? null,
      costUsd: paidBy === 'credits' ? toUsd(credits) : sumUsd(forecast),
      isExact: hasExactCallCount && prices.every(price => price?.isExact === true),
      isFree: isFreeCall(definition, toSettings(node), credential),
    };
  });
  return {
    isPaid: lines.some(({ paidBy, isFree }) => paidBy === 'credits' && !isFree),
    credits: lines.reduce((sum, line) => sum + line.credits, 0),
    exact: lines.every(line => line.isExact),
    breakdown: lines.map(({ isExact: _, isFree: __, ...line }) => line),
    models: [...new Set(forecasts.map(({ node }) => node.nodeType))],
  };
}

/** Returns the settings of the node with the defaults of its fields. */
export const toSettings = ({ inputDefs, config }: PlanNode): Readonly<Record<string, unknown>> => ({
  ...Object.fromEntries(inputDefs.map(({ id, default: value }) => [id, value])),
  ...config,
});

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
