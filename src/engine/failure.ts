// What a step tells of a failure: the node's own words where they are meant for people, else only that it failed.
import { ValueError } from '../graph/values.ts';
import { AppError } from '../lib/errors.ts';
import { NodeError } from '../nodes/define.ts';
import type { StepError } from './types.ts';

const UNKNOWN: StepError = {
  code: 'node_failed',
  message: 'The node failed for a reason that is not told here; the log of the service has it.',
};

/** The failure as its step tells it; undefined words of any other error stay inside, and `onUnknown` gets it whole. */
export function toStepError(thrown: unknown, onUnknown: (thrown: unknown) => void): StepError {
  if (thrown instanceof NodeError) return { code: thrown.code, message: thrown.message };
  if (thrown instanceof ValueError) return { code: 'invalid_input', message: thrown.message };
  if (thrown instanceof AppError && thrown.code !== 'internal_error') {
    return { code: thrown.code, message: thrown.message };
  }
  onUnknown(thrown);
  return UNKNOWN;
}
