// Starts the runs of automations and apps as the user who set them up, with that user's current permissions.
import { AppError } from '../lib/errors.ts';
import { getWork, runAccepted, SERVICE } from '../lib/work.ts';
import type { RunOrigin } from '../runs/accept/accept-run.ts';
import type { AcceptedRun } from '../runs/accept/accepted-run.ts';
import { type StartRunInput, startRun } from '../runs/accept/start-run.ts';
import type { RunDeps } from '../runs/deps.ts';
import { getPersonalWorkspaceId } from '../services/accounts/access.ts';
import type { UserActor } from '../services/accounts/actor.ts';
import { countExecution, uncountExecution } from '../services/accounts/execution-limits.ts';

/**
 * Starts a run whose idempotency key and execution id were chosen beforehand, so that repeating the call after a crash
 * does not start a second run. Counts the run toward the user's daily executions, unless the run is refused or was
 * accepted before. `actor` comes from `getUserActor`.
 */
export async function startForUser(
  deps: RunDeps,
  actor: UserActor,
  input: StartRunInput & { readonly idempotencyKey: string; readonly origin: RunOrigin },
): Promise<AcceptedRun> {
  // A job of the service works for the user from here on.
  if (getWork().account === SERVICE)
    return runAccepted(getPersonalWorkspaceId(actor.userId), () => startForUser(deps, actor, input));
  const allowance = await countExecution(deps, actor);
  try {
    const accepted = await startRun(deps, actor, input);
    if (accepted.replayed) uncountExecution(deps, actor, allowance);
    return accepted;
  } catch (err) {
    if (err instanceof AppError && err.status < 500) uncountExecution(deps, actor, allowance);
    throw err;
  }
}

/** Returns the error of a refused request. Rethrows errors of the service, so that the job is retried. */
export function toRefusal(err: unknown): AppError {
  if (err instanceof AppError && err.status < 500) return err;
  throw err;
}
