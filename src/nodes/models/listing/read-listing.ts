// The listing of any provider that has one: whichever it is, bounded in size and time.
import type { Providers } from '../providers.ts';
import { listFal } from './fal.ts';
import type { ListedModel, ListingHost, ListingProvider, ListingQuery, ListingReader } from './listing.ts';
import { listReplicate } from './replicate.ts';
import { listComfyUi, listOpenAi } from './servers.ts';

const READERS: Readonly<Record<ListingProvider, ListingReader>> = {
  fal: listFal,
  replicate: listReplicate,
  openai: listOpenAi,
  comfyui: listComfyUi,
};

/** The guarded client, as far as it is used here. */
export type Fetch = (
  url: string,
  request: {
    readonly headers: Readonly<Record<string, string>>;
    readonly signal: AbortSignal;
    readonly timeoutMs: number;
    readonly maxBytes: number;
  },
) => Promise<{ readonly status: number; readonly body: Buffer }>;

export interface ListingDeps {
  readonly providers: Providers;
  readonly fetch: Fetch;
  readonly date: string;
  readonly signal: AbortSignal;
}

const TIMEOUT_MS = 60_000;
const MAX_BYTES = 33_554_432;

/** Throws, in a sentence, where the provider is not configured or does not answer with a list. */
export async function readListing(
  provider: ListingProvider,
  query: ListingQuery,
  { providers, fetch, date, signal }: ListingDeps,
): Promise<readonly ListedModel[]> {
  const endpoint = providers[provider];
  if (endpoint === undefined) throw new Error(`${provider} is not configured: set its key, or its address.`);
  const fetchJson: ListingHost['fetchJson'] = async (url, headers) => {
    const { status, body } = await fetch(url, {
      headers,
      signal,
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_BYTES,
    });
    // One that is asked for by name and is not there is a part of the answer.
    if (status === 404) return {};
    if (status !== 200) throw new Error(`${provider} answered with status ${status}; check its key.`);
    try {
      return JSON.parse(body.toString('utf8'));
    } catch (err) {
      throw new Error(`${provider} answered with something that is no JSON (${body.length} bytes).`, {
        cause: err,
      });
    }
  };
  return READERS[provider](query, { endpoint, fetchJson, date });
}
