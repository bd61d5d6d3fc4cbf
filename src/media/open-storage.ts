// Which media storage the settings ask for: a bucket where one is named, else the local disk.
import { join } from 'node:path';
import type { GuardedFetch } from '../lib/fetch.ts';
import { type Settings, SettingsError } from '../lib/settings.ts';
import { openDiskStorage } from './disk.ts';
import { type Bucket, openS3Storage } from './s3.ts';
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

/** Throws SettingsError where a bucket is named without its keys. */
export function bucketOf(settings: StorageSettings): Bucket | undefined {
  if (settings.S3_BUCKET === undefined) return undefined;
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = settings;
  if (accessKeyId === undefined || secretAccessKey === undefined) {
    throw new SettingsError('S3_BUCKET needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.');
  }
  return {
    name: settings.S3_BUCKET,
    endpoint: settings.S3_ENDPOINT,
    forcePathStyle: settings.S3_FORCE_PATH_STYLE,
    key: { accessKeyId, secretAccessKey, region: settings.S3_REGION },
  };
}

/** The client must trust the origin of the bucket. */
export async function openStorage(settings: StorageSettings, client: GuardedFetch): Promise<MediaStorage> {
  const bucket = bucketOf(settings);
  return bucket === undefined
    ? openDiskStorage(join(settings.DATA_DIR, 'media'))
    : openS3Storage(bucket, client, join(settings.DATA_DIR, 'spool'));
}
