// Uses the AWS SDK as an independent client of the bucket and of the service's own upload endpoint.
import { PutObjectCommand, type PutObjectCommandInput, S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { getObjectUrl } from '../../../src/media/s3.ts';
import { toPendingKey } from '../../../src/media/storage.ts';
import type { Deps } from '../../../src/services/deps.ts';
import { createUploadSigningKey, getUploadUrl } from '../../../src/services/media/local-uploads.ts';

export interface SdkObject {
  readonly client: S3Client;
  readonly Bucket: string;
  readonly Key: string;
}

/** Creates a client for an upload in the bucket or, without a bucket, at the service's endpoint. */
export function createSdkObject(deps: Deps, mediaId: string): SdkObject {
  const { bucket } = deps;
  const objectUrl =
    bucket === undefined ? getUploadUrl(deps, mediaId) : getObjectUrl(bucket, toPendingKey(mediaId));
  const { region, ...credentials } = bucket?.signingKey ?? createUploadSigningKey(deps);
  const { origin, pathname } = new URL(objectUrl);
  const [, Bucket = '', Key = ''] = pathname.split('/');
  const client = new S3Client({
    endpoint: origin,
    region,
    credentials,
    forcePathStyle: true,
    // By default, the SDK signs the checksum of an empty body into every URL.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
  return { client, Bucket, Key };
}

/** Signs a URL with the SDK over the same headers that the service signs. */
export function signBySdk(
  { client, Bucket, Key }: SdkObject,
  headers: Pick<PutObjectCommandInput, 'ContentType' | 'ContentLength' | 'CacheControl'>,
): Promise<string> {
  const signableHeaders = new Set(['host', 'content-type', 'content-length', 'cache-control']);
  const command = new PutObjectCommand({ Bucket, Key, ...headers });
  return getSignedUrl(client, command, { expiresIn: 900, signableHeaders });
}
