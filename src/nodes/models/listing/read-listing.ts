// Reads the model list of a provider, within limits of size and time.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Backoff, computeBackoff } from '../../../lib/backoff.ts';
import type { Endpoint } from '../../../providers/provider.ts';
import { parseRetryAfter } from '../../../providers/response.ts';
import { listFal } from './fal.ts';
import {
  type ListedModel,
  type ListingHost,
  type ListingProvider,
  type ListingQuery,
  type ListingReader,
  ListingRejectedError,
} from './listing.ts';
import { listReplicate } from './replicate.ts';
import { listComfyUi, listOpenAi } from './self-hosted.ts';

const READERS: Readonly<Record<ListingProvider, ListingReader>> = {
  fal: listFal,
  replicate: listReplicate,
  openai: listOpenAi,
  comfyui: listComfyUi,
};

/** The part of the guarded client that is used here. */
export type Fetch = (
  url: string,
  request: {
    readonly method: 'GET';
    readonly headers: Readonly<Record<string, string>>;
    readonly signal: AbortSignal;
    readonly timeoutMs: number;
    readonly maxBytes: number;
  },
) => Promise<ListingResponse>;

interface ListingResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export interface ListingDeps {
  readonly endpoint: Endpoint;
  readonly fetch: Fetch;
  readonly date: string;
  readonly signal: AbortSignal;
}

const TIMEOUT_MS = 60_000;
const MAX_BYTES = 33_554_432;
const RETRYABLE_STATUSES: ReadonlySet<number> = new Set([429, 502, 503, 504]);
const MAX_RETRIES = 4;
const BACKOFF: Backoff = { firstMs: 1000, maxMs: 15_000, factor: 2, jitter: [-0.2, 0] };
const MAX_WAIT_MS = 60_000;
const MAX_DETAIL = 200;

/** Reads the list. Throws an error with a sentence if the provider does not return a list. */
export async function readListing(
  provider: ListingProvider,
  query: ListingQuery,
  { endpoint, fetch, date, signal }: ListingDeps,
): Promise<readonly ListedModel[]> {
  const fetchJson: ListingHost['fetchJson'] = async (url, headers) => {
    const { status, body } = await fetchWithRetries(
      () => fetch(url, { method: 'GET', headers, signal, timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES }),
      signal,
    );
    // A model that was requested by name and does not exist is part of the result.
    if (status === 404) return {};
    if (status !== 200) throw createRejectedError(provider, status, body);
    try {
      return JSON.parse(body.toString('utf8'));
    } catch (err) {
      throw new Error(`${provider} returned a response that is not JSON (${body.length} bytes).`, {
        cause: err,
      });
    }
  };
  return READERS[provider](query, { endpoint, fetchJson, date });
}

/** Retries a few times if the provider is busy, after the delay that it requests or with increasing delays. */
async function fetchWithRetries(
  send: () => Promise<ListingResponse>,
  signal: AbortSignal,
): Promise<ListingResponse> {
  for (let retries = 0; ; retries++) {
    const response = await send();
    if (!RETRYABLE_STATUSES.has(response.status) || retries === MAX_RETRIES) return response;
    const waitMs = Math.min(parseRetryAfter(response) ?? computeBackoff(BACKOFF, retries), MAX_WAIT_MS);
    await sleep(waitMs, undefined, { signal });
  }
}

function createRejectedError(provider: ListingProvider, status: number, body: Buffer): ListingRejectedError {
  const detail = body.subarray(0, 4096).toString('utf8');
  const message = detail
    .replace(/[\s<>\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, MAX_DETAIL);
  const advice =
    status === 401 || status === 403
      ? 'check its key'
      : status === 429
        ? 'it is rate limiting requests; try again in a few minutes'
        : status >= 500
          ? 'it is not available; try again later'
          : message === ''
            ? 'it gave no reason'
            : `its message: ${message}`;
  return new ListingRejectedError(`${provider} responded with status ${status}; ${advice}.`, status, detail);
}
