// Pays the calls of a run with credits. Credits are reserved when the run is accepted and charged on delivery. A paid call
// may raise the reservation, and the rest is released at the end. A run that cannot cost credits has no row in the ledger.
import type { PaidCall, Payment, ProviderTask, RunOptions } from '../../engine/types.ts';
import { AppError } from '../../lib/errors.ts';
import { NodeError } from '../../nodes/define.ts';
import {
  boundCall,
  getCreditsToReserve,
  isFreeCall,
  OVER_MAX_CREDITS,
  type Pricing,
  toCredits,
} from '../../nodes/models/pricing.ts';
import type { RunCredential } from '../../services/credentials/credential.ts';
import { notifyRefusedLimit } from '../../services/credits/limit-notices.ts';
import {
  type Coverage,
  findAppOfRun,
  findSpendingOfRunDay,
  lockApps,
  raiseReservation,
} from '../../store/credits.ts';
import type { Tx } from '../../store/db.ts';
import { lockLeasedRun, type RunRow } from '../../store/runs.ts';
import { lockLimitsOfRun } from '../../store/spenders.ts';
import type { RunDeps } from '../deps.ts';
import { createAppLimitError } from './app-limit.ts';
import type { CredentialPayments } from './pay-by-credential.ts';
import { createLimitError, isLimitError } from './spender-limit.ts';

/** Raises the run's reservation for a call. Throws an AppError if the call must not be made. */
async function raiseRunReservation(
  tx: Tx,
  run: Pick<RunRow, 'id' | 'lease'>,
  { total, credits }: Readonly<Record<'total' | 'credits', number>>,
): Promise<void> {
  if (!(await lockLeasedRun(tx, run)))
    throw new AppError('conflict', 'The run is no longer assigned to this worker.');
  const outcome = await raiseReservation(tx, run.id, total);
  if (outcome === 'refused') {
    throw new AppError(
      'insufficient_credits',
      `This call needs ${credits} credits, but the balance is too low.`,
    );
  }
  // An error inside the transaction rolls back the raise.
  if (outcome === 'raised') await requireWithinBudget(tx, run.id, credits);
}

/** Rethrows payment errors as errors of the node, so that users see the message. */
function rethrowAsNodeError(err: unknown): never {
  if (err instanceof AppError && (err.status === 402 || err.code === 'app_limit_reached'))
    throw new NodeError(err.code, err.message, { cause: err });
  throw err;
}

async function requireWithinBudget(tx: Tx, executionId: string, credits: number): Promise<void> {
  const appId = await requireWithinAppLimit(tx, executionId);
  await requireWithinLimits(tx, executionId, { credits, isOfApp: appId !== undefined });
  for (const owner of ['workflow', 'workspace'] as const) {
    const { budget, spent } = await findSpendingOfRunDay(tx, owner, executionId);
    if (budget === null || spent <= budget) continue;
    // Visitors of an app must not learn what its workspace spends.
    if (owner === 'workspace' && appId !== undefined) throw createAppLimitError();
    throw new AppError(
      'daily_budget_exceeded',
      `With this call of ${credits} credits the ${owner} would have spent ${spent} that day (UTC), more than its budget of ${budget}.`,
    );
  }
}

/** Throws 402 if the raised reservation exceeds a monthly limit. */
async function requireWithinLimits(
  tx: Tx,
  executionId: string,
  { credits, isOfApp }: { readonly credits: number; readonly isOfApp: boolean },
): Promise<void> {
  const limits = await lockLimitsOfRun(tx, executionId);
  const exceededLimit = limits.find(({ limit, spent }) => spent > limit);
  if (exceededLimit === undefined) return;
  const { kind, spent } = exceededLimit;
  // Who sees the run of an app must not learn the limit of the visitor who pays for it.
  if (isOfApp)
    throw new AppError(`${kind}_limit_exceeded`, 'The monthly limit of who pays for this run is used up.');
  throw createLimitError(
    { ...exceededLimit, spent: Math.max(0, spent - credits) },
    { credits, subject: 'This call' },
  );
}

/** Notifies of the limits that refused a call of the run. */
async function notifyRefusedCall(tx: Tx, executionId: string, credits: number): Promise<void> {
  for (const limit of await lockLimitsOfRun(tx, executionId))
    if (limit.spent + credits > limit.limit) await notifyRefusedLimit(tx, limit);
}

/** Returns the app of the run. Throws 429 if the app has spent its daily credits. */
async function requireWithinAppLimit(tx: Tx, executionId: string): Promise<string | undefined> {
  const appId = await findAppOfRun(tx, executionId);
  if (appId === undefined) return undefined;
  await lockApps(tx, [appId]);
  // Read in a new statement, which sees the charges that other transactions committed before they released the lock.
  const { budget, spent } = await findSpendingOfRunDay(tx, 'app', executionId);
  if (budget !== null && spent > budget) throw createAppLimitError();
  return appId;
}

/** The credits that a run spent before this worker continued it. */
export interface EarlierSpending {
  readonly maxCredits: number | undefined;
  /** Credits reserved for active calls. */
  readonly reserved: number;
  /** Credits charged so far. Set if an earlier call can still be charged; otherwise read when needed. */
  readonly charged: number | undefined;
}

export interface PaymentOptions {
  readonly spent: EarlierSpending;
  /** Returns the credential that the call uses. */
  readonly findCredential: (call: PaidCall) => RunCredential | undefined;
  /** Records the cost of calls that use a workspace's own credential. */
  readonly credentialPayments: CredentialPayments;
}

/**
 * Creates the function that the engine calls before each paid call. The function raises the reservation to cover this
 * call and the other active calls. If that is not possible, the function rejects and the call is not made.
 */
export function createPay(
  { db, runReads }: Pick<RunDeps, 'db' | 'runReads'>,
  run: Pick<RunRow, 'id' | 'lease'>,
  { spent, findCredential, credentialPayments }: PaymentOptions,
): NonNullable<RunOptions['pay']> {
  // The credits charged before this worker took over, and those reserved since. `reserved` includes delivered calls,
  // because their charge is taken from the reservation.
  let chargedBefore = spent.charged;
  let reserved = spent.reserved;
  const reserve = async (credits: number): Promise<void> => {
    const coverage = await runReads.coverage(run.id);
    chargedBefore ??= coverage?.charged ?? 0;
    const total = chargedBefore + reserved + credits;
    if (spent.maxCredits !== undefined && total > spent.maxCredits) {
      throw new NodeError(
        'max_credits_exceeded',
        `With this call the run would cost ${total} credits, more than maxCredits (${spent.maxCredits}).`,
      );
    }
    // Most calls are covered by the estimate. Only a raise needs a transaction.
    if (!isCovered(coverage, run.lease, total))
      await db
        .transaction(tx => raiseRunReservation(tx, run, { total, credits }))
        .catch(async err => {
          if (isLimitError(err)) await db.transaction(tx => notifyRefusedCall(tx, run.id, credits));
          return rethrowAsNodeError(err);
        });
    reserved += credits;
  };
  const refund = (credits: number): void => {
    reserved -= credits;
  };
  // Credits are reserved for one call at a time, so that a call is not rejected because of another call that is itself
  // rejected later.
  let previous: Promise<void> = Promise.resolve();
  return async call => {
    const credential = findCredential(call);
    if (credential?.paidBy === 'credential') return credentialPayments.pay(credential, call);
    if (isFreeCall(call.definition, call.values, credential)) return createFreePayment(credential);
    const { credits, isExact, values } = quoteCall(call);
    const terms = toPriceTerms(call, isExact);
    if (call.reserved === undefined) {
      const reservation = previous.then(() => reserve(credits));
      previous = reservation.catch(() => undefined);
      await reservation;
    }
    return {
      credits,
      paidBy: 'credits',
      credentialId: credential?.id ?? null,
      costUsd: null,
      values,
      ...(terms === undefined ? {} : { terms }),
      settle: usage => {
        const charge = computeCharge(
          call.definition.pricing,
          { credits, isExact, values: call.values },
          usage,
        );
        refund(credits - charge);
        return charge;
      },
      refund: () => refund(credits),
    };
  };
}

/** Returns the payment of a call that costs nothing, for which no credits are reserved. */
const createFreePayment = (credential: RunCredential | undefined): Payment => ({
  credits: 0,
  paidBy: 'credits',
  credentialId: credential?.id ?? null,
  costUsd: null,
  settle: () => 0,
  refund: () => undefined,
});

function isCovered(coverage: Coverage | undefined, lease: number, total: number): boolean {
  return (
    coverage !== undefined &&
    coverage.lease === lease &&
    !coverage.has_ended &&
    coverage.held + coverage.charged >= total
  );
}

type PriceTerms = NonNullable<ProviderTask['terms']>;

interface Quote {
  readonly credits: number;
  /** Whether `credits` is the exact price, as opposed to the maximum that the node allows. */
  readonly isExact: boolean;
}

/** Returns the credits to reserve and the values to send. Throws a NodeError if the call must not be made. */
function quoteCall({
  definition,
  values,
  reserved,
}: PaidCall): Quote & { readonly values: PaidCall['values'] } {
  const price = getCreditsToReserve(definition, values);
  const boundedValues = boundCall(definition, values);
  // An active call was quoted before.
  if (reserved !== undefined)
    return { credits: reserved, isExact: price?.isExact === true, values: boundedValues ?? values };
  if (price === null) {
    throw new NodeError(
      'missing_max_credits',
      'The price of this model is not known in advance. Set maxCredits on the node.',
    );
  }
  if (boundedValues === null) throw new NodeError('max_credits_exceeded', OVER_MAX_CREDITS);
  return { ...price, values: boundedValues };
}

/**
 * Returns the charge of a call by its usage. An exact price is an upper bound. Otherwise the usage is charged in full,
 * even beyond the reservation.
 */
function computeCharge(
  pricing: Pricing | undefined,
  { credits, isExact, values }: Quote & Pick<PaidCall, 'values'>,
  usage: unknown,
): number {
  const usd = pricing?.settle?.(values, usage) ?? null;
  if (usd === null) return credits;
  return isExact ? Math.min(credits, toCredits(usd)) : toCredits(usd);
}

const MAX_TERM_LENGTH = 64;

/** Returns the short settings of the call, from which a charge can be computed after the run has ended. */
function toPriceTerms({ definition, node, values }: PaidCall, isExact: boolean): PriceTerms | undefined {
  if (definition.pricing?.settle === undefined) return undefined;
  const isTerm = (value: unknown): value is string | number | boolean =>
    typeof value === 'string'
      ? value.length <= MAX_TERM_LENGTH
      : typeof value === 'number' || typeof value === 'boolean';
  const terms = Object.entries(values).filter((entry): entry is [string, string | number | boolean] =>
    isTerm(entry[1]),
  );
  return { nodeType: node.nodeType, values: Object.fromEntries(terms), isExact };
}

/** Returns the charge of a cancelled call that its provider bills. */
export function priceByTerms(
  { findNode }: Pick<RunDeps, 'findNode'>,
  { credits, terms }: { readonly credits: number; readonly terms: PriceTerms | null },
  usage: unknown,
): number {
  if (terms === null) return credits;
  return computeCharge(findNode(terms.nodeType)?.pricing, { credits, ...terms }, usage);
}
