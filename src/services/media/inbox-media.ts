// Opens the inbox of a trigger, and adds its files to the media library.
import { join } from 'node:path';
import { getMaxBytes } from '../../media/accepted-types.ts';
import { type Inbox, type InboxFile, openBucketInbox, openFolderInbox } from '../../media/inbox.ts';
import type { Deps } from '../deps.ts';
import { getMediaUrl } from './media-record.ts';
import { type FileOwner, receiveFile, recordFile } from './receive-file.ts';

const INBOX_FOLDER = 'inbox';

/** Returns the default prefix of a trigger's files in the bucket. */
export const toInboxPrefix = (triggerId: string): string => `${INBOX_FOLDER}/${triggerId}/`;

export function openInbox(
  { bucket, providerFetch, settings }: Deps,
  triggerId: string,
  prefix: string,
): Inbox {
  return bucket === undefined
    ? openFolderInbox(join(settings.DATA_DIR, INBOX_FOLDER, triggerId))
    : openBucketInbox(bucket, providerFetch, prefix);
}

/** A file of the inbox as a run receives it. */
export interface ReceivedInboxFile {
  readonly key: string;
  readonly url: string;
  readonly sizeBytes: number;
  readonly contentType: string;
}

/** Copies a file of the inbox to the owner's media. Throws the errors of an upload. */
export async function receiveInboxFile(
  deps: Deps,
  inbox: Inbox,
  { key }: InboxFile,
  owner: Omit<FileOwner, 'origin' | 'executionId'>,
  signal: AbortSignal,
): Promise<ReceivedInboxFile> {
  const source = await inbox.open(key, signal);
  const name = key.split('/').at(-1) ?? key;
  const file = await receiveFile(
    deps,
    { source, declaredContentType: undefined, name, maxBytes: type => getMaxBytes('multipart', type) },
    signal,
  );
  const row = await recordFile(deps, file, { ...owner, origin: 'upload', executionId: null });
  return { key, url: getMediaUrl(deps, row), sizeBytes: row.bytes, contentType: row.content_type };
}
