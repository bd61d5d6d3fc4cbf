// Creates the errors of SCIM requests (RFC 7644 §3.12).
import { AppError, type ErrorCode } from '../../lib/errors.ts';

export type ScimType =
  | 'invalidFilter'
  | 'invalidPath'
  | 'invalidSyntax'
  | 'invalidValue'
  | 'mutability'
  | 'noTarget'
  | 'tooMany'
  | 'uniqueness';

const CODES: Readonly<Partial<Record<ScimType, ErrorCode>>> = {
  uniqueness: 'conflict',
  tooMany: 'payload_too_large',
};

/** Creates an error with this `scimType`. Its status is 400, 409 for `uniqueness` or 413 for `tooMany`. */
export const createScimError = (scimType: ScimType, message: string, cause?: unknown): AppError =>
  new AppError(CODES[scimType] ?? 'invalid_request', message, { details: { scimType }, cause });
