// The one translator: anything thrown on the way of a request → a row of the error table, and its body.

import type { ErrorCode, Issue } from '../lib/errors.ts';
import { AppError, OutageError, toAppError, toError, unavailable } from '../lib/errors.ts';
import { explainFault, type ValidationFault } from './validation-faults.ts';

/** Fastify's, Node's and the parser's own codes → ours, with the sentence to say. */
const FOREIGN: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: [
    'payload_too_large',
    'The request body is larger than this route takes: 4 MB, or 40 MB of an exported workflow.',
  ],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [
    'unsupported_type',
    'The body must be JSON: send Content-Type: application/json.',
  ],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['invalid_request', 'The body is not as long as Content-Length says.'],
  FST_ERR_BAD_URL: [
    'invalid_request',
    'The URL is not a valid one: a % must be followed by two hex digits that form UTF-8.',
  ],
  FST_ERR_MAX_PARAM_LENGTH: ['uri_too_long', 'A part of the path is longer than 200 characters.'],
  FST_ERR_ROUTE_MISSING_CONTENT_TYPE: ['invalid_request', 'A request of this method needs a Content-Type.'],
  FST_ERR_VALIDATION: ['invalid_request', 'The request has the wrong form.'],
  HPE_HEADER_OVERFLOW: ['headers_too_large', 'The URL and headers together are larger than 16 KB.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ['payload_too_large', 'The chunk extensions are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['request_timeout', 'The request did not arrive in time.'],
};

// Methods that come to the same when they are made twice (RFC 9110 §9.2.2).
const REPEATABLE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE']);

const PARSER_ERROR = 'The request is not valid HTTP.';

/**
 * Any thrown value as an AppError; what is not known to be the caller's fault is `internal_error`. The method says whether
 * a request whose outcome is not known may be repeated.
 */
export function translateError(thrown: unknown, method = 'POST'): AppError {
  if (thrown instanceof AppError) return thrown;
  if (thrown instanceof OutageError) return toAppError(thrown, { isRepeatable: REPEATABLE.has(method) });
  const err = toError(thrown) as Error & {
    code?: string;
    statusCode?: number;
    validation?: readonly ValidationFault[];
    validationContext?: string;
  };
  if (err.validation !== undefined)
    return translateValidation(err.validation, err.validationContext ?? 'body', err);
  const row = FOREIGN[err.code ?? ''];
  if (row !== undefined) return new AppError(row[0], row[1], { cause: err });
  if (err.code === 'ECONNREFUSED') return unavailable('A service that this one needs', err);
  if (err.code?.startsWith('HPE_')) return new AppError('invalid_request', PARSER_ERROR, { cause: err });
  if (err.statusCode !== undefined && err.statusCode < 500)
    return new AppError('invalid_request', 'The request cannot be handled as it stands.', { cause: err });
  return toAppError(err, { isRepeatable: REPEATABLE.has(method) });
}

function translateValidation(faults: readonly ValidationFault[], context: string, cause: Error): AppError {
  const issues: Issue[] = faults.map(fault => ({
    path: `${fault.instancePath}${missingMember(fault)}`,
    code: 'invalid_request',
    message: explainFault(fault),
  }));
  const [first] = issues;
  const place = context === 'querystring' ? 'query' : context;
  return new AppError(
    'invalid_request',
    `The ${place}${first?.path ? ` at ${first.path}` : ''} ${first?.message ?? 'has the wrong form'}.`,
    { issues, cause },
  );
}

function missingMember(fault: ValidationFault): string {
  const name =
    fault.keyword === 'required' ? fault.params?.missingProperty : fault.params?.additionalProperty;
  return typeof name === 'string' ? `/${name}` : '';
}

/** The contract's error body. Details come first, so that none can take the place of ours. */
export function errorBody(err: AppError, requestId: string): Record<string, unknown> {
  return {
    ...err.details,
    error: err.message,
    code: err.code,
    requestId,
    ...(err.issues === undefined ? {} : { issues: err.issues }),
  };
}
