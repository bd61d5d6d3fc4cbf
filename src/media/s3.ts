// Stores media in an S3-compatible bucket. Signs requests with aws4fetch and sends them with the guarded client, which
// trusts the origin of the bucket.
import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { AwsV4Signer } from 'aws4fetch';
import { sha256Hex } from '../lib/crypto.ts';
import { AppError } from '../lib/errors.ts';
import type { GuardedFetch, OutboundRequest, OutboundResponse } from '../lib/fetch.ts';
import { SettingsError } from '../lib/settings.ts';
import { getWork } from '../lib/work.ts';
import { BucketError } from './bucket-error.ts';
import { MEDIA_CACHE_CONTROL, type SigningKey } from './presign.ts';
import { createTooLargeError, openSpool, writeSpoolFile } from './spool.ts';
import {
  type ByteRange,
  type ByteSource,
  type MediaStorage,
  type OpenedFile,
  type PutOptions,
  requireValidKey,
  type StoredFile,
} from './storage.ts';

export interface Bucket {
  readonly name: string;
  /** Default: Amazon's endpoint in the key's region. */
  readonly endpoint: string | undefined;
  readonly forcePathStyle: boolean;
  readonly signingKey: SigningKey;
}

const TRANSFER_TIMEOUT_MS = 3_600_000;
const MAX_RESPONSE_CHARS = 65_536;
const MAX_TRIES = 3;
// All tries take about 30 s, like the retries of a database connection.
const MAX_ACCEPTED_TRIES = 9;
const FIRST_DELAY_MS = 100;
const LAST_DELAY_MS = 5000;
const EMPTY_SHA256 = sha256Hex('');

/** Returns the origin of the bucket, which the guarded client must trust. */
export function getBucketOrigin(bucket: Bucket): string {
  return new URL(toObjectUrl(bucket, '')).origin;
}

/** Returns the URL of a media key's object, which `presignPut` can sign. */
export function getObjectUrl(bucket: Bucket, key: string): string {
  return toObjectUrl(bucket, requireValidKey(key));
}

/** Opens the bucket. Writes streams to the spool folder first, because a bucket needs length and hash in advance. */
export async function openS3Storage(
  bucket: Bucket,
  client: GuardedFetch,
  spoolFolder: string,
): Promise<MediaStorage> {
  await openSpool(spoolFolder);
  return new S3Storage(bucket, createSender(bucket, client), spoolFolder);
}

class S3Storage implements MediaStorage {
  readonly #bucket: Bucket;
  readonly #send: Send;
  readonly #spoolFolder: string;

  constructor(bucket: Bucket, send: Send, spoolFolder: string) {
    this.#bucket = bucket;
    this.#send = send;
    this.#spoolFolder = spoolFolder;
  }

  async put(key: string, source: ByteSource, options: PutOptions): Promise<StoredFile> {
    if (!(source instanceof Uint8Array)) return await this.#putStream(requireValidKey(key), source, options);
    if (source.length > options.maxBytes) throw createTooLargeError(options.maxBytes);
    const storedFile = { bytes: source.length, sha256: sha256Hex(source) };
    return await this.#putObject(key, storedFile, () => source, options);
  }

  async read(key: string, range?: ByteRange): Promise<OpenedFile> {
    const rangeText = range === undefined ? undefined : `${range.start}-${range.end}`;
    const headers: Record<string, string> = rangeText === undefined ? {} : { range: `bytes=${rangeText}` };
    const response = await this.#send(key, { method: 'GET', headers }).catch(throwNotFound);
    if (
      rangeText !== undefined &&
      response.headers['content-range']?.startsWith(`bytes ${rangeText}/`) !== true
    ) {
      throw new Error(`The bucket sent other bytes than the requested range ${rangeText}.`);
    }
    return { bytes: Number(response.headers['content-length']), stream: Readable.from(response.body) };
  }

  async stat(key: string): Promise<{ readonly bytes: number } | undefined> {
    const response = await this.#send(key, { method: 'HEAD' }).catch(ignoreAbsent);
    return response === undefined ? undefined : { bytes: Number(response.headers['content-length']) };
  }

  async move(from: string, to: string): Promise<void> {
    await this.copy(from, to);
    await this.#send(from, { method: 'DELETE' });
  }

  async copy(from: string, to: string, signal?: AbortSignal): Promise<void> {
    const headers = { 'x-amz-copy-source': `/${this.#bucket.name}/${requireValidKey(from)}` };
    await this.#send(to, { method: 'PUT', headers, signal }).catch(throwNotFound);
  }

  async remove(key: string): Promise<void> {
    await this.#send(key, { method: 'DELETE' }).catch(ignoreAbsent);
  }

  async #putObject(
    key: string,
    storedFile: StoredFile,
    body: () => Body,
    options: PutOptions,
  ): Promise<StoredFile> {
    const headers = { 'content-type': options.contentType, 'cache-control': MEDIA_CACHE_CONTROL };
    await this.#send(key, {
      method: 'PUT',
      headers,
      body,
      sha256: storedFile.sha256,
      signal: options.signal,
    });
    return storedFile;
  }

  async #putStream(key: string, source: ByteSource, options: PutOptions): Promise<StoredFile> {
    const path = join(this.#spoolFolder, randomUUID());
    try {
      const storedFile = await writeSpoolFile(path, source, options);
      const body = (): Body => ({ stream: createReadStream(path), bytes: storedFile.bytes });
      return await this.#putObject(key, storedFile, body, options);
    } finally {
      await rm(path, { force: true });
    }
  }
}

type Body = NonNullable<OutboundRequest['body']>;
type S3Response = OutboundResponse<AsyncIterable<Uint8Array>>;

interface S3Request {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'DELETE';
  readonly headers?: Readonly<Record<string, string>>;
  /** Called again for each retry. */
  readonly body?: () => Body;
  readonly sha256?: string;
  readonly signal?: AbortSignal | undefined;
  /** Default: an hour. */
  readonly timeoutMs?: number;
  /** The maximum size of the response. Default: no limit. */
  readonly maxBytes?: number;
}

type Send = (key: string, request: S3Request) => Promise<S3Response>;

/** Returns a function that signs and sends requests, and retries if the bucket failed. */
function createSender(bucket: Bucket, client: GuardedFetch): Send {
  return async (key, request) => {
    const url = getObjectUrl(bucket, key);
    for (let tries = 1; ; tries++) {
      const outcome = await sendBucketRequest(bucket, client, url, request).catch((err: Error) => err);
      if (!(outcome instanceof Error)) return outcome;
      const isFinal = outcome instanceof BucketError && outcome.status < 500 && outcome.status !== 429;
      // Accepted work must survive a restart of the bucket, while a request needs a quick response.
      const maxTries = getWork().isAccepted ? MAX_ACCEPTED_TRIES : MAX_TRIES;
      if (isFinal && (outcome.isPermanent || outcome.status === 403)) throw createRejectedError(outcome);
      if (isFinal || tries >= maxTries || request.signal?.aborted === true) throw outcome;
      await delay(Math.min(FIRST_DELAY_MS * 4 ** (tries - 1), LAST_DELAY_MS), undefined, {
        signal: request.signal,
      });
    }
  };
}

/** Hides the cause from the user, because only the operator can fix it. */
function createRejectedError(cause: BucketError): AppError {
  return new AppError(
    'unavailable',
    'The media storage rejected the request. Its operator can find the reason with graphwright doctor.',
    { cause },
  );
}

/** Signs the request and sends it once. Throws BucketError if the bucket rejects it. */
export async function sendBucketRequest(
  bucket: Bucket,
  client: GuardedFetch,
  url: string,
  request: S3Request,
): Promise<S3Response> {
  const { method, body, sha256 = EMPTY_SHA256, signal } = request;
  const headers = { ...request.headers, 'x-amz-content-sha256': sha256 };
  const signed = await new AwsV4Signer({ ...bucket.signingKey, service: 's3', url, method, headers }).sign();
  const response = await client.stream(url, {
    method,
    headers: Object.fromEntries(signed.headers),
    ...(body === undefined ? {} : { body: body() }),
    timeoutMs: request.timeoutMs ?? TRANSFER_TIMEOUT_MS,
    maxBytes: request.maxBytes ?? Number.MAX_SAFE_INTEGER,
    maxRedirects: 0,
    signal,
  });
  const isDone = response.status >= 200 && response.status < 300;
  if (isDone && method === 'GET') return response;
  // Reads the body, so that the connection can be reused, and because a copy may fail after the status 200.
  const text = await readText(response.body);
  if (!isDone || text.includes('<Error>'))
    throw new BucketError(bucket.name, isDone ? 500 : response.status, text);
  return response;
}

async function readText(body: AsyncIterable<Uint8Array>): Promise<string> {
  let text = '';
  for await (const chunk of body) {
    text += Buffer.from(chunk).toString('utf8');
    if (text.length > MAX_RESPONSE_CHARS) break;
  }
  return text;
}

function ignoreAbsent(err: Error): undefined {
  if (!(err instanceof BucketError) || !err.isAbsent) throw err;
}

function throwNotFound(err: Error): never {
  ignoreAbsent(err);
  throw new AppError('not_found', 'The file of this media no longer exists.', { cause: err });
}

/** Returns the URL of an object. Its name must be URL-encoded. */
export function toObjectUrl({ name, endpoint, forcePathStyle, signingKey }: Bucket, object: string): string {
  const base = new URL(endpoint ?? `https://s3.${signingKey.region}.amazonaws.com`);
  const path = base.pathname.replace(/\/$/, '');
  if (forcePathStyle) return `${base.origin}${path}/${name}/${object}`;
  const origin = `${base.protocol}//${name}.${base.host}`;
  if (!URL.canParse(origin)) {
    throw new SettingsError(
      `The bucket ${name} cannot be part of the host ${base.host}: set S3_FORCE_PATH_STYLE=true.`,
    );
  }
  return `${origin}${path}/${object}`;
}
