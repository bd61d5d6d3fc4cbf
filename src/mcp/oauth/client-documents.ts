// Clients that are named by the address of a document about them: how that document is fetched.
import { isRecord } from '../../lib/record.ts';
import type { Deps } from '../../services/deps.ts';
import { readMetadata } from './requests.ts';

const MAX_BYTES = 5 * 1024;
const TIMEOUT_MS = 5000;
const HANDED_ON = ['cache-control', 'expires', 'content-type'];

/** Through the guarded client: public hosts alone, no redirect, 5 KB in 5 s. The library checks what the document says. */
export function createDocumentFetch({
  fetch,
}: Pick<Deps, 'fetch'>): (url: string | URL) => Promise<Response> {
  return async url => {
    const { status, headers, body } = await fetch.fetch(String(url), {
      headers: { accept: 'application/json' },
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_BYTES,
      maxRedirects: 0,
    });
    const kept = HANDED_ON.flatMap(name =>
      headers[name] === undefined ? [] : [[name, headers[name]] as [string, string]],
    );
    if (status !== 200) return new Response(null, { status: status >= 200 && status < 600 ? status : 502 });
    const document: unknown = JSON.parse(body.toString('utf8'));
    const read = isRecord(document) ? readMetadata(document) : document;
    return new Response(JSON.stringify(read), { headers: kept });
  };
}
