// Defines the errors that the SDK throws: errors of the API by code, and failures of the connection.
import type { ErrorIssue } from './schemas.ts';

/** A problem of a request. `path` is a JSON pointer into the body. */
export type Issue = ErrorIssue;

/** The base class of all errors of this package. */
export class GraphwrightError extends Error {
  override readonly name: string = 'GraphwrightError';
}

/** The service could not be reached, or the connection was lost during the response. */
export class ConnectionError extends GraphwrightError {
  override readonly name: string = 'ConnectionError';
}

/** No response arrived in time. */
export class TimeoutError extends ConnectionError {
  override readonly name = 'TimeoutError';
}

/** The response does not come from the service. The URL may be wrong, or a proxy may have sent a page. */
export class UnexpectedResponseError extends GraphwrightError {
  override readonly name = 'UnexpectedResponseError';
}

/** The signature of a webhook is invalid, or its timestamp is outside the tolerance. */
export class WebhookVerificationError extends GraphwrightError {
  override readonly name = 'WebhookVerificationError';
}

/** The service refused the request. `code` is one of the error codes of the API; `message` says what to do. */
export class ApiError extends GraphwrightError {
  override readonly name: string = 'ApiError';
  readonly status: number;
  readonly code: string;
  readonly requestId: string | undefined;
  readonly issues: readonly Issue[];
  /** The time to wait before a retry, from the Retry-After header. */
  readonly retryAfterMs: number | undefined;
  /** The body of the response. */
  readonly body: Readonly<Record<string, unknown>>;

  constructor({ status, headers, body }: ErrorResponse) {
    super(typeof body.error === 'string' ? body.error : `The service responded with status ${status}.`);
    this.status = status;
    this.code = typeof body.code === 'string' ? body.code : 'unknown';
    this.requestId = headers.get('x-request-id') ?? undefined;
    this.issues = Array.isArray(body.issues) ? (body.issues as Issue[]) : [];
    this.retryAfterMs = parseRetryAfter(headers.get('retry-after'));
    this.body = body;
  }
}

export class InvalidRequestError extends ApiError {
  override readonly name: string = 'InvalidRequestError';
}
/** The graph is invalid. `issues` lists the problems. */
export class InvalidGraphError extends InvalidRequestError {
  override readonly name = 'InvalidGraphError';
}
export class AuthenticationError extends ApiError {
  override readonly name = 'AuthenticationError';
}
/** The run would cost more than the available credits, or more than a limit. */
export class InsufficientCreditsError extends ApiError {
  override readonly name = 'InsufficientCreditsError';

  get requiredCredits(): number | undefined {
    return toNumber(this.body.requiredCredits);
  }
  get availableCredits(): number | undefined {
    return toNumber(this.body.availableCredits);
  }
}
export class ForbiddenError extends ApiError {
  override readonly name = 'ForbiddenError';
}
export class NotFoundError extends ApiError {
  override readonly name = 'NotFoundError';
}
export class ConflictError extends ApiError {
  override readonly name: string = 'ConflictError';
}
/** The resource has changed since it was read. Read it again, then repeat the change. */
export class StaleWriteError extends ConflictError {
  override readonly name = 'StaleWriteError';
}
export class FileTooLargeError extends ApiError {
  override readonly name = 'FileTooLargeError';
}
export class UnsupportedTypeError extends ApiError {
  override readonly name = 'UnsupportedTypeError';
}
export class UnprocessableError extends ApiError {
  override readonly name: string = 'UnprocessableError';
}
/** The idempotency key was already used with another body. */
export class IdempotencyKeyReusedError extends UnprocessableError {
  override readonly name = 'IdempotencyKeyReusedError';
}
/** Too many requests. Retry after `retryAfterMs`. */
export class RateLimitError extends ApiError {
  override readonly name = 'RateLimitError';
}
/** The service failed. */
export class ServerError extends ApiError {
  override readonly name = 'ServerError';
}

export interface ErrorResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Codes with their own class. All other codes map to a class by status. */
const BY_CODE: Readonly<Record<string, typeof ApiError>> = {
  invalid_graph: InvalidGraphError,
  stale_write: StaleWriteError,
  idempotency_key_reused: IdempotencyKeyReusedError,
  file_too_large: FileTooLargeError,
};

const BY_STATUS: Readonly<Record<number, typeof ApiError>> = {
  400: InvalidRequestError,
  401: AuthenticationError,
  402: InsufficientCreditsError,
  403: ForbiddenError,
  404: NotFoundError,
  409: ConflictError,
  415: UnsupportedTypeError,
  422: UnprocessableError,
  429: RateLimitError,
};

/** Creates the error of a refused request. */
export function createApiError(response: ErrorResponse): ApiError {
  const byStatus = response.status >= 500 ? ServerError : (BY_STATUS[response.status] ?? ApiError);
  return new (BY_CODE[String(response.body.code)] ?? byStatus)(response);
}

/** Converts seconds or an HTTP date to milliseconds from now. */
function parseRetryAfter(header: string | null): number | undefined {
  if (header === null) return undefined;
  const seconds = Number(header);
  const ms = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(header) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}

function toNumber(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
