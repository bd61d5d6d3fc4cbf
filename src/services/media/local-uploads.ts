// Receives presigned uploads on the local disk, with the behavior of a bucket's PUT.
import { hmacSha256Hex } from '../../lib/crypto.ts';
import { AppError } from '../../lib/errors.ts';
import { freeAfterUse } from '../../lib/freeing.ts';
import { isId } from '../../lib/ids.ts';
import { type PutToVerify, type SigningKey, verifyPresignedPut } from '../../media/presign.ts';
import { S3Error, s3ErrorXml } from '../../media/s3-error.ts';
import { pendingKey, type StoredFile } from '../../media/storage.ts';
import type { Deps } from '../deps.ts';

/** Derived from a secret, so that all processes of the service have the same one. */
export function localUploadKey({ secretsKey }: Pick<Deps, 'secretsKey'>): SigningKey {
  const secretAccessKey = hmacSha256Hex(secretsKey, 'presigned uploads');
  return { accessKeyId: 'graphwright', secretAccessKey, region: 'local' };
}

/** As sent to clients, whatever host a proxy sets. */
export function localUploadUrl({ settings }: Pick<Deps, 'settings'>, mediaId: string): string {
  return `${settings.BASE_URL}/uploads/${mediaId}`;
}

export interface UploadRequest {
  readonly mediaId: string;
  /** As received, with its question mark; empty if there was none. */
  readonly query: string;
  readonly headers: PutToVerify['headers'];
  readonly body: AsyncIterable<Uint8Array>;
  readonly signal: AbortSignal;
}

/** Stores the bytes of a request exactly as signed. Throws the S3Error that a bucket would return. */
export async function receiveUpload(deps: Deps, put: UploadRequest): Promise<StoredFile> {
  // With a bucket, no URL is signed for this endpoint, and no file is expected here.
  if (deps.bucket !== undefined || !isId('media', put.mediaId)) {
    throw new S3Error('NoSuchKey', 'There is no upload at this address.');
  }
  const { headers } = put;
  const url = localUploadUrl(deps, put.mediaId) + put.query;
  await verifyPresignedPut(localUploadKey(deps), { url, headers, nowMs: deps.now() });
  const bytes = Number(headers['content-length']);
  const stored = await deps.storage.put(pendingKey(put.mediaId), freeAfterUse(put.body), {
    contentType: String(headers['content-type']),
    maxBytes: bytes,
    signal: put.signal,
  });
  if (stored.bytes === bytes) return stored;
  await deps.storage.remove(pendingKey(put.mediaId));
  throw new S3Error('IncompleteBody', `Only ${stored.bytes} of ${bytes} bytes arrived.`);
}

/** Turns any failure into the error that a bucket would return. */
export function formatS3Error(
  thrown: unknown,
  resource: string,
  requestId: string,
): { readonly status: number; readonly xml: string } {
  const refusal = toS3Error(thrown);
  return { status: refusal.status, xml: s3ErrorXml(refusal, resource, requestId) };
}

function toS3Error(thrown: unknown): S3Error {
  if (thrown instanceof S3Error) return thrown;
  const code = thrown instanceof AppError ? thrown.code : (thrown as { readonly code?: unknown }).code;
  if (code === 'file_too_large') return new S3Error('EntityTooLarge', 'More bytes came than were announced.');
  // The client disconnected, so this is only logged.
  if (code === 'ECONNRESET' || code === 'ABORT_ERR')
    return new S3Error('IncompleteBody', 'The bytes stopped coming.');
  return new S3Error(
    'InternalError',
    'Something went wrong on our side. Give the request id to the operator of the service.',
  );
}
