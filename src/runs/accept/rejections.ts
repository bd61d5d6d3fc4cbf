// Converts the reasons why a run cannot be paid for, or was not stored, to errors for the caller.
import { AppError } from '../../lib/errors.ts';
import { createVersionNotFoundError } from '../../services/workflows/graph-versions.ts';
import type { Rejection } from '../change/accept-group.ts';
import type { Estimate } from '../estimate/estimate-plan.ts';
import { createAppLimitError } from '../payments/app-limit.ts';
import { createLimitError } from '../payments/spender-limit.ts';

/** Throws 402 if the run would cost more than `maxCredits`. */
export function requireWithinMaxCredits(
  { credits, breakdown }: Estimate,
  maxCredits: number | undefined,
): void {
  if (maxCredits === undefined || credits <= maxCredits) return;
  throw new AppError(
    'max_credits_exceeded',
    `The run would cost ${credits} credits, more than maxCredits (${maxCredits}).`,
    { details: { requiredCredits: credits, breakdown } },
  );
}

/** Converts a rejection to the error for the caller. */
export function toRejectionError(
  rejection: Rejection,
  { version, estimate: { credits, breakdown } }: { readonly version: number; readonly estimate: Estimate },
): AppError {
  if (rejection.code === 'not_found') return createVersionNotFoundError(version);
  if (rejection.code === 'insufficient_credits') {
    const { code, balance } = rejection;
    return new AppError(code, `The run needs ${credits} credits, but the balance is ${balance}.`, {
      details: {
        insufficientCredits: true,
        requiredCredits: credits,
        availableCredits: balance,
        breakdown,
      },
    });
  }
  if (rejection.code === 'app_limit_reached') return createAppLimitError();
  if ('limit' in rejection) return createLimitError(rejection.limit, { credits, details: { breakdown } });
  const { code, owner, budget, spent } = rejection;
  return new AppError(
    code,
    `The run needs ${credits} credits, but the ${owner} has spent or reserved ${spent} of its daily budget of ${budget} (UTC).`,
    { details: { requiredCredits: credits, availableCredits: Math.max(0, budget - spent) } },
  );
}
