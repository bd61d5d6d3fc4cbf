// Lists and reads the files in an inbox: objects below a prefix of the bucket, or files of a folder.
import { constants, createReadStream } from 'node:fs';
import { lstat, mkdir, opendir, open as openFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { SaxesParser } from 'saxes';
import type { GuardedFetch } from '../lib/fetch.ts';
import { type Bucket, sendBucketRequest, toObjectUrl } from './s3.ts';
import type { ByteSource } from './storage.ts';

export interface InboxFile {
  readonly key: string;
  /** A different value for each version of the content. */
  readonly etag: string;
  readonly sizeBytes: number;
}

export interface Listing {
  readonly files: readonly InboxFile[];
  /** Whether there are more files than are listed. */
  readonly isTruncated: boolean;
}

export interface Inbox {
  list(signal: AbortSignal): Promise<Listing>;
  open(key: string, signal: AbortSignal): Promise<ByteSource>;
}

const MAX_FILES = 10_000;
const PAGE_FILES = 1000;
// Twice as many as the files need, because a page may consist of folder entries.
const MAX_PAGES = 2 * (MAX_FILES / PAGE_FILES);
const MAX_PAGE_BYTES = 8_000_000;
const TIMEOUT_MS = 60_000;
const READ_TIMEOUT_MS = 600_000;

/** Opens the objects below a prefix of the bucket. */
export function openBucketInbox(bucket: Bucket, client: GuardedFetch, prefix: string): Inbox {
  const get = async (
    url: string,
    limits: { readonly signal: AbortSignal; readonly timeoutMs: number; readonly maxBytes?: number },
  ) => (await sendBucketRequest(bucket, client, url, { method: 'GET', ...limits })).body;
  // The URL of a bucket ends with a slash only if it is an origin.
  const bucketUrl = toObjectUrl(bucket, '').replace(bucket.forcePathStyle ? /\/$/ : '', '');
  return {
    async list(signal) {
      const files: InboxFile[] = [];
      let token: string | undefined;
      let pages = 0;
      do {
        const query = new URLSearchParams({ 'list-type': '2', 'max-keys': String(PAGE_FILES), prefix });
        if (token !== undefined) query.set('continuation-token', token);
        const url = `${bucketUrl}?${query.toString().replaceAll('+', '%20')}`;
        const body = await get(url, { signal, timeoutMs: TIMEOUT_MS, maxBytes: MAX_PAGE_BYTES });
        const page = await parseListing(body);
        files.push(...page.files);
        token = page.nextToken;
        pages++;
      } while (token !== undefined && files.length < MAX_FILES && pages < MAX_PAGES);
      return { files, isTruncated: token !== undefined };
    },
    open: (key, signal) =>
      get(toObjectUrl(bucket, key.split('/').map(encodeURIComponent).join('/')), {
        signal,
        timeoutMs: READ_TIMEOUT_MS,
      }),
  };
}

/** Parses a response to ListObjectsV2 while it arrives. */
async function parseListing(
  body: AsyncIterable<Uint8Array>,
): Promise<{ readonly files: readonly InboxFile[]; readonly nextToken: string | undefined }> {
  const parser = new SaxesParser({ position: false });
  const decoder = new TextDecoder();
  const files: InboxFile[] = [];
  let nextToken: string | undefined;
  let fields: Record<string, string> | undefined;
  let text = '';
  parser.on('error', err => {
    throw new Error(`The bucket sent a list that is not XML: ${err.message}`);
  });
  parser.on('opentag', ({ name }) => {
    text = '';
    if (name === 'Contents') fields = {};
  });
  parser.on('text', part => {
    text += part;
  });
  parser.on('closetag', ({ name }) => {
    if (name === 'NextContinuationToken') nextToken = text;
    else if (name === 'Contents' && fields !== undefined) {
      const { Key: key = '', ETag: etag = '', Size: size = '' } = fields;
      // A key that ends with a slash is a folder entry.
      if (key !== '' && !key.endsWith('/')) files.push({ key, etag, sizeBytes: Number(size) });
      fields = undefined;
    } else if (fields !== undefined) fields[name] = text;
  });
  for await (const chunk of body) parser.write(decoder.decode(chunk, { stream: true }));
  parser.close();
  return { files, nextToken };
}

/** Opens the regular files below a folder, which is created if needed. Links are ignored. */
export function openFolderInbox(folder: string): Inbox {
  return {
    async list(signal) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const files: InboxFile[] = [];
      for await (const entry of await opendir(folder, { recursive: true })) {
        signal.throwIfAborted();
        if (!entry.isFile()) continue;
        if (files.length >= MAX_FILES) return { files, isTruncated: true };
        const path = join(entry.parentPath, entry.name);
        const info = await lstat(path).catch(() => undefined);
        if (info?.isFile() !== true) continue;
        const key = relative(folder, path).replaceAll(sep, '/');
        files.push({ key, etag: `${info.ino}-${info.mtimeMs}`, sizeBytes: info.size });
      }
      return { files, isTruncated: false };
    },
    async open(key, signal) {
      const handle = await openFile(join(folder, key), constants.O_RDONLY | constants.O_NOFOLLOW);
      return createReadStream('', { fd: handle, signal });
    },
  };
}
