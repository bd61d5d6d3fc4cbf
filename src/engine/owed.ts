// Computes what a node owes for provider calls that are active when its run ends.
import type { Step } from './types.ts';

/**
 * Returns whether the signal was aborted because the run ends. For any other reason, another worker continues the run.
 */
export function endsRun({ aborted, reason }: AbortSignal): boolean {
  return aborted && (reason === 'cancelled' || reason === 'timeout');
}

/**
 * Returns the final step of a node that is active when its run ends. Submitted calls without a provider id cost their
 * reservation, because the provider may have received them and cannot be asked to cancel them. Calls with an id are
 * cancelled at the provider and charged by their outcome.
 */
export function toCancelled(step: Step): Step {
  const { suspended: _, jobs = {}, ...fields } = step;
  const owedCredits = Object.values(jobs)
    .filter(({ id, queued, submittedAtMs }) => id === null && queued !== true && submittedAtMs !== undefined)
    .reduce((sum, { credits = 0 }) => sum + credits, 0);
  const cost = owedCredits === 0 ? {} : { credits: (fields.credits ?? 0) + owedCredits };
  return { ...fields, status: 'CANCELLED', ...cost };
}
