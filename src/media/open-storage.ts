// Opens the media storage that the settings select: the configured bucket, or else the local disk.
import { once } from 'node:events';
import { join } from 'node:path';
import { isNotFound, toError } from '../lib/errors.ts';
import type { GuardedFetch } from '../lib/fetch.ts';
import { type Settings, SettingsError } from '../lib/settings.ts';
import { BucketError } from './bucket-error.ts';
import { openDiskStorage } from './disk.ts';
import { type Bucket, getBucketOrigin, openS3Storage } from './s3.ts';
import type { MediaStorage } from './storage.ts';

type StorageSettings = Pick<
  Settings,
  | 'DATA_DIR'
  | 'S3_BUCKET'
  | 'S3_ENDPOINT'
  | 'S3_REGION'
  | 'S3_FORCE_PATH_STYLE'
  | 'AWS_ACCESS_KEY_ID'
  | 'AWS_SECRET_ACCESS_KEY'
>;

/** Throws SettingsError if a bucket is configured without its keys. */
export function getConfiguredBucket(settings: StorageSettings): Bucket | undefined {
  if (settings.S3_BUCKET === undefined) return undefined;
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = settings;
  if (accessKeyId === undefined || secretAccessKey === undefined) {
    throw new SettingsError('S3_BUCKET needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.');
  }
  return {
    name: settings.S3_BUCKET,
    endpoint: settings.S3_ENDPOINT,
    forcePathStyle: settings.S3_FORCE_PATH_STYLE,
    signingKey: { accessKeyId, secretAccessKey, region: settings.S3_REGION },
  };
}

/** Describes why the storage does not work and which setting to check. */
export function describeStorageProblem(bucket: Bucket | undefined, err: Error): string {
  if (err.cause instanceof BucketError) return err.cause.message;
  if (bucket === undefined || err instanceof SettingsError || err instanceof BucketError) return err.message;
  const setting = bucket.endpoint === undefined ? 'S3_REGION' : 'S3_ENDPOINT';
  const reason = err.message.replace(/\.$/, '');
  return `The bucket ${bucket.name} at ${getBucketOrigin(bucket)} cannot be reached: ${reason}. Check ${setting}, and that the store is running.`;
}

// Looking up a key that cannot exist works for every storage.
const NO_SUCH_MEDIA = `med_${'0'.repeat(26)}`;
const CHECK_MS = 5000;

/**
 * Returns why no file can be stored with the current settings, or undefined if storing may work. A bucket that does not
 * respond may recover, so this is only passed to `onTemporaryProblem`.
 */
export async function findStorageProblem(
  storage: MediaStorage,
  onTemporaryProblem: (err: Error) => void,
): Promise<string | undefined> {
  const timeout = AbortSignal.timeout(CHECK_MS);
  const readOutcome = storage.read(NO_SUCH_MEDIA).then(
    () => undefined,
    (err: unknown) => toError(err),
  );
  const outcome = await Promise.race([
    readOutcome,
    once(timeout, 'abort').then(() => toError(timeout.reason)),
  ]);
  if (outcome === undefined || isNotFound(outcome)) return undefined;
  if (outcome.cause instanceof BucketError && outcome.cause.isPermanent) return outcome.cause.message;
  onTemporaryProblem(outcome);
  return undefined;
}

/** Opens the storage. The client must trust the origin of the bucket. */
export async function openStorage(settings: StorageSettings, client: GuardedFetch): Promise<MediaStorage> {
  const bucket = getConfiguredBucket(settings);
  return bucket === undefined
    ? openDiskStorage(join(settings.DATA_DIR, 'media'))
    : openS3Storage(bucket, client, join(settings.DATA_DIR, 'spool'));
}
