// A media file as the CDN answers with it.
import type { Readable } from 'node:stream';
import type { MediaRequest } from '../media/serve.ts';
import { answerMedia } from '../media/serve.ts';
import type { Deps } from './deps.ts';
import { getMediaFacts } from './media.ts';

export interface OpenedMedia {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** undefined: an answer without a body, or to HEAD. */
  readonly stream: Readable | undefined;
}

/** Throws 404 where there is no such media, or its address names another file. */
export async function openMedia(
  deps: Deps,
  address: { readonly mediaId: string; readonly name: string },
  request: MediaRequest,
): Promise<OpenedMedia> {
  const row = await getMediaFacts(deps, address.mediaId, address.name);
  const { status, headers, range } = answerMedia(request, {
    name: row.name,
    contentType: row.content_type,
    bytes: row.bytes,
    sha256: row.sha256,
    createdAt: row.created_at,
  });
  const hasBody = request.method === 'GET' && (status === 200 || status === 206);
  return { status, headers, stream: hasBody ? (await deps.storage.read(row.id, range)).stream : undefined };
}
