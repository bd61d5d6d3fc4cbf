// Turns a thrown error into the error of a step: the message if it is meant for people, otherwise a generic one.
import { ValueError } from '../graph/values.ts';
import { AppError } from '../lib/errors.ts';
import { NodeError } from '../nodes/define.ts';
import type { StepError } from './types.ts';

const UNKNOWN: StepError = {
  code: 'node_failed',
  message: 'The node failed for a reason that is not shown here; the log of the service has it.',
};

/** Converts a thrown value. Hides the message of unknown errors and passes them to `onUnknown`. */
export function toStepError(thrown: unknown, onUnknown: (thrown: unknown) => void): StepError {
  if (thrown instanceof NodeError) return { code: thrown.code, message: thrown.message };
  if (thrown instanceof ValueError) return { code: 'invalid_input', message: thrown.message };
  if (thrown instanceof AppError && thrown.code !== 'internal_error') {
    return { code: thrown.code, message: thrown.message };
  }
  onUnknown(thrown);
  return UNKNOWN;
}
