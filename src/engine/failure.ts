// Converts a thrown error to the error of a step: with its message if that is meant for users, otherwise a generic one.
import { ValueError } from '../graph/values.ts';
import { AppError } from '../lib/errors.ts';
import { NodeError } from '../nodes/define.ts';
import type { StepError } from './types.ts';

const UNKNOWN: StepError = {
  code: 'node_failed',
  message: 'The node failed because of an internal error. The log of the service has the details.',
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
