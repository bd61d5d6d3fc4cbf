// Stores the results of nodes as media, and finds or fetches the files that a graph refers to.
import type { MediaRef } from '../../graph/types.ts';
import type { MediaKind } from '../../media/accepted-types.ts';
import type { ByteSource } from '../../media/storage.ts';
import type { OutputFile } from '../../nodes/define.ts';
import type { Deps } from '../deps.ts';
import { toMediaRef } from './media-record.ts';
import { receiveFile, recordFile } from './receive-file.ts';
import { receiveUrl } from './receive-url.ts';
import { findStoredMedia, type MediaOwner, type MediaSource, requireKind } from './stored-media.ts';

/** The largest possible node output: a provider's video. */
const MAX_OUTPUT_BYTES = 1_073_741_824;

/** Stores and records a node's output. Throws if the bytes do not match the type. */
export async function storeMedia(
  deps: Deps,
  owner: MediaOwner,
  file: OutputFile & { readonly source: ByteSource },
  signal: AbortSignal,
): Promise<MediaRef> {
  const { source, contentType: declaredContentType, name, posterId, seed = owner.seed } = file;
  const incoming = { source, declaredContentType, name, maxBytes: () => MAX_OUTPUT_BYTES };
  const received = await receiveFile(deps, incoming, signal);
  const origin = owner.executionId === null ? 'preview' : 'output';
  return toMediaRef(deps, await recordFile(deps, received, { ...owner, origin, posterId, seed }, file));
}

/**
 * Returns the media that a node refers to: stored media of the run's workspace or of the user who started the run, or
 * else the file at the URL, which is fetched and stored for the run. Throws `not_found`, `unsupported_type`, or the
 * reason why the URL could not be fetched.
 */
export async function resolveMedia(
  deps: Deps,
  owner: MediaOwner,
  source: MediaSource,
  kind: MediaKind,
  signal: AbortSignal,
): Promise<MediaRef> {
  const storedMedia = await findStoredMedia(deps, owner, source, kind);
  return storedMedia ?? requireKind(await fetchForRun(deps, owner, source.url ?? '', signal), kind);
}

async function fetchForRun(
  deps: Deps,
  owner: MediaOwner,
  url: string,
  signal: AbortSignal,
): Promise<MediaRef> {
  const received = await receiveUrl(deps, url, signal);
  return toMediaRef(
    deps,
    await recordFile(deps, received, {
      ...owner,
      prompt: undefined,
      nodeType: undefined,
      seed: undefined,
      origin: 'input',
    }),
  );
}
