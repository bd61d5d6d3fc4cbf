// Tests presigned uploads to a bucket, and how media in a bucket are served.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import S3rver from '@20minutes/s3rver';
import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  HeadObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { type ApiUser, createTestApp, type TestApp } from '../../support/app.ts';
import { mp4 } from '../../support/media/files.ts';
import { noiseImage } from '../../support/media/pixels.ts';
import { createSdkObject } from '../../support/network/aws-sdk.ts';
import { testPresigned } from './media-presigned.ts';

const folder = await mkdtemp(join(tmpdir(), 'graphwright-bucket-'));
const server = new S3rver({
  address: '127.0.0.1',
  port: 0,
  silent: true,
  directory: folder,
  configureBuckets: [{ name: 'media' }],
});
const { port } = (await server.run()) as AddressInfo;
after(async () => {
  await server.close();
  await rm(folder, { recursive: true });
});

const ENV = {
  S3_BUCKET: 'media',
  S3_ENDPOINT: `http://127.0.0.1:${port}`,
  S3_FORCE_PATH_STYLE: 'true',
  AWS_ACCESS_KEY_ID: 'S3RVER',
  AWS_SECRET_ACCESS_KEY: 'S3RVER',
};

testPresigned('bucket', async () => ENV);

describe('CDN_MODE=redirect', () => {
  it('redirects GET to the bucket except for SVG and conditional requests', async () => {
    const test = await createTestApp({ env: { ...ENV, CDN_MODE: 'redirect' } });
    try {
      const user = await test.createUser();
      const upload = async (bytes: Buffer, type: string): Promise<string> => {
        const dataUrl = `data:${type};base64,${bytes.toString('base64')}`;
        const { body } = await user.request<{ url: string }>('POST', '/media/upload', { dataUrl });
        return new URL(body.url).pathname;
      };
      const path = await upload(await noiseImage(9, 9, 'png'), 'image/png');
      const response = await test.app.inject({ url: path });
      assert.equal(response.statusCode, 307);
      assert.match(String(response.headers.location), new RegExp(`^http://127.0.0.1:${port}/media/med_`));
      assert.match(String(response.headers['cache-control']), /max-age=450$/);
      const head = await test.app.inject({ method: 'HEAD', url: path });
      assert.deepEqual([head.statusCode, head.headers['content-type']], [200, 'image/png']);
      const condition = { 'if-none-match': String(head.headers.etag) };
      assert.equal((await test.app.inject({ url: path, headers: condition })).statusCode, 304);
      const svg = await upload(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'image/svg+xml');
      assert.equal((await test.app.inject({ url: svg })).statusCode, 200);
    } finally {
      await test.close();
    }
  });
});

describe('the S3 bucket', () => {
  let test: TestApp;
  let user: ApiUser;
  before(async () => {
    test = await createTestApp({ env: ENV });
    user = await test.createUser();
  });
  after(() => test.close());

  it('contains inline uploads with content type and Cache-Control', async () => {
    const bytes = await noiseImage(12, 9, 'webp');
    const dataUrl = `data:image/webp;base64,${bytes.toString('base64')}`;
    const { body } = await user.request<{ mediaId: string }>('POST', '/media/upload', { dataUrl });
    const { client, Bucket } = createSdkObject(test.deps, body.mediaId);
    const object = { Bucket, Key: body.mediaId };
    const head = await client.send(new HeadObjectCommand(object));
    assert.deepEqual(
      [head.ContentType, head.ContentLength, head.CacheControl],
      ['image/webp', bytes.length, 'public, max-age=31536000, immutable'],
    );
    const wholeObject = await client.send(new GetObjectCommand(object));
    assert.deepEqual(Buffer.from((await wholeObject.Body?.transformToByteArray()) ?? []), bytes);
    const part = await client.send(new GetObjectCommand({ ...object, Range: 'bytes=0-3' }));
    assert.equal(await part.Body?.transformToString(), 'RIFF');
    assert.equal((await user.request('DELETE', `/media/${body.mediaId}`)).status, 200);
    await assert.rejects(client.send(new HeadObjectCommand(object)), { name: 'NotFound' });
  });

  it('accepts multipart uploads that can be completed', async () => {
    const bytes = mp4(6_000_000);
    const request = { contentType: 'video/mp4', bytes: bytes.length, filename: 'a.mp4' };
    const { body } = await user.request<{ mediaId: string }>('POST', '/media/upload-url', request);
    const { client, Bucket, Key } = createSdkObject(test.deps, body.mediaId);
    const { UploadId } = await client.send(
      new CreateMultipartUploadCommand({ Bucket, Key, ContentType: 'video/mp4' }),
    );
    const Parts = [];
    for (const [index, part] of [bytes.subarray(0, 5_242_880), bytes.subarray(5_242_880)].entries()) {
      const PartNumber = index + 1;
      const { ETag } = await client.send(
        new UploadPartCommand({ Bucket, Key, UploadId, PartNumber, Body: part }),
      );
      Parts.push({ ETag, PartNumber });
    }
    await client.send(
      new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts } }),
    );
    const completion = await user.request<{ url: string }>('POST', '/media/upload-url/complete', {
      mediaId: body.mediaId,
    });
    assert.equal(completion.status, 200, completion.body.error);
    const response = await test.app.inject({ url: new URL(completion.body.url).pathname });
    assert.ok(response.rawPayload.equals(bytes));
  });
});

it('S3_BUCKET disables PUT /uploads/{mediaId}', async () => {
  const test = await createTestApp({ env: ENV });
  const response = await test.app.inject({
    method: 'PUT',
    url: `/uploads/med_${'0'.repeat(26)}`,
    payload: 'x',
  });
  assert.deepEqual([response.statusCode, response.headers['content-type']], [404, 'application/xml']);
  await test.close();
});
