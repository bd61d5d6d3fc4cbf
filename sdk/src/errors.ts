// Everything the SDK throws: refusals of the service as classes by code, and failures on the way to it.
import type { ErrorIssue } from './schemas.ts';

/** One of several things wrong with a request; `path` is a JSON pointer into the body. */
export type Issue = ErrorIssue;

/** What all errors of this package are. */
export class GraphwrightError extends Error {
  override readonly name: string = 'GraphwrightError';
}

/** The service could not be reached, or its answer broke off. */
export class ConnectionError extends GraphwrightError {
  override readonly name: string = 'ConnectionError';
}

/** No answer came in time. */
export class TimeoutError extends ConnectionError {
  override readonly name = 'TimeoutError';
}

/** The answer is not one of this service: a wrong address, or a proxy's page. */
export class UnexpectedAnswerError extends GraphwrightError {
  override readonly name = 'UnexpectedAnswerError';
}

/** A webhook's body is not what the service signed, or it is too old. */
export class WebhookVerificationError extends GraphwrightError {
  override readonly name = 'WebhookVerificationError';
}

/** The service refused: `code` is one of its error table, `message` a sentence to act on. */
export class ApiError extends GraphwrightError {
  override readonly name: string = 'ApiError';
  readonly status: number;
  readonly code: string;
  readonly requestId: string | undefined;
  readonly issues: readonly Issue[];
  /** From the Retry-After header. */
  readonly retryAfterMs: number | undefined;
  /** The error body as it came. */
  readonly body: Readonly<Record<string, unknown>>;

  constructor({ status, headers, body }: Refusal) {
    super(typeof body.error === 'string' ? body.error : `The service answered ${status}.`);
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
/** The graph breaks rules: `issues` lists them. */
export class InvalidGraphError extends InvalidRequestError {
  override readonly name = 'InvalidGraphError';
}
export class AuthenticationError extends ApiError {
  override readonly name = 'AuthenticationError';
}
/** The run would cost more than there is, or than it may cost. */
export class InsufficientCreditsError extends ApiError {
  override readonly name = 'InsufficientCreditsError';

  get requiredCredits(): number | undefined {
    return numberOf(this.body.requiredCredits);
  }
  get availableCredits(): number | undefined {
    return numberOf(this.body.availableCredits);
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
/** Somebody else wrote first: read again, then write. */
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
/** The same idempotency key came with another body. */
export class IdempotencyKeyReusedError extends UnprocessableError {
  override readonly name = 'IdempotencyKeyReusedError';
}
/** Too many requests; `retryAfterMs` says when to come back. */
export class RateLimitError extends ApiError {
  override readonly name = 'RateLimitError';
}
/** Something failed on the service's side. */
export class ServerError extends ApiError {
  override readonly name = 'ServerError';
}

export interface Refusal {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A code that has a class of its own; all others go by their status. */
const BY_CODE: Readonly<Record<string, typeof ApiError>> = {
  invalid_graph: InvalidGraphError,
  stale_write: StaleWriteError,
  idempotency_key_reused: IdempotencyKeyReusedError,
};

const BY_STATUS: Readonly<Record<number, typeof ApiError>> = {
  400: InvalidRequestError,
  401: AuthenticationError,
  402: InsufficientCreditsError,
  403: ForbiddenError,
  404: NotFoundError,
  409: ConflictError,
  413: FileTooLargeError,
  415: UnsupportedTypeError,
  422: UnprocessableError,
  429: RateLimitError,
};

/** A refusal as the class of its code. */
export function toApiError(refusal: Refusal): ApiError {
  const byStatus = refusal.status >= 500 ? ServerError : (BY_STATUS[refusal.status] ?? ApiError);
  return new (BY_CODE[String(refusal.body.code)] ?? byStatus)(refusal);
}

/** Seconds or an HTTP date, as milliseconds from now. */
function parseRetryAfter(header: string | null): number | undefined {
  if (header === null) return undefined;
  const seconds = Number(header);
  const ms = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(header) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
