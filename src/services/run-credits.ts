// The money of a run: set aside when it is accepted, topped up before each paid call, charged for what delivered,
// given back when it ends. A run that cannot cost has no row in the ledger.
import type { RunOptions, Step } from '../engine/types.ts';
import { AppError } from '../lib/errors.ts';
import { NodeError } from '../nodes/define.ts';
import { priceOf } from '../nodes/pricing.ts';
import {
  charge,
  findCharged,
  findPool,
  holdForRun,
  raiseHold,
  releaseRun,
  sumSince,
} from '../store/credits.ts';
import type { Db, Tx } from '../store/db.ts';
import type { NewRun, RunWrite, WrittenRun } from '../store/runs.ts';
import { insertRuns, writeRuns } from '../store/runs.ts';
import type { Deps } from './deps.ts';
import type { Estimate } from './estimate-run.ts';

export interface RunPrice {
  readonly estimate: Estimate;
  readonly maxCredits: number | undefined;
  /** Of the workflow, a UTC day; null: none. */
  readonly dailyBudget: number | null;
}

/**
 * Accepts a run that may cost: the hold, the run, its idempotency key and its job commit together. Resolves to false
 * where another run holds the key. Throws 402 `max_credits_exceeded`, `daily_budget_exceeded`, `insufficient_credits`.
 */
export async function acceptPaid(deps: Deps, run: NewRun, price: RunPrice): Promise<boolean> {
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
    if (price.dailyBudget !== null) await checkBudget(deps, tx, run.workflow_id, credits, price.dailyBudget);
    const hold = {
      executionId: run.id,
      workspace: run.workspace,
      workflowId: run.workflow_id,
      amount: credits,
    };
    // Thrown inside the transaction: the run that was inserted goes with it.
    if (!(await holdForRun(tx, hold))) throw await tooFew(tx, run.workspace, price.estimate);
    return true;
  });
}

async function checkBudget(
  deps: Deps,
  tx: Tx,
  workflowId: string,
  credits: number,
  budget: number,
): Promise<void> {
  const today = new Date(deps.now());
  today.setUTCHours(0, 0, 0, 0);
  const spent = await sumSince(tx, workflowId, today);
  if (spent + credits <= budget) return;
  throw new AppError(
    'daily_budget_exceeded',
    `The workflow may cost ${budget} credits a day; ${spent} are spent or set aside today (UTC), and this run needs ${credits}.`,
    { details: { requiredCredits: credits, availableCredits: Math.max(0, budget - spent) } },
  );
}

async function tooFew(tx: Tx, workspace: string, { credits, breakdown }: Estimate): Promise<AppError> {
  const { balance } = await findPool(tx, workspace);
  return new AppError('insufficient_credits', `The run needs ${credits} credits, and there are ${balance}.`, {
    details: { insufficientCredits: true, requiredCredits: credits, availableCredits: balance, breakdown },
  });
}

/**
 * What the engine asks before each paid call: raises the hold until it covers this call beside the others that this
 * worker has under way. Rejects, naming the reason, where it cannot; the call is then not made.
 */
export function createPay(deps: Pick<Deps, 'db'>, executionId: string): NonNullable<RunOptions['pay']> {
  // What this worker's calls were promised, on top of what the run was charged before it took over. Calls that delivered
  // stay in it: what is charged for them leaves the hold, and counts for the promise all the same.
  let promised: Promise<number> | undefined;
  const promise = async (credits: number): Promise<number> => {
    promised ??= findCharged(deps.db, executionId);
    promised = promised.then(sum => sum + credits);
    return promised;
  };
  return async ({ definition, values }) => {
    const price = priceOf(definition, values);
    if (price === null) {
      throw new NodeError(
        'missing_max_credits',
        'The price of this model is not known beforehand: set its field maxCredits.',
      );
    }
    const { credits } = price;
    const total = await promise(credits);
    const forgo = (): void => void promise(-credits);
    const isCovered = await deps.db
      .transaction(tx => raiseHold(tx, executionId, total))
      .catch((err: unknown) => {
        forgo();
        throw err;
      });
    if (isCovered) return { credits, forgo };
    forgo();
    throw new NodeError(
      'insufficient_credits',
      `This call needs ${credits} credits, and there are too few left.`,
    );
  };
}

/**
 * The write of a run that may cost: node states, charges for what delivered, and at its end the release, in one commit.
 * A step says what its node has cost so far, so a write that is made twice charges once.
 */
export async function writePaid(db: Db, write: RunWrite): Promise<WrittenRun | undefined> {
  return db.transaction(async tx => {
    const [written] = await writeRuns(tx, [write]);
    // The lease number no longer stands: whoever holds the run now charges what it writes.
    if (written === undefined) return undefined;
    for (const step of write.steps as readonly Step[]) {
      if (step.credits !== undefined) await charge(tx, write.id, step.nodeId, step.credits);
    }
    if (write.leave !== null && write.leave.finished_at !== null) await releaseRun(tx, write.id);
    return written;
  });
}
