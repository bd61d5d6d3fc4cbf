// Media as the nodes of a run use them: results stored, and the files that a graph names found or fetched.
import type { MediaRef } from '../../graph/types.ts';
import { AppError } from '../../lib/errors.ts';
import { isId } from '../../lib/ids.ts';
import type { MediaKind } from '../../media/accepted-types.ts';
import type { Source } from '../../media/storage.ts';
import type { OutputFile } from '../../nodes/define.ts';
import type { MediaRow } from '../../store/media/media.ts';
import { findMedia, mayUseMedia } from '../../store/media/media.ts';
import type { Deps } from '../deps.ts';
import { mediaIdOf, toRef } from './media-record.ts';
import { keepFile, receiveFile } from './receive-file.ts';
import { receiveUrl } from './receive-url.ts';

/** The run that media are stored and looked up for. */
export interface MediaOwner {
  readonly userId: number;
  readonly workspace: string;
  /** null: it is stored for no run, as a preview. */
  readonly executionId: string | null;
}

/** No node output is larger; a provider's video is the largest of them. */
const MAX_OUTPUT_BYTES = 1_073_741_824;

/** Stores what a node made, and makes it known. Throws where the bytes are not what the type says. */
export async function storeMedia(
  deps: Deps,
  owner: MediaOwner,
  file: OutputFile & { readonly source: Source },
  signal: AbortSignal,
): Promise<MediaRef> {
  const { source, contentType: declared, name } = file;
  const incoming = { source, declared, name, maxBytes: () => MAX_OUTPUT_BYTES };
  const received = await receiveFile(deps, incoming, signal);
  const origin = owner.executionId === null ? 'preview' : 'output';
  return toRef(deps, await keepFile(deps, received, { ...owner, origin }, file));
}

/**
 * The media that a node names. One of the run's workspace, or of the user who started it, is taken as it is; what lies at
 * any other address is fetched and stored for the run. Throws `not_found`, `unsupported_type`, or why it could not be fetched.
 */
export async function resolveMedia(
  deps: Deps,
  owner: MediaOwner,
  source: { readonly mediaId?: string | undefined; readonly url?: string | undefined },
  kind: MediaKind,
  signal: AbortSignal,
): Promise<MediaRef> {
  const stored = await findStoredMedia(deps, owner, source, kind);
  return stored ?? requireKind(await fetchForRun(deps, owner, source.url ?? '', signal), kind);
}

/** The same of what is stored already; undefined where it would have to be fetched. */
export async function findStoredMedia(
  deps: Deps,
  owner: Omit<MediaOwner, 'executionId'>,
  { mediaId, url = '' }: Parameters<typeof resolveMedia>[2],
  kind: MediaKind,
): Promise<MediaRef | undefined> {
  const known = await findUsable(deps, owner, mediaId ?? mediaIdOf(deps, url));
  if (known !== undefined) return requireKind(toRef(deps, known), kind);
  if (mediaId === undefined) return undefined;
  throw new AppError('not_found', `There is no media ${mediaId.slice(0, 64)} in this workspace.`);
}

function requireKind(ref: MediaRef, kind: MediaKind): MediaRef {
  if (ref.contentType.startsWith(`${kind}/`)) return ref;
  const wanted = kind === 'video' ? 'a video' : `an ${kind}`;
  throw new AppError('unsupported_type', `${ref.url} is ${ref.contentType}, not ${wanted}.`);
}

async function findUsable(
  deps: Deps,
  owner: Omit<MediaOwner, 'executionId'>,
  id: string | undefined,
): Promise<MediaRow | undefined> {
  const row = id !== undefined && isId('media', id) ? await findMedia(deps.db, id) : undefined;
  if (row === undefined || row.workspace === owner.workspace) return row;
  return (await mayUseMedia(deps.db, row.id, owner.userId)) ? row : undefined;
}

async function fetchForRun(
  deps: Deps,
  owner: MediaOwner,
  url: string,
  signal: AbortSignal,
): Promise<MediaRef> {
  const received = await receiveUrl(deps, url, signal);
  return toRef(deps, await keepFile(deps, received, { ...owner, origin: 'input' }));
}
