// Presigns uploads and downloads with AWS Signature V4, for a bucket or for this service's own upload URL. Verifies requests
// to the upload URL by signing them again.
import { AwsV4Signer } from 'aws4fetch';
import { safeEqual } from '../lib/crypto.ts';
import { S3Error } from './s3-error.ts';

/** The key of the bucket, or of the service's own upload URL. */
export interface SigningKey {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly region: string;
}

export interface PresignedPut {
  readonly uploadUrl: string;
  /** The client must send exactly these headers. */
  readonly headers: Readonly<Record<'Content-Type' | 'Content-Length' | 'Cache-Control', string>>;
  readonly expiresAt: Date;
}

export const PRESIGNED_SECONDS = 900;
export const MEDIA_CACHE_CONTROL = 'public, max-age=31536000, immutable';

const MAX_EXPIRES_SECONDS = 604_800;
const CLOCK_SKEW_MS = 900_000;
const REQUIRED_SIGNED_HEADERS = ['cache-control', 'content-length', 'content-type', 'host'];
const OPTIONS = { service: 's3', signQuery: true, allHeaders: true } as const;

export interface PutToSign {
  /** URL of the object, without a query. */
  readonly url: string;
  readonly contentType: string;
  readonly bytes: number;
  readonly nowMs: number;
}

/** Returns a URL that accepts exactly this file for 15 minutes. */
export async function presignPut(
  key: SigningKey,
  { url, contentType, bytes, nowMs }: PutToSign,
): Promise<PresignedPut> {
  const headers = issueHeaders({ contentType, bytes });
  const signer = new AwsV4Signer({
    ...OPTIONS,
    ...key,
    url: `${url}?X-Amz-Expires=${PRESIGNED_SECONDS}`,
    method: 'PUT',
    headers,
    datetime: toAmzDate(nowMs),
  });
  const signed = await signer.sign();
  // The signature's date has whole seconds.
  const signedAtMs = Math.floor(nowMs / 1000) * 1000;
  return { uploadUrl: signed.url.href, headers, expiresAt: new Date(signedAtMs + PRESIGNED_SECONDS * 1000) };
}

const issueHeaders = ({ contentType, bytes }: SignedFile): PresignedPut['headers'] => ({
  'Content-Type': contentType,
  'Content-Length': String(bytes),
  'Cache-Control': MEDIA_CACHE_CONTROL,
});

export interface GetToSign {
  /** URL of the object, without a query. */
  readonly url: string;
  /** The `Content-Disposition` and `Content-Type` that the bucket should send. */
  readonly disposition: string;
  readonly contentType: string;
  readonly nowMs: number;
}

/** Returns a URL at which a private bucket serves the file for 15 minutes. */
export async function presignGet(
  key: SigningKey,
  { url, disposition, contentType, nowMs }: GetToSign,
): Promise<string> {
  const urlToSign = new URL(url);
  urlToSign.searchParams.set('X-Amz-Expires', String(PRESIGNED_SECONDS));
  urlToSign.searchParams.set('response-content-disposition', disposition);
  urlToSign.searchParams.set('response-content-type', contentType);
  const signer = new AwsV4Signer({
    ...OPTIONS,
    ...key,
    url: urlToSign.href,
    method: 'GET',
    datetime: toAmzDate(nowMs),
  });
  // URLSearchParams writes spaces as +, which not every bucket reads as spaces.
  return (await signer.sign()).url.href.replaceAll('+', '%20');
}

export interface PutToVerify {
  /** The presigned URL, with the configured host and the received query. */
  readonly url: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly nowMs: number;
  /** Returns the file for which the URL was signed, to explain which header differs. */
  readonly findFile?: () => Promise<SignedFile | undefined>;
}

export type SignedFile = Pick<PutToSign, 'contentType' | 'bytes'>;

/** Throws the S3Error that a bucket would send, unless `presignPut` signed the request. */
export async function verifyPresignedPut(
  key: SigningKey,
  { url, headers, nowMs, findFile }: PutToVerify,
): Promise<void> {
  const unsignedUrl = new URL(url);
  const query = readQuery(unsignedUrl.searchParams);
  requireOwnCredential(query, key);
  requireValidTime(query, nowMs);
  const names = query.signedHeaders.split(';');
  if (!REQUIRED_SIGNED_HEADERS.every(name => names.includes(name))) {
    throw new S3Error('AccessDenied', `The headers ${REQUIRED_SIGNED_HEADERS.join(', ')} must be signed.`);
  }
  if (headers['content-length'] === undefined)
    throw new S3Error('MissingContentLength', 'A Content-Length header is required.');
  for (const name of ['Signature', 'Algorithm', 'Credential', 'SignedHeaders', 'Date'])
    unsignedUrl.searchParams.delete(`X-Amz-${name}`);
  const isSigned = async (sentHeaders: PutToVerify['headers']): Promise<boolean> => {
    const signer = new AwsV4Signer({
      ...OPTIONS,
      ...key,
      url: unsignedUrl.href,
      method: 'PUT',
      headers: pickHeaders(names, sentHeaders),
      datetime: query.date,
    });
    return safeEqual(await signer.signature(), query.signature);
  };
  if (await isSigned(headers)) return;
  const file = await findFile?.();
  const issued = file === undefined ? {} : toReceivedHeaders(issueHeaders(file));
  // Only a client that has the signed URL learns for which file it was signed.
  const isHeaderWrong = file !== undefined && (await isSigned({ ...headers, ...issued }));
  throw new S3Error(
    'SignatureDoesNotMatch',
    isHeaderWrong
      ? describeDifferences(issued, headers)
      : 'The request differs from the signed one. Send it to exactly the issued URL, with exactly the issued headers.',
  );
}

const toReceivedHeaders = (headers: object): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

const MAX_SHOWN_CHARS = 200;

function describeDifferences(
  issued: Readonly<Record<string, string>>,
  received: PutToVerify['headers'],
): string {
  return Object.entries(issued)
    .filter(([name, value]) => received[name] !== value)
    .map(([name, value]) => {
      const found = received[name];
      const shown =
        found === undefined ? 'is missing' : `is "${[found].flat().join(', ').slice(0, MAX_SHOWN_CHARS)}"`;
      return `The header ${name} ${shown}, but "${value}" was issued.`;
    })
    .join(' ');
}

interface SignatureQuery {
  readonly algorithm: string;
  readonly credential: string;
  readonly date: string;
  readonly expires: string;
  readonly signedHeaders: string;
  readonly signature: string;
}

function readQuery(params: URLSearchParams): SignatureQuery {
  const readParameter = (name: string): string => {
    const values = params.getAll(`X-Amz-${name}`);
    const [value] = values;
    if (value === undefined) throw new S3Error('AccessDenied', `X-Amz-${name} is missing from the query.`);
    if (values.length > 1 || value.length > 1024)
      throw new S3Error('AuthorizationQueryParametersError', `X-Amz-${name} is invalid.`);
    return value;
  };
  return {
    algorithm: readParameter('Algorithm'),
    credential: readParameter('Credential'),
    date: readParameter('Date'),
    expires: readParameter('Expires'),
    signedHeaders: readParameter('SignedHeaders'),
    signature: readParameter('Signature'),
  };
}

function requireOwnCredential({ algorithm, credential, date }: SignatureQuery, key: SigningKey): void {
  if (algorithm !== 'AWS4-HMAC-SHA256')
    throw new S3Error('AuthorizationQueryParametersError', 'X-Amz-Algorithm must be AWS4-HMAC-SHA256.');
  const scope = [key.accessKeyId, date.slice(0, 8), key.region, 's3', 'aws4_request'].join('/');
  if (!safeEqual(credential, scope))
    throw new S3Error('InvalidAccessKeyId', 'The credential does not belong to this service.');
}

function requireValidTime({ date, expires }: SignatureQuery, nowMs: number): void {
  const signedAtMs = Date.parse(
    date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'),
  );
  const seconds = /^\d{1,6}$/.test(expires) ? Number(expires) : Number.NaN;
  if (
    !/^\d{8}T\d{6}Z$/.test(date) ||
    Number.isNaN(signedAtMs) ||
    !(seconds >= 1 && seconds <= MAX_EXPIRES_SECONDS)
  ) {
    throw new S3Error('AuthorizationQueryParametersError', 'X-Amz-Date or X-Amz-Expires is invalid.');
  }
  if (nowMs < signedAtMs - CLOCK_SKEW_MS) throw new S3Error('AccessDenied', 'The request is not valid yet.');
  if (nowMs > signedAtMs + seconds * 1000) throw new S3Error('AccessDenied', 'The request has expired.');
}

/** Returns the signed headers with their values in the request, except `host`, which the signer takes from the URL. */
function pickHeaders(names: readonly string[], headers: PutToVerify['headers']): [string, string][] {
  return names.flatMap((name): [string, string][] => {
    const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
    return name === 'host' || value === undefined ? [] : [[name, [value].flat().join(', ')]];
  });
}

function toAmzDate(nowMs: number): string {
  return new Date(nowMs).toISOString().replace(/[:-]|\.\d{3}/g, '');
}
