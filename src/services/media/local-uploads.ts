// Receives presigned uploads on the local disk, with the behavior of a bucket's PUT.
import { hmacSha256Hex } from '../../lib/crypto.ts';
import { AppError } from '../../lib/errors.ts';
import { freeAfterUse } from '../../lib/freeing.ts';
import { isId } from '../../lib/ids.ts';
import { type PutToVerify, type SigningKey, verifyPresignedPut } from '../../media/presign.ts';
import { renderS3Error, S3Error } from '../../media/s3-error.ts';
import { type StoredFile, toPendingKey } from '../../media/storage.ts';
import { findUploadedFile } from '../../store/media/uploads.ts';
import type { Deps } from '../deps.ts';

/** Returns the signing key. It is derived from a secret, so that all processes of the service have the same key. */
export function createUploadSigningKey({ secretsKey }: Pick<Deps, 'secretsKey'>): SigningKey {
  const secretAccessKey = hmacSha256Hex(secretsKey, 'presigned uploads');
  return { accessKeyId: 'graphwright', secretAccessKey, region: 'local' };
}

/** Returns the upload URL for clients, which is on the host of BASE_URL. */
export function getUploadUrl({ settings }: Pick<Deps, 'settings'>, mediaId: string): string {
  return `${settings.BASE_URL}/uploads/${mediaId}`;
}

export interface UploadRequest {
  readonly mediaId: string;
  /** The query of the request with its question mark, or an empty text. */
  readonly query: string;
  readonly headers: PutToVerify['headers'];
  readonly body: AsyncIterable<Uint8Array>;
  readonly signal: AbortSignal;
}

/** Stores the bytes of a signed request. Throws the S3Error that a bucket would return. */
export async function receiveUpload(deps: Deps, request: UploadRequest): Promise<StoredFile> {
  // With a bucket, URLs are signed for the bucket, not for this endpoint.
  if (deps.bucket !== undefined || !isId('media', request.mediaId)) {
    throw new S3Error('NoSuchKey', 'Upload not found.');
  }
  const { headers } = request;
  const url = getUploadUrl(deps, request.mediaId) + request.query;
  await verifyPresignedPut(createUploadSigningKey(deps), {
    url,
    headers,
    nowMs: deps.now(),
    findFile: () => findUploadedFile(deps.db, request.mediaId),
  });
  const bytes = Number(headers['content-length']);
  const storedFile = await deps.storage.put(toPendingKey(request.mediaId), freeAfterUse(request.body), {
    contentType: String(headers['content-type']),
    maxBytes: bytes,
    signal: request.signal,
  });
  if (storedFile.bytes === bytes) return storedFile;
  await deps.storage.remove(toPendingKey(request.mediaId));
  throw new S3Error('IncompleteBody', `Expected ${bytes} bytes but received ${storedFile.bytes}.`);
}

/** Formats any failure as the error response of a bucket. */
export function formatS3Error(
  thrown: unknown,
  resource: string,
  requestId: string,
): { readonly status: number; readonly xml: string } {
  const error = toS3Error(thrown);
  return { status: error.status, xml: renderS3Error(error, resource, requestId) };
}

function toS3Error(thrown: unknown): S3Error {
  if (thrown instanceof S3Error) return thrown;
  const code = thrown instanceof AppError ? thrown.code : (thrown as { readonly code?: unknown }).code;
  // The server does not route a request whose Content-Type it cannot parse. No such type is ever signed.
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE')
    return new S3Error(
      'SignatureDoesNotMatch',
      'The header content-type is malformed. Send it exactly as issued.',
    );
  if (code === 'file_too_large')
    return new S3Error('EntityTooLarge', 'The body is larger than its declared size.');
  // The client has disconnected, so this error only appears in the log.
  if (code === 'ECONNRESET' || code === 'ABORT_ERR')
    return new S3Error('IncompleteBody', 'The upload was interrupted.');
  const { statusCode = 500 } = thrown as { readonly statusCode?: number };
  if (statusCode < 500) return new S3Error('InvalidRequest', 'The request is invalid.');
  return new S3Error(
    'InternalError',
    'Something went wrong on our side. Give the request id to the operator of the service.',
  );
}
