// Computes what a node owes for provider calls when its run ends before they do.
import type { Step } from './types.ts';

/** Whether the run ends for good. With any other reason, another worker continues it. */
export function endsRun({ aborted, reason }: AbortSignal): boolean {
  return aborted && (reason === 'cancelled' || reason === 'timeout');
}

/**
 * Returns the last state of a node whose run ends while it is active. The node owes the reservation of calls without a
 * provider id: the provider may have received them and cannot be asked to stop. Calls with an id are cancelled at the
 * provider and charged by their outcome.
 */
export function toCancelled(step: Step): Step {
  const { suspended: _, jobs = {}, ...rest } = step;
  const owed = Object.values(jobs)
    .filter(({ id, queued, submittedAtMs }) => id === null && queued !== true && submittedAtMs !== undefined)
    .reduce((sum, { credits = 0 }) => sum + credits, 0);
  const cost = owed === 0 ? {} : { credits: (rest.credits ?? 0) + owed };
  return { ...rest, status: 'CANCELLED', ...cost };
}
