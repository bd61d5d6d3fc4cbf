// Fetches client metadata documents, which identify clients by URL.
import type { OutboundResponse } from '../../lib/fetch.ts';
import { createLru } from '../../lib/lru.ts';
import { isRecord } from '../../lib/record.ts';
import type { Deps } from '../../services/deps.ts';
import { readMetadata } from './requests.ts';

const REQUEST = {
  headers: { accept: 'application/json' },
  timeoutMs: 5000,
  maxBytes: 5 * 1024,
  maxRedirects: 0,
} as const;
const HANDED_ON = ['cache-control', 'expires', 'content-type'];

const MAX_RECENT = 200;
const RECENT_MS = 5000;

interface Recent {
  readonly answer: Promise<OutboundResponse<Buffer>>;
  untilMs: number;
}

/**
 * Uses the guarded client: public hosts only, no redirects, 5 KB in 5 s. The library validates the document and asks
 * again for a refused one, so results are cached for five seconds.
 */
export function createDocumentFetch({
  fetch,
  now,
}: Pick<Deps, 'fetch' | 'now'>): (url: string | URL) => Promise<Response> {
  const recent = createLru<Recent>(MAX_RECENT);
  const ask = (address: string): Recent['answer'] => {
    const found = recent.get(address);
    if (found !== undefined && now() < found.untilMs) return found.answer;
    const answer = fetch.fetch(address, REQUEST);
    const asked = { answer, untilMs: Number.POSITIVE_INFINITY };
    const end = (): void => {
      asked.untilMs = now() + RECENT_MS;
    };
    answer.then(end, end);
    recent.set(address, asked, 1);
    return answer;
  };
  return async url => present(await ask(String(url)));
}

function present({ status, headers, body }: OutboundResponse<Buffer>): Response {
  const kept = HANDED_ON.flatMap(name =>
    headers[name] === undefined ? [] : [[name, headers[name]] as [string, string]],
  );
  if (status !== 200) return new Response(null, { status: status >= 200 && status < 600 ? status : 502 });
  const document: unknown = JSON.parse(body.toString('utf8'));
  const read = isRecord(document) ? readMetadata(document) : document;
  return new Response(JSON.stringify(read), { headers: kept });
}
