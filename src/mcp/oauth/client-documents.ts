// Fetches client metadata documents, which identify clients by URL.
import type { OutboundResponse } from '../../lib/fetch.ts';
import { createLru } from '../../lib/lru.ts';
import { isRecord } from '../../lib/record.ts';
import type { Deps } from '../../services/deps.ts';
import { parseMetadata } from './requests.ts';

const REQUEST = {
  headers: { accept: 'application/json' },
  timeoutMs: 5000,
  maxBytes: 5 * 1024,
  maxRedirects: 0,
} as const;
const FORWARDED_HEADERS = ['cache-control', 'expires', 'content-type'];

const MAX_CACHED = 200;
const CACHE_MS = 5000;

interface CachedDocument {
  readonly response: Promise<OutboundResponse<Buffer>>;
  expiresAtMs: number;
}

/**
 * Returns a fetch that uses the guarded client: public hosts only, no redirects, 5 KB in 5 s. The library validates the
 * document and requests a rejected document again, so results are cached for five seconds.
 */
export function createDocumentFetch({
  fetch,
  now,
}: Pick<Deps, 'fetch' | 'now'>): (url: string | URL) => Promise<Response> {
  const cache = createLru<CachedDocument>(MAX_CACHED);
  const fetchDocument = (address: string): CachedDocument['response'] => {
    const cached = cache.get(address);
    if (cached !== undefined && now() < cached.expiresAtMs) return cached.response;
    const response = fetch.fetch(address, REQUEST);
    const entry = { response, expiresAtMs: Number.POSITIVE_INFINITY };
    const startExpiry = (): void => {
      entry.expiresAtMs = now() + CACHE_MS;
    };
    response.then(startExpiry, startExpiry);
    cache.set(address, entry, 1);
    return response;
  };
  return async url => toWebResponse(await fetchDocument(String(url)));
}

function toWebResponse({ status, headers, body }: OutboundResponse<Buffer>): Response {
  const forwarded = FORWARDED_HEADERS.flatMap(name =>
    headers[name] === undefined ? [] : [[name, headers[name]] as [string, string]],
  );
  if (status !== 200) return new Response(null, { status: status >= 200 && status < 600 ? status : 502 });
  const document: unknown = JSON.parse(body.toString('utf8'));
  const metadata = isRecord(document) ? parseMetadata(document) : document;
  return new Response(JSON.stringify(metadata), { headers: forwarded });
}
