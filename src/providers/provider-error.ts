// Why a call at a provider failed: one table of kinds, so that every provider's own errors mean the same to a run.
import { DISPLAY_NAMES, type ProviderName } from './names.ts';

/** Kind → what happened, after the provider's name. The code of the node's failure is `provider_` and the kind. */
const KINDS = {
  invalid_input: 'refused the input',
  auth: 'did not accept the key of this service for this; the operator must check the key and what it may do',
  insufficient_funds: 'has no funds or quota left for this service; the operator must add some',
  rate_limited: 'is asked too much at the moment; try again later',
  content_policy: 'refused the content',
  unavailable: 'could not do the work',
  failed: 'failed at the work',
  timeout: 'took too long',
  cancelled: 'was asked to stop, or stopped by itself',
  lost: 'no longer knows the work or has deleted its result',
  bad_output: 'sent a result that cannot be used',
  outcome_unknown:
    'may have begun the work, but it is not known; it is not asked again by itself, since that could cost twice',
  not_configured: 'is not configured in this service',
} as const;

export type ProviderErrorKind = keyof typeof KINDS;

export interface ProviderErrorOptions {
  /** The provider's own words; shortened. */
  readonly detail?: string | undefined;
  /** For `rate_limited`: when to ask again. */
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

/** The message is meant for people. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError';
  readonly provider: ProviderName;
  readonly kind: ProviderErrorKind;
  readonly retryAfterMs: number | undefined;

  constructor(provider: ProviderName, kind: ProviderErrorKind, options: ProviderErrorOptions = {}) {
    const detail = shorten(options.detail ?? '');
    const sentence = `${DISPLAY_NAMES[provider]} ${KINDS[kind]}`;
    super(detail === '' ? `${sentence}.` : `${sentence}: ${detail}`, { cause: options.cause });
    this.provider = provider;
    this.kind = kind;
    this.retryAfterMs = options.retryAfterMs;
  }

  get code(): `provider_${ProviderErrorKind}` {
    return `provider_${this.kind}`;
  }
}

const MAX_DETAIL_LENGTH = 300;

function shorten(detail: string): string {
  const line = detail.replaceAll(/[\p{Cc}\s]+/gu, ' ').trim();
  return line.length > MAX_DETAIL_LENGTH ? `${line.slice(0, MAX_DETAIL_LENGTH)}…` : line;
}

const BY_STATUS: Readonly<Record<number, ProviderErrorKind>> = {
  401: 'auth',
  402: 'insufficient_funds',
  403: 'auth',
  408: 'timeout',
  429: 'rate_limited',
  504: 'timeout',
};

/** The kind that a status alone suggests. */
export function kindOfStatus(status: number): ProviderErrorKind {
  return (
    BY_STATUS[status] ?? (status >= 500 ? 'unavailable' : status >= 400 ? 'invalid_input' : 'bad_output')
  );
}
