// Defines the kinds of provider errors. Each protocol maps its provider's errors to these kinds.
import { cutText } from '../lib/cut-text.ts';
import { DISPLAY_NAMES, type ProviderName } from './names.ts';

/** Kind → sentence after the provider's name. The error code of the node is `provider_` plus the kind. */
const SENTENCES = {
  invalid_input: 'rejected the input',
  auth: 'rejected the API key of this service; ask the operator to check the key and its permissions',
  insufficient_funds: 'has no funds or quota left for this service; ask the operator to add some',
  rate_limited: 'is receiving too many requests; try again later',
  content_policy: 'rejected the content because of its policy',
  unavailable: 'is unavailable',
  failed: 'could not complete the task',
  timeout: 'took too long',
  cancelled: 'cancelled the task',
  lost: 'no longer has the task or its result',
  bad_output: 'returned an unusable result',
  outcome_unknown:
    'may have started the task, but the outcome is unknown; it is not retried automatically because it could be billed twice',
  not_configured: 'is not configured; add a key in the settings, or ask an administrator to add one',
} as const;

export type ProviderErrorKind = keyof typeof SENTENCES;

/** The sentences for named servers, which may be the operator's own. */
const SERVER_SENTENCES: Partial<Readonly<Record<ProviderErrorKind, string>>> = {
  auth: 'rejected the API key of this service; check the key of the server',
  insufficient_funds: 'has no funds or quota left',
  outcome_unknown:
    'may have started the task, but its response was lost; the task is not repeated automatically',
  not_configured: 'is not set up; add it in the settings, or choose another one',
};

/** The sentences for stored credentials, which their owner can repair. */
const CREDENTIAL_SENTENCES: Partial<Readonly<Record<ProviderErrorKind, (name: string) => string>>> = {
  auth: name => `cannot be called with the credential “${name}”; check the key and its permissions`,
  insufficient_funds: name => `has no funds or quota left for the credential “${name}”`,
};

export interface ProviderErrorOptions {
  /** The provider's own message, truncated. */
  readonly detail?: string | undefined;
  /** For `rate_limited`: when to try again. */
  readonly retryAfterMs?: number | undefined;
  /** The name of the stored credential that the provider rejected. */
  readonly credential?: string | undefined;
  /** The name of the server that the node chose. */
  readonly server?: string | undefined;
  /** For graphs: the place of the value or node that failed, as a JSON pointer into the graph. */
  readonly pointer?: string | undefined;
  /** For graphs: whether the server lacks a node type or a file that the graph names. */
  readonly isMissing?: boolean | undefined;
  readonly cause?: unknown;
}

/** A failed provider call. The message is meant for users. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError';
  readonly provider: ProviderName;
  readonly kind: ProviderErrorKind;
  readonly detail: string;
  readonly retryAfterMs: number | undefined;
  readonly pointer: string | undefined;
  readonly isMissing: boolean | undefined;

  constructor(provider: ProviderName, kind: ProviderErrorKind, options: ProviderErrorOptions = {}) {
    const detail = truncate(options.detail ?? '');
    const { credential, server } = options;
    const credentialSentence =
      credential === undefined ? undefined : CREDENTIAL_SENTENCES[kind]?.(credential);
    const sentence =
      server === undefined
        ? `${DISPLAY_NAMES[provider]} ${credentialSentence ?? SENTENCES[kind]}`
        : `The server “${server}” ${credentialSentence ?? SERVER_SENTENCES[kind] ?? SENTENCES[kind]}`;
    super(detail === '' ? `${sentence}.` : `${sentence}: ${detail}`, { cause: options.cause });
    this.provider = provider;
    this.kind = kind;
    this.detail = detail;
    this.retryAfterMs = options.retryAfterMs;
    this.pointer = options.pointer;
    this.isMissing = options.isMissing;
  }

  get code(): `provider_${ProviderErrorKind}` {
    return `provider_${this.kind}`;
  }
}

const MAX_DETAIL_LENGTH = 300;

function truncate(detail: string): string {
  const line = detail.replaceAll(/[\p{Cc}\s]+/gu, ' ').trim();
  return line.length > MAX_DETAIL_LENGTH ? `${cutText(line, MAX_DETAIL_LENGTH)}…` : line;
}

const KIND_BY_STATUS: Readonly<Record<number, ProviderErrorKind>> = {
  401: 'auth',
  402: 'insufficient_funds',
  403: 'auth',
  408: 'timeout',
  429: 'rate_limited',
  504: 'timeout',
};

/** Returns the kind of error for a status code. */
export function classifyStatus(status: number): ProviderErrorKind {
  return (
    KIND_BY_STATUS[status] ?? (status >= 500 ? 'unavailable' : status >= 400 ? 'invalid_input' : 'bad_output')
  );
}
