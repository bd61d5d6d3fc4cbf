// The money of a run: set aside when it is accepted, topped up before each paid call, charged for what delivered,
// given back when it ends. A run that cannot cost has no row in the ledger.
import type { PaidCall, ProviderTask, RunOptions } from '../engine/types.ts';
import { AppError } from '../lib/errors.ts';
import { NodeError } from '../nodes/define.ts';
import { boundCall, OVER_MAX_CREDITS, type Pricing, priceOf, toCredits } from '../nodes/models/pricing.ts';
import { type Coverage, findSpending, raiseReservation } from '../store/credits.ts';
import type { Tx } from '../store/db.ts';
import { lockLeasedRun, type RunRow } from '../store/runs.ts';
import type { Refusal } from './accept-batch.ts';
import type { RunDeps } from './deps.ts';
import type { Estimate } from './estimate/estimate-plan.ts';

/** Throws 402 where the run would cost more than its caller allows. */
export function requireWithinMax({ credits, breakdown }: Estimate, maxCredits: number | undefined): void {
  if (maxCredits === undefined || credits <= maxCredits) return;
  throw new AppError(
    'max_credits_exceeded',
    `The run would cost ${credits} credits, more than maxCredits (${maxCredits}).`,
    { details: { requiredCredits: credits, breakdown } },
  );
}

/** Why a run is not accepted, as its caller reads it: 402. */
export function toPaymentError(refusal: Refusal, { credits, breakdown }: Estimate): AppError {
  if (refusal.code === 'insufficient_credits') {
    const { code, balance } = refusal;
    return new AppError(code, `The run needs ${credits} credits, and there are ${balance}.`, {
      details: {
        insufficientCredits: true,
        requiredCredits: credits,
        availableCredits: balance,
        breakdown,
      },
    });
  }
  const { code, budget, spent } = refusal;
  return new AppError(
    code,
    `The workflow may cost ${budget} credits a day; ${spent} are spent or set aside today (UTC), and this run needs ${credits}.`,
    { details: { requiredCredits: credits, availableCredits: Math.max(0, budget - spent) } },
  );
}

/** Raises the run's reservation for a call of so many credits; AppError where it may not be made. */
async function raiseInTransaction(
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
      `This call needs ${credits} credits, and there are too few left.`,
    );
  }
  // Thrown inside the transaction: what was set aside goes with it.
  if (outcome === 'raised') await requireWithinBudget(tx, run.id, credits);
}

/** What a person can act on is reported as the node's failure. */
function toRefusal(err: unknown): never {
  if (err instanceof AppError && err.status === 402)
    throw new NodeError(err.code, err.message, { cause: err });
  throw err;
}

async function requireWithinBudget(tx: Tx, executionId: string, credits: number): Promise<void> {
  const { budget, spent } = await findSpending(tx, executionId);
  if (budget === null || spent <= budget) return;
  throw new AppError(
    'daily_budget_exceeded',
    `With this call of ${credits} credits the workflow would have cost ${spent} that day (UTC), more than its budget of ${budget}.`,
  );
}

/** What a run has spent before this worker goes on with it. */
export interface EarlierSpending {
  readonly maxCredits: number | undefined;
  /** Set aside for calls that are under way. */
  readonly reserved: number;
  /** undefined: it is asked for when it is needed, since no call of before can still be charged. */
  readonly charged: number | undefined;
}

/**
 * What the engine asks before each paid call: raises the reservation until it covers this call together with the others that are under
 * way. Rejects, naming the reason, where it cannot; the call is then not made.
 */
export function createPay(
  { db, reads }: Pick<RunDeps, 'db' | 'reads'>,
  run: Pick<RunRow, 'id' | 'lease'>,
  spent: EarlierSpending,
): NonNullable<RunOptions['pay']> {
  // What the run was charged before this worker took it over, and what its calls were reserved since. Calls that
  // delivered stay reserved: what is charged for them leaves the reservation, and counts for the promise all the same.
  let chargedBefore = spent.charged;
  let reserved = spent.reserved;
  const reserve = async (credits: number): Promise<void> => {
    const coverage = await reads.coverage(run.id);
    chargedBefore ??= coverage?.charged ?? 0;
    const total = chargedBefore + reserved + credits;
    if (spent.maxCredits !== undefined && total > spent.maxCredits) {
      throw new NodeError(
        'max_credits_exceeded',
        `With this call the run would cost ${total} credits, more than maxCredits (${spent.maxCredits}).`,
      );
    }
    // As the estimate of most runs has it; only more than that is set aside in a transaction.
    if (!isCovered(coverage, run.lease, total))
      await db.transaction(tx => raiseInTransaction(tx, run, { total, credits })).catch(toRefusal);
    reserved += credits;
  };
  const refund = (credits: number): void => {
    reserved -= credits;
  };
  // One call at a time: none is refused because of another that is refused in the end.
  let turn: Promise<void> = Promise.resolve();
  return async call => {
    const { credits, isExact, values } = quote(call);
    const terms = termsOf(call, isExact);
    if (call.reserved === undefined) {
      const covered = turn.then(() => reserve(credits));
      turn = covered.catch(() => undefined);
      await covered;
    }
    return {
      credits,
      values,
      ...(terms === undefined ? {} : { terms }),
      settle: usage => {
        const due = chargeOf(call.definition.pricing, { credits, isExact, values: call.values }, usage);
        refund(credits - due);
        return due;
      },
      refund: () => refund(credits),
    };
  };
}

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
  /** Whether that is its price, rather than the most that its node allows. */
  readonly isExact: boolean;
}

/** What must be reserved for the call, and the values to send for that. Throws NodeError where it must not be made. */
function quote({ definition, values, reserved }: PaidCall): Quote & { readonly values: PaidCall['values'] } {
  const price = priceOf(definition, values);
  const bounded = boundCall(definition, values);
  // A call that is under way was quoted before.
  if (reserved !== undefined)
    return { credits: reserved, isExact: price?.isExact === true, values: bounded ?? values };
  if (price === null) {
    throw new NodeError(
      'missing_max_credits',
      'The price of this model is not known beforehand: set its field maxCredits.',
    );
  }
  if (bounded === null) throw new NodeError('max_credits_exceeded', OVER_MAX_CREDITS);
  return { ...price, values: bounded };
}

/**
 * What a call costs by what it used. A price that was known beforehand is not passed; any other bill is charged in full,
 * also beyond what was reserved.
 */
function chargeOf(
  pricing: Pricing | undefined,
  { credits, isExact, values }: Quote & Pick<PaidCall, 'values'>,
  usage: unknown,
): number {
  const usd = pricing?.settle?.(values, usage) ?? null;
  if (usd === null) return credits;
  return isExact ? Math.min(credits, toCredits(usd)) : toCredits(usd);
}

const MAX_TERM_LENGTH = 64;

/** By what a bill is counted after the run has ended: the short settings of the call. */
function termsOf({ definition, node, values }: PaidCall, isExact: boolean): PriceTerms | undefined {
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

/** What a cancelled call costs that its provider bills all the same. */
export function priceByTerms(
  { findNode }: Pick<RunDeps, 'findNode'>,
  { credits, terms }: { readonly credits: number; readonly terms: PriceTerms | null },
  usage: unknown,
): number {
  if (terms === null) return credits;
  return chargeOf(findNode(terms.nodeType)?.pricing, { credits, ...terms }, usage);
}
