// What a node owes for calls at providers when its run ends before they do.
import type { Step } from './types.ts';

/** Whether the run ends for good: at any other reason another worker goes on with it. */
export function endsRun({ aborted, reason }: AbortSignal): boolean {
  return aborted && (reason === 'cancelled' || reason === 'timeout');
}

/**
 * The last state of a node whose run ends while it is under way. It owes what is reserved for calls without an id: their
 * provider may have been asked, and cannot be asked to stop. Calls with an id are cancelled, and charged, by that.
 */
export function toCancelled(step: Step): Step {
  const { suspended: _, jobs = {}, ...rest } = step;
  const owed = Object.values(jobs)
    .filter(({ id, queued, submittedAtMs }) => id === null && queued !== true && submittedAtMs !== undefined)
    .reduce((sum, { credits = 0 }) => sum + credits, 0);
  const cost = owed === 0 ? {} : { credits: (rest.credits ?? 0) + owed };
  return { ...rest, status: 'CANCELLED', ...cost };
}
