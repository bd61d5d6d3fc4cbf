// Runs the storage contract against an S3 server.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import S3rver from '@20minutes/s3rver';
import type { AppError } from '../../src/lib/errors.ts';
import { createGuardedFetch, type GuardedFetch } from '../../src/lib/fetch.ts';
import { newId } from '../../src/lib/ids.ts';
import { runAccepted } from '../../src/lib/work.ts';
import { presignGet, presignPut } from '../../src/media/presign.ts';
import { type Bucket, getBucketOrigin, getObjectUrl, openS3Storage } from '../../src/media/s3.ts';
import { toPendingKey } from '../../src/media/storage.ts';
import { forward } from '../hosts/forward.ts';
import { testStorage } from './storage-contract.ts';

const root = await mkdtemp(join(tmpdir(), 'gw-s3-'));
const server = new S3rver({
  address: '127.0.0.1',
  port: 0,
  silent: true,
  directory: join(root, 'bucket'),
  configureBuckets: [{ name: 'media' }],
});
const signingKey = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER', region: 'us-east-1' };
let bucket: Bucket;
let client: GuardedFetch;

before(async () => {
  const { port } = (await server.run()) as AddressInfo;
  bucket = { name: 'media', endpoint: `http://127.0.0.1:${port}`, forcePathStyle: true, signingKey };
  client = createGuardedFetch({ allowPrivate: false, trustedUrls: [getBucketOrigin(bucket)] });
});
after(async () => {
  await client.close();
  await server.close();
  await rm(root, { recursive: true });
});

const open = () => openS3Storage(bucket, client, join(root, 'spool'));
testStorage('s3', open);

test('s3: no file remains in the spool folder', async () => {
  assert.deepEqual(await readdir(join(root, 'spool')), []);
});

test('s3: the bucket serves an object with its stored content type', async () => {
  const id = newId('media');
  await (await open()).put(id, Buffer.from('x'), { contentType: 'image/webp', maxBytes: 10 });
  const response = await client.fetch(getObjectUrl(bucket, id), { timeoutMs: 5000, maxBytes: 100 });
  assert.deepEqual(
    [response.headers['content-type'], response.headers['cache-control']],
    ['image/webp', 'public, max-age=31536000, immutable'],
  );
});

test('s3: a presigned upload keeps its content type when it is moved', async () => {
  const id = newId('media');
  const url = getObjectUrl(bucket, toPendingKey(id));
  const { uploadUrl, headers } = await presignPut(signingKey, {
    url,
    contentType: 'image/png',
    bytes: 5,
    nowMs: Date.now(),
  });
  const put = async (type: string, body: string): Promise<number> =>
    (
      await fetch(uploadUrl, {
        method: 'PUT',
        headers: { ...headers, 'Content-Type': type, 'Content-Length': String(body.length) },
        body,
      })
    ).status;
  assert.equal(await put('image/jpeg', 'bytes'), 403);
  assert.equal(await put('image/png', 'bytes!'), 403);
  assert.equal(await put('image/png', 'bytes'), 200);
  const storage = await open();
  await storage.move(toPendingKey(id), id);
  assert.deepEqual(await storage.stat(id), { bytes: 5 });
  const response = await client.fetch(getObjectUrl(bucket, id), { timeoutMs: 5000, maxBytes: 100 });
  assert.equal(response.headers['content-type'], 'image/png');
});

test('s3: the bucket serves a presigned URL with the requested file name', async () => {
  const id = newId('media');
  await (await open()).put(id, Buffer.from('x'), { contentType: 'image/svg+xml', maxBytes: 10 });
  // Has no UTF-8 form, because the test server signs quotes and asterisks differently than Amazon specifies.
  const disposition = 'attachment; filename="K_se a.svg"';
  const served = { disposition, contentType: 'image/avif' };
  const url = await presignGet(signingKey, { url: getObjectUrl(bucket, id), ...served, nowMs: Date.now() });
  const response = await fetch(url);
  assert.deepEqual([response.status, await response.text()], [200, 'x']);
  assert.equal(response.headers.get('content-disposition'), disposition);
  assert.equal(response.headers.get('content-type'), 'image/avif');
  assert.equal((await fetch(url.replace('K_se', 'x'))).status, 403);
});

test('s3: a missing bucket or a wrong key is reported as unavailable', async () => {
  const options = { contentType: 'image/png', maxBytes: 10 };
  const cases = [
    [{ ...bucket, name: 'absent' }, /responded with 404 NoSuchBucket: .*check S3_BUCKET/],
    [
      { ...bucket, signingKey: { ...signingKey, secretAccessKey: 'x' } },
      /responded with 403 SignatureDoesNotMatch: .*check AWS_SECRET/,
    ],
  ] as const;
  for (const [wrongBucket, reason] of cases) {
    const storage = await openS3Storage(wrongBucket, client, join(root, 'spool'));
    const put = storage.put(newId('media'), Buffer.from('x'), options);
    await assert.rejects(put, (err: AppError) => {
      assert.deepEqual([err.code, err.status], ['unavailable', 503]);
      assert.match(err.message, /graphwright doctor/);
      assert.match(String(err.cause), reason);
      return true;
    });
  }
});

test('getObjectUrl follows the URL style of the bucket', () => {
  const id = newId('media');
  const amazon = {
    name: 'b',
    endpoint: undefined,
    forcePathStyle: false,
    signingKey: { ...signingKey, region: 'eu-west-1' },
  };
  assert.equal(getObjectUrl(amazon, id), `https://b.s3.eu-west-1.amazonaws.com/${id}`);
  assert.equal(
    getObjectUrl({ ...amazon, forcePathStyle: true }, id),
    `https://s3.eu-west-1.amazonaws.com/b/${id}`,
  );
  assert.equal(
    getObjectUrl({ ...amazon, endpoint: 'http://minio:9000/base/', forcePathStyle: true }, id),
    `http://minio:9000/base/b/${id}`,
  );
  assert.throws(() => getObjectUrl(amazon, '../x'), /Invalid media storage key/);
  assert.throws(
    () => getObjectUrl({ ...amazon, endpoint: 'http://127.0.0.1:9000' }, id),
    /S3_FORCE_PATH_STYLE=true/,
  );
});

test('s3: an accepted put waits while the bucket is unavailable', async () => {
  const id = newId('media');
  const bytes = Buffer.from('kept');
  const options = { contentType: 'image/png', maxBytes: 10 };
  // Finds a free port, on which no server listens at first.
  const portFinder = createServer();
  portFinder.listen(0, '127.0.0.1');
  await once(portFinder, 'listening');
  const { port } = portFinder.address() as AddressInfo;
  portFinder.close();
  await once(portFinder, 'close');
  const endpoint = `http://127.0.0.1:${port}`;
  const guardedClient = createGuardedFetch({ allowPrivate: false, trustedUrls: [endpoint] });
  const storage = await openS3Storage({ ...bucket, endpoint }, guardedClient, join(root, 'spool'));
  await assert.rejects(storage.put(id, bytes, options), { code: 'connect_failed' });
  const acceptedPut = runAccepted('', () => storage.put(id, bytes, options));
  await delay(1500);
  const { hostname, port: bucketPort } = new URL(bucket.endpoint ?? '');
  const forwarder = await forward({ host: '127.0.0.1', port }, () => ({
    host: hostname,
    port: Number(bucketPort),
  }));
  assert.equal((await acceptedPut).bytes, bytes.length);
  assert.equal((await (await open()).stat(id))?.bytes, bytes.length);
  await guardedClient.close();
  forwarder.close();
});
