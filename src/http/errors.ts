// Translates everything that is thrown while a request is handled into an error of the API.
import type { ErrorCode, Issue } from '../lib/errors.ts';
import { AppError, createUnavailableError, OutageError, toAppError, toError } from '../lib/errors.ts';
import { ROUTER_OPTIONS } from './method-not-allowed.ts';
import { explainFault, type ValidationFault } from './validation.ts';

/** Maps codes of Fastify, Node and its HTTP parser to our codes and messages. */
const LIBRARY_ERRORS: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: [
    'payload_too_large',
    'The request body is too large. The limit is 4 MB, and 40 MB for exported workflows.',
  ],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [
    'unsupported_type',
    'The body must be JSON: send Content-Type: application/json.',
  ],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: [
    'invalid_request',
    'The length of the body does not match Content-Length.',
  ],
  FST_ERR_BAD_URL: [
    'invalid_request',
    'The URL is invalid: a % must be followed by two hex digits that encode UTF-8.',
  ],
  FST_ERR_MAX_PARAM_LENGTH: [
    'uri_too_long',
    `A segment of the path is longer than ${ROUTER_OPTIONS.maxParamLength} characters.`,
  ],
  FST_ERR_ROUTE_MISSING_CONTENT_TYPE: [
    'invalid_request',
    'Requests with this method require a Content-Type header.',
  ],
  FST_ERR_VALIDATION: ['invalid_request', 'The request is malformed.'],
  HPE_HEADER_OVERFLOW: ['headers_too_large', 'The URL and headers together are larger than 16 KB.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ['payload_too_large', 'The chunk extensions are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['request_timeout', 'The request did not arrive in time.'],
};

/** RFC 9110 §9.2.2. */
const IDEMPOTENT_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE']);

const INVALID_HTTP = 'The request is not valid HTTP.';

/**
 * Converts any thrown value to an AppError. Errors that are not known to be the caller's fault become `internal_error`.
 * The method determines whether a request with an unknown outcome can be repeated.
 */
export function translateError(thrown: unknown, method = 'POST'): AppError {
  if (thrown instanceof AppError) return thrown;
  if (thrown instanceof OutageError)
    return toAppError(thrown, { isRepeatable: IDEMPOTENT_METHODS.has(method) });
  const err = toError(thrown) as Error & {
    code?: string;
    statusCode?: number;
    validation?: readonly ValidationFault[];
    validationContext?: string;
  };
  if (err.validation !== undefined)
    return translateValidation(err.validation, err.validationContext ?? 'body', err);
  const row = LIBRARY_ERRORS[err.code ?? ''];
  if (row !== undefined) return new AppError(row[0], row[1], { cause: err });
  if (err.code === 'ECONNREFUSED') return createUnavailableError('A service that this one depends on', err);
  if (err.code?.startsWith('HPE_')) return new AppError('invalid_request', INVALID_HTTP, { cause: err });
  if (err.statusCode !== undefined && err.statusCode < 500)
    return new AppError('invalid_request', 'The request is invalid.', { cause: err });
  return toAppError(err, { isRepeatable: IDEMPOTENT_METHODS.has(method) });
}

function translateValidation(faults: readonly ValidationFault[], context: string, cause: Error): AppError {
  const issues: Issue[] = faults.map(fault => ({
    path: `${fault.instancePath}${toPropertyPointer(fault)}`,
    code: 'invalid_request',
    message: explainFault(fault),
  }));
  const [first] = issues;
  const source = context === 'querystring' ? 'query' : context;
  return new AppError(
    'invalid_request',
    `The ${source}${first?.path ? ` at ${first.path}` : ''} ${first?.message ?? 'has the wrong form'}.`,
    { issues, cause },
  );
}

/** Returns the JSON pointer of the missing or unknown property, relative to its object, or an empty string. */
function toPropertyPointer(fault: ValidationFault): string {
  const name =
    fault.keyword === 'required' ? fault.params?.missingProperty : fault.params?.additionalProperty;
  return typeof name === 'string' ? `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}` : '';
}

/** Returns the body of an error response. Details come first, so that they cannot overwrite the other properties. */
export function toErrorBody(err: AppError, requestId: string): Record<string, unknown> {
  return {
    ...err.details,
    error: err.message,
    code: err.code,
    requestId,
    ...(err.issues === undefined ? {} : { issues: err.issues }),
  };
}
