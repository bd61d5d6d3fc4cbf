// Media records and their bytes, kept in step: the bytes first, then the row that makes them known.

import type { MediaRef } from '../graph/types.ts';
import { AppError } from '../lib/errors.ts';
import { isId, newId } from '../lib/ids.ts';
import type { MediaKind } from '../media/accepted-types.ts';
import { maxBytesAtDoor } from '../media/accepted-types.ts';
import { inspectImage } from '../media/images.ts';
import { identify } from '../media/sniff.ts';
import type { MediaRow } from '../store/media.ts';
import { findMedia, insertMedia } from '../store/media.ts';
import type { Deps } from './deps.ts';

export interface NewFile {
  readonly bytes: Uint8Array;
  readonly contentType: string;
  readonly name: string;
  readonly userId: number;
  readonly workspace: string;
  readonly origin: MediaRow['origin'];
  readonly executionId: string | null;
}

/** No node output is larger; a provider's video is the largest of them. */
const MAX_OUTPUT_BYTES = 1_073_741_824;

/** Stores a file whose type is known to be true, and makes it known. */
export async function storeMedia(deps: Deps, file: NewFile, signal: AbortSignal): Promise<MediaRef> {
  const id = newId('media');
  const stored = await deps.storage.put(id, file.bytes, {
    contentType: file.contentType,
    maxBytes: MAX_OUTPUT_BYTES,
    signal,
  });
  const size =
    file.contentType.startsWith('image/') && file.contentType !== 'image/svg+xml'
      ? await inspectImage(file.bytes, signal)
      : undefined;
  const row = {
    id,
    user_id: file.userId,
    workspace: file.workspace,
    name: safeName(file.name),
    content_type: file.contentType,
    bytes: stored.bytes,
    sha256: stored.sha256,
    width: size?.width ?? null,
    height: size?.height ?? null,
    duration: null,
    origin: file.origin,
    execution_id: file.executionId,
  };
  await insertMedia(deps.db, row);
  return toRef(deps, row);
}

/** A file name that stands in a URL as it is: nothing but letters, digits, dot, dash and underscore. */
function safeName(name: string): string {
  return (
    name
      .replaceAll(/[^A-Za-z0-9._-]+/g, '-')
      .replace(/^[.-]+/, '')
      .slice(-100) || 'file'
  );
}

export function toRef(deps: Deps, row: Omit<MediaRow, 'created_at'>): MediaRef {
  return {
    mediaId: row.id,
    url: `${deps.settings.CDN_URL}/${row.id}/${row.name}`,
    contentType: row.content_type,
    sha256: row.sha256,
    bytes: row.bytes,
    width: row.width,
    height: row.height,
    duration: row.duration,
  };
}

/** The bytes of a media. Throws `not_found`, or `file_too_large` past `maxBytes`. */
export async function readMedia(deps: Deps, ref: MediaRef, maxBytes: number): Promise<Buffer> {
  if (ref.bytes > maxBytes)
    throw new AppError(
      'file_too_large',
      `The file has ${ref.bytes} bytes; at most ${maxBytes} can be worked on here.`,
    );
  const { stream } = await deps.storage.read(ref.mediaId);
  return Buffer.concat(await Array.fromAsync(stream as AsyncIterable<Buffer>));
}

export interface MediaOwner {
  readonly userId: number;
  readonly workspace: string;
}

/**
 * The media that a node names: by id or by our own address it must belong to the run's workspace, any other address
 * is fetched and stored. Throws `not_found`, `unsupported_type`, or why the address could not be fetched.
 */
export async function resolveMedia(
  deps: Deps,
  owner: MediaOwner,
  source: { readonly mediaId?: string | undefined; readonly url?: string | undefined },
  kind: MediaKind,
  signal: AbortSignal,
): Promise<MediaRef> {
  const id = source.mediaId ?? ownMediaId(deps, source.url ?? '');
  const ref =
    id === undefined ? await rehost(deps, owner, source.url ?? '', signal) : await findOwn(deps, owner, id);
  if (!ref.contentType.startsWith(`${kind}/`))
    throw new AppError(
      'unsupported_type',
      `${ref.url} is ${ref.contentType}, not ${kind === 'video' ? 'a video' : `an ${kind}`}.`,
    );
  return ref;
}

async function findOwn(deps: Deps, owner: MediaOwner, id: string): Promise<MediaRef> {
  const row = isId('media', id) ? await findMedia(deps.db, id) : undefined;
  if (row === undefined || row.workspace !== owner.workspace)
    throw new AppError('not_found', `There is no media ${id} in this workspace.`);
  return toRef(deps, row);
}

function ownMediaId(deps: Deps, url: string): string | undefined {
  const prefix = `${deps.settings.CDN_URL}/`;
  return url.startsWith(prefix) ? url.slice(prefix.length).split('/', 1)[0] : undefined;
}

const REHOST_TIMEOUT_MS = 60_000;

async function rehost(deps: Deps, owner: MediaOwner, url: string, signal: AbortSignal): Promise<MediaRef> {
  const { status, body, headers } = await deps.fetch.fetch(url, {
    signal,
    timeoutMs: REHOST_TIMEOUT_MS,
    maxBytes: maxBytesAtDoor('url'),
  });
  if (status !== 200) throw new AppError('invalid_request', `The address answered with status ${status}.`);
  const type = await identify(body, headers['content-type']);
  const name = new URL(url).pathname.split('/').at(-1) ?? '';
  return storeMedia(
    deps,
    { bytes: body, contentType: type.contentType, name, ...owner, origin: 'upload', executionId: null },
    signal,
  );
}

/** What the CDN needs to serve a media; addresses are public and unguessable. Throws 404. */
export async function getMediaFacts(deps: Deps, id: string, name: string): Promise<MediaRow> {
  const row = isId('media', id) ? await findMedia(deps.db, id) : undefined;
  if (row === undefined || row.name !== name)
    throw new AppError('not_found', 'There is no media at this address.');
  return row;
}
