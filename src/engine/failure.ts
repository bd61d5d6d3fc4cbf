// What a step reports of a failure: the node's own message where it is meant for people, else only that it failed.
import { ValueError } from '../graph/values.ts';
import { AppError } from '../lib/errors.ts';
import { NodeError } from '../nodes/define.ts';
import type { StepError } from './types.ts';

const UNKNOWN: StepError = {
  code: 'node_failed',
  message: 'The node failed for a reason that is not shown here; the log of the service has it.',
};

/** The failure as its step reports it. The message of any other error is not shown; `onUnknown` gets the error. */
export function toStepError(thrown: unknown, onUnknown: (thrown: unknown) => void): StepError {
  if (thrown instanceof NodeError) return { code: thrown.code, message: thrown.message };
  if (thrown instanceof ValueError) return { code: 'invalid_input', message: thrown.message };
  if (thrown instanceof AppError && thrown.code !== 'internal_error') {
    return { code: thrown.code, message: thrown.message };
  }
  onUnknown(thrown);
  return UNKNOWN;
}
