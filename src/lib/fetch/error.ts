// Defines the errors of outbound requests: why a request failed, and whether it may have reached a server.

/** What the host did, by error code: the end of a sentence that starts with the host's name. */
const FETCH_ERRORS = {
  bad_url: 'gave a URL that is not valid, or not http or https',
  bad_header: 'received a request with an invalid header',
  blocked_address: 'is at an address that this service may not reach',
  dns_failed: 'could not be found',
  connect_failed: 'could not be connected to',
  connection_lost: 'closed the connection',
  timeout: 'took too long to respond',
  aborted: 'was canceled',
  damaged_body: 'sent a body that cannot be decompressed',
  too_large: 'sent more data than is accepted',
  too_many_redirects: 'redirected too many times',
  redirect_refused: 'redirected to a host that may not receive the request',
} as const;

export type FetchErrorCode = keyof typeof FETCH_ERRORS;

/** Codes of undici and the resolver that are more specific than a failed connection. */
const CODES_BY_CAUSE: Readonly<Record<string, FetchErrorCode>> = {
  ENOTFOUND: 'dns_failed',
  EAI_AGAIN: 'dns_failed',
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  UND_ERR_BODY_TIMEOUT: 'timeout',
  UND_ERR_INVALID_ARG: 'bad_header',
};

/** The codes of errors of zlib. */
const DECOMPRESSION_ERROR = /^(?:Z_|ERR_BROTLI_|ZSTD_)/;

/** The message names the host, never the path, query or headers. */
export class FetchError extends Error {
  override readonly name = 'FetchError';
  readonly code: FetchErrorCode;
  /** False only if no byte can have reached a server; then any request may be retried. */
  readonly maybeSent: boolean;

  constructor(
    code: FetchErrorCode,
    message: string,
    options: { readonly maybeSent?: boolean; readonly cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.code = code;
    this.maybeSent = options.maybeSent ?? false;
  }
}

/** Formats the failure as a sentence, e.g. "example.com sent more data than is accepted." */
export function createFetchError(code: FetchErrorCode, host: string): FetchError {
  return new FetchError(code, `${host} ${FETCH_ERRORS[code]}.`);
}

/** The state of an exchange when it failed. */
export interface FailedExchange {
  readonly host: string;
  readonly maybeSent: boolean;
  /** Whether the exchange timed out. */
  readonly isLate: boolean;
  /** Whether the caller aborted. */
  readonly isAborted: boolean;
}

/** Converts any failure of an exchange to a FetchError that says whether the request may have been sent. */
export function toFetchError(
  err: unknown,
  { host, maybeSent, isLate, isAborted }: FailedExchange,
): FetchError {
  if (err instanceof FetchError) {
    return new FetchError(err.code, err.message, { maybeSent, cause: err.cause });
  }
  const cause = String((err as { readonly code?: unknown }).code);
  const knownCode = DECOMPRESSION_ERROR.test(cause) ? 'damaged_body' : CODES_BY_CAUSE[cause];
  const abortCode = isAborted ? 'aborted' : isLate ? 'timeout' : undefined;
  const code = abortCode ?? knownCode ?? (maybeSent ? 'connection_lost' : 'connect_failed');
  return new FetchError(code, createFetchError(code, host).message, { maybeSent, cause: err });
}
