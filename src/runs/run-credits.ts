// The money of a run: set aside when it is accepted, topped up before each paid call, charged for what delivered,
// given back when it ends. A run that cannot cost has no row in the ledger.
import type { RunOptions } from '../engine/types.ts';
import { AppError } from '../lib/errors.ts';
import { NodeError } from '../nodes/define.ts';
import { priceOf, toCredits } from '../nodes/models/pricing.ts';
import type { RunHold } from '../store/credits.ts';
import { findCharged, findPool, findSpending, holdForRun, raiseHold } from '../store/credits.ts';
import type { Tx } from '../store/db.ts';
import type { ClaimedRun, NewRun } from '../store/runs.ts';
import { insertRuns, lockHeldRun } from '../store/runs.ts';
import type { RunDeps } from './deps.ts';
import type { Estimate } from './estimate/estimate-plan.ts';

export interface RunPrice {
  readonly estimate: Estimate;
  readonly maxCredits: number | undefined;
  /** Whether the workflow has a daily budget. */
  readonly hasBudget: boolean;
}

/**
 * Accepts a run that may cost: the hold, the run, its idempotency key and its job commit together. Resolves to false
 * where another run holds the key. Throws 402 `max_credits_exceeded`, `daily_budget_exceeded`, `insufficient_credits`.
 */
export async function acceptPaid(deps: RunDeps, run: NewRun, price: RunPrice): Promise<boolean> {
  const { credits, breakdown } = price.estimate;
  if (price.maxCredits !== undefined && credits > price.maxCredits) {
    throw new AppError(
      'max_credits_exceeded',
      `The run would cost ${credits} credits, more than maxCredits (${price.maxCredits}).`,
      {
        details: { requiredCredits: credits, breakdown },
      },
    );
  }
  return deps.db.transaction(async tx => {
    if (!(await insertRuns(tx, [run])).has(run.id)) return false;
    const hold = {
      executionId: run.id,
      workspace: run.workspace,
      workflowId: run.workflow_id,
      amount: credits,
    };
    // Thrown inside the transaction: the run that was inserted goes with it.
    if (!(await holdForRun(tx, hold))) throw await tooFew(tx, run.workspace, price.estimate);
    // After the hold, whose lock on the pool makes the workflow's other runs wait: this one is counted with theirs.
    if (price.hasBudget) await checkBudget(tx, hold);
    return true;
  });
}

async function checkBudget(tx: Tx, { executionId, amount }: RunHold): Promise<void> {
  const { budget, spent: withThis } = await findSpending(tx, executionId);
  if (budget === null || withThis <= budget) return;
  const spent = withThis - amount;
  throw new AppError(
    'daily_budget_exceeded',
    `The workflow may cost ${budget} credits a day; ${spent} are spent or set aside today (UTC), and this run needs ${amount}.`,
    { details: { requiredCredits: amount, availableCredits: Math.max(0, budget - spent) } },
  );
}

async function tooFew(tx: Tx, workspace: string, { credits, breakdown }: Estimate): Promise<AppError> {
  const { balance } = await findPool(tx, workspace);
  return new AppError('insufficient_credits', `The run needs ${credits} credits, and there are ${balance}.`, {
    details: { insufficientCredits: true, requiredCredits: credits, availableCredits: balance, breakdown },
  });
}

/** Raises the run's hold for a call of so many credits; AppError where it may not be made. */
async function raise(
  tx: Tx,
  run: Pick<ClaimedRun, 'id' | 'lease'>,
  { total, credits }: Readonly<Record<'total' | 'credits', number>>,
): Promise<void> {
  if (!(await lockHeldRun(tx, run)))
    throw new AppError('conflict', 'The run is no longer held by this worker.');
  const outcome = await raiseHold(tx, run.id, total);
  if (outcome === 'refused') {
    throw new AppError(
      'insufficient_credits',
      `This call needs ${credits} credits, and there are too few left.`,
    );
  }
  // Thrown inside the transaction: what was set aside goes with it.
  if (outcome === 'raised') await checkDay(tx, run.id, credits);
}

/** What a person can act on is told as the node's failure. */
function toRefusal(err: unknown): never {
  if (err instanceof AppError && err.status === 402)
    throw new NodeError(err.code, err.message, { cause: err });
  throw err;
}

async function checkDay(tx: Tx, executionId: string, credits: number): Promise<void> {
  const { budget, spent } = await findSpending(tx, executionId);
  if (budget === null || spent <= budget) return;
  throw new AppError(
    'daily_budget_exceeded',
    `With this call of ${credits} credits the workflow would have cost ${spent} that day (UTC), more than its budget of ${budget}.`,
  );
}

/**
 * What the engine asks before each paid call: raises the hold until it covers this call beside the others that this
 * worker has under way. Rejects, naming the reason, where it cannot; the call is then not made.
 */
export function createPay(
  { db }: Pick<RunDeps, 'db'>,
  run: Pick<ClaimedRun, 'id' | 'lease'>,
  maxCredits: number | undefined,
): NonNullable<RunOptions['pay']> {
  // What the run was charged before this worker took it over, and what its calls were promised since. Calls that
  // delivered stay promised: what is charged for them leaves the hold, and counts for the promise all the same.
  let before: number | undefined;
  let promised = 0;
  const cover = async (credits: number): Promise<void> => {
    before ??= await findCharged(db, run.id);
    const total = before + promised + credits;
    if (maxCredits !== undefined && total > maxCredits) {
      throw new NodeError(
        'max_credits_exceeded',
        `With this call the run would cost ${total} credits, more than maxCredits (${maxCredits}).`,
      );
    }
    await db.transaction(tx => raise(tx, run, { total, credits })).catch(toRefusal);
    promised += credits;
  };
  // One call at a time: none is refused because of another that is refused in the end.
  let turn: Promise<void> = Promise.resolve();
  return async ({ definition, values }) => {
    const price = priceOf(definition, values);
    if (price === null) {
      throw new NodeError(
        'missing_max_credits',
        'The price of this model is not known beforehand: set its field maxCredits.',
      );
    }
    const { credits } = price;
    const covered = turn.then(() => cover(credits));
    turn = covered.catch(() => undefined);
    await covered;
    return {
      credits,
      settle: usage => {
        const usd = definition.pricing?.settle?.(values, usage) ?? null;
        const due = usd === null ? credits : Math.min(credits, toCredits(usd));
        promised -= credits - due;
        return due;
      },
      forgo: () => {
        promised -= credits;
      },
    };
  };
}
