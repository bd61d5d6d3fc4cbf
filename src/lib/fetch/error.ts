// Defines why an outbound request failed, and whether the request may have reached a server.

/** Code → what the host did, as the end of a sentence. */
const FETCH_ERRORS = {
  bad_url: 'gave an address that cannot be requested',
  bad_header: 'cannot be sent such a request',
  blocked_address: 'is at an address that may not be reached from here',
  dns_failed: 'could not be found',
  connect_failed: 'could not be connected to',
  connection_lost: 'broke the connection off',
  timeout: 'took too long to answer',
  aborted: 'was no longer waited for',
  too_large: 'sent more than is accepted',
  too_many_redirects: 'redirected too many times',
  redirect_refused: 'redirected to a host that may not get what the request holds',
} as const;

export type FetchErrorCode = keyof typeof FETCH_ERRORS;

/** Codes of undici and the resolver that are more specific than a failed connection. */
const CODES: Readonly<Record<string, FetchErrorCode>> = {
  ENOTFOUND: 'dns_failed',
  EAI_AGAIN: 'dns_failed',
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  UND_ERR_BODY_TIMEOUT: 'timeout',
  UND_ERR_INVALID_ARG: 'bad_header',
};

/** The message names the host, never the path, query or headers. */
export class FetchError extends Error {
  override readonly name = 'FetchError';
  readonly code: FetchErrorCode;
  /** False only if no byte can have reached a server; then any request may be repeated. */
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

/** Formats the failure as a sentence, e.g. "example.com sent more than is accepted." */
export function fetchErrorFor(code: FetchErrorCode, host: string): FetchError {
  return new FetchError(code, `${host} ${FETCH_ERRORS[code]}.`);
}

/** Facts about an exchange when it failed. */
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
  const given = CODES[String((err as { readonly code?: unknown }).code)];
  const byTime = isAborted ? 'aborted' : isLate ? 'timeout' : undefined;
  const code = byTime ?? given ?? (maybeSent ? 'connection_lost' : 'connect_failed');
  return new FetchError(code, fetchErrorFor(code, host).message, { maybeSent, cause: err });
}
