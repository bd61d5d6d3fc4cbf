// Computes how steps end: the error for a thrown value, and the cost of provider calls that are active when the run ends.
import { ValueError } from '../graph/values.ts';
import { AppError } from '../lib/errors.ts';
import { FetchError } from '../lib/fetch/error.ts';
import { NodeError } from '../nodes/define.ts';
import type { Step, StepError } from './types.ts';

const UNKNOWN: StepError = {
  code: 'node_failed',
  message: 'The node failed because of an internal error. The log of the service has the details.',
};

/** Converts a thrown value. Hides the message of unknown errors and passes them to `onUnknown`. */
export function toStepError(thrown: unknown, onUnknown: (thrown: unknown) => void): StepError {
  if (thrown instanceof NodeError) {
    const { code, message, pointer } = thrown;
    return { code, message, ...(pointer === undefined ? {} : { pointer }) };
  }
  if (thrown instanceof ValueError) return { code: 'invalid_input', message: thrown.message };
  if (thrown instanceof AppError && thrown.code !== 'internal_error') {
    return { code: thrown.code, message: thrown.message };
  }
  if (thrown instanceof FetchError) return { code: 'fetch_failed', message: thrown.message };
  onUnknown(thrown);
  return UNKNOWN;
}

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
