// Defines the tests of presigned uploads, which behave the same with local disk and a bucket.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { newId } from '../../../src/lib/ids.ts';
import { toPendingKey } from '../../../src/media/storage.ts';
import { sweepMedia } from '../../../src/services/media/sweep-media.ts';
import { type ApiUser, createTestApp, type TestApp } from '../../support/app.ts';
import { MISMATCHED_FILES, mp4, wav } from '../../support/media/files.ts';
import { noiseImage } from '../../support/media/pixels.ts';
import { createSdkObject, signBySdk } from '../../support/network/aws-sdk.ts';
import { findFreePort } from '../../support/network/free-port.ts';
import { assertRefused } from '../../support/workflows.ts';

const HOUR_MS = 3_600_000;
const { signal } = new AbortController();

/** The response of POST /media/upload-url. */
export interface CreatedUpload {
  readonly uploadUrl: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly mediaId: string;
  readonly url: string;
  readonly contentType: string;
  readonly bytes: number;
  readonly expiresAt: string;
}

/** Defines the tests for the storage that the environment variables from `createEnv` configure. */
export function testPresigned(name: string, createEnv: () => Promise<NodeJS.ProcessEnv>): void {
  let test: TestApp;
  let owner: ApiUser;
  let now = Date.now();

  const createUpload = async (
    bytes: number,
    contentType = 'image/png',
    user = owner,
  ): Promise<CreatedUpload> => {
    const response = await user.request<CreatedUpload>('POST', '/media/upload-url', {
      contentType,
      bytes,
      filename: 'My file.png',
    });
    assert.equal(response.status, 200, response.body.error);
    return response.body;
  };
  const put = (
    createdUpload: CreatedUpload,
    body: Uint8Array,
    headers: Record<string, string> = {},
  ): Promise<Response> =>
    fetch(createdUpload.uploadUrl, {
      method: 'PUT',
      headers: { ...createdUpload.headers, ...headers },
      body: new Uint8Array(body),
    });
  const complete = (mediaId: unknown, metadata: object = {}, user = owner) =>
    user.request<Record<string, unknown>>('POST', '/media/upload-url/complete', { mediaId, ...metadata });
  const upload = async (body: Uint8Array, contentType = 'image/png'): Promise<CreatedUpload> => {
    const createdUpload = await createUpload(body.length, contentType);
    assert.equal((await put(createdUpload, body)).status, 200);
    return createdUpload;
  };
  const listIds = async (): Promise<readonly string[]> =>
    (await owner.request<{ data: { mediaId: string }[] }>('GET', '/media')).body.data.map(
      ({ mediaId }) => mediaId,
    );

  describe(`presigned uploads (${name})`, () => {
    before(async () => {
      const port = await findFreePort();
      test = await createTestApp({
        env: { BASE_URL: `http://127.0.0.1:${port}`, ...(await createEnv()) },
        now: () => now,
      });
      await test.app.listen({ host: '127.0.0.1', port });
      owner = await test.createUser();
    });
    after(() => test.close());

    it('are listed and served after completion', async () => {
      const bytes = await noiseImage(40, 30, 'png');
      const createdUpload = await createUpload(bytes.length);
      assert.equal(createdUpload.method, 'PUT');
      assert.deepEqual(Object.keys(createdUpload.headers).sort(), [
        'Cache-Control',
        'Content-Length',
        'Content-Type',
      ]);
      assert.ok(Date.parse(createdUpload.expiresAt) - now <= 900_000);
      assertRefused(await complete(createdUpload.mediaId), 404, 'upload_not_found');
      assert.equal((await put(createdUpload, bytes)).status, 200);
      assert.equal((await listIds()).includes(createdUpload.mediaId), false);
      const completion = await complete(createdUpload.mediaId, { width: 7, duration: 3 });
      const result = {
        url: createdUpload.url,
        mediaId: createdUpload.mediaId,
        contentType: 'image/png',
        width: 40,
        height: 30,
        duration: null,
        bytes: bytes.length,
      };
      assert.deepEqual([completion.status, completion.body], [200, result]);
      assert.equal((await listIds())[0], createdUpload.mediaId);
      const fileResponse = await fetch(createdUpload.url);
      assert.deepEqual([fileResponse.status, fileResponse.headers.get('content-type')], [200, 'image/png']);
      assert.ok(bytes.equals(Buffer.from(await fileResponse.arrayBuffer())));
    });

    it('return the same response to repeated and concurrent completions', async () => {
      const createdUpload = await upload(await noiseImage(20, 20, 'jpeg'), 'image/jpg');
      assert.equal(createdUpload.contentType, 'image/jpeg');
      // On a busy machine, a concurrent request can get upload_busy before the first request ends.
      const completeUntilFree = async (): ReturnType<typeof complete> => {
        const response = await complete(createdUpload.mediaId);
        return response.body.code === 'upload_busy' ? completeUntilFree() : response;
      };
      const responses = await Promise.all([1, 2, 3].map(completeUntilFree));
      responses.push(await complete(createdUpload.mediaId, { width: 3 }));
      for (const { status, body } of responses) assert.deepEqual([status, body], [200, responses[0]?.body]);
      // The URL still works, but bytes sent to it now are never served.
      assert.equal((await put(createdUpload, randomBytes(createdUpload.bytes))).status, 200);
      assert.deepEqual((await complete(createdUpload.mediaId)).body, responses[0]?.body);
    });

    it("accept the client's metadata only for video and audio", async () => {
      const withoutMetadata = await upload(mp4(20_000), 'video/mp4');
      const withMetadata = await upload(mp4(20_000), 'video/mp4');
      const first = (await complete(withoutMetadata.mediaId)).body;
      assert.deepEqual([first.width, first.height, first.duration], [null, null, null]);
      assertRefused(await complete(withMetadata.mediaId, { duration: 90_000 }), 400, 'invalid_request');
      assertRefused(await complete(withMetadata.mediaId, { width: -1 }), 400, 'invalid_request');
      const second = (await complete(withMetadata.mediaId, { width: 640, height: 360, duration: 1.5 })).body;
      assert.deepEqual([second.width, second.height, second.duration], [640, 360, 1.5]);
    });

    it('refuse requests that differ from the signed request', async () => {
      const bytes = await noiseImage(20, 20, 'png');
      const createdUpload = await createUpload(bytes.length);
      const otherUpload = await createUpload(bytes.length);
      for (const [label, response] of [
        ['type', put(createdUpload, bytes, { 'Content-Type': 'image/jpeg' })],
        ['cache', put(createdUpload, bytes, { 'Cache-Control': 'no-store' })],
        ['length', put(createdUpload, bytes.subarray(1), { 'Content-Length': String(bytes.length - 1) })],
        [
          'key',
          fetch(createdUpload.uploadUrl.replace(createdUpload.mediaId, otherUpload.mediaId), {
            method: 'PUT',
            headers: createdUpload.headers,
            body: new Uint8Array(bytes),
          }),
        ],
        [
          'expiry',
          fetch(createdUpload.uploadUrl.replace('X-Amz-Expires=900', 'X-Amz-Expires=9000'), {
            method: 'PUT',
            headers: createdUpload.headers,
            body: new Uint8Array(bytes),
          }),
        ],
      ] as const) {
        const refusal = await response;
        assert.equal(refusal.status, 403, label);
        assert.match(await refusal.text(), /<Code>SignatureDoesNotMatch<\/Code>/, label);
      }
      assertRefused(await complete(createdUpload.mediaId), 404, 'upload_not_found');
    });

    it('accept URLs signed by the AWS SDK', async () => {
      const bytes = await noiseImage(30, 20, 'png');
      const createdUpload = await createUpload(bytes.length);
      const storage = createSdkObject(test.deps, createdUpload.mediaId);
      const signedHeaders = {
        ContentType: createdUpload.contentType,
        ContentLength: bytes.length,
        CacheControl: createdUpload.headers['Cache-Control'] ?? '',
      };
      const uploadUrl = await signBySdk(storage, signedHeaders);
      assert.equal(new URL(uploadUrl).pathname, new URL(createdUpload.uploadUrl).pathname);
      const otherUrl = await signBySdk(storage, { ...signedHeaders, ContentLength: bytes.length + 1 });
      for (const [url, headers] of [
        [uploadUrl, { 'Content-Type': 'image/gif' }],
        [uploadUrl, { 'Cache-Control': 'no-store' }],
        [otherUrl, {}],
        [uploadUrl.replace(/X-Amz-Signature=../, 'X-Amz-Signature=zz'), {}],
      ] as const) {
        const response = await put({ ...createdUpload, uploadUrl: url }, bytes, headers);
        assert.deepEqual(
          [response.status, /<Code>(\w+)/.exec(await response.text())?.[1]],
          [403, 'SignatureDoesNotMatch'],
        );
      }
      assert.equal((await put({ ...createdUpload, uploadUrl }, bytes)).status, 200);
      const completion = await complete(createdUpload.mediaId);
      assert.deepEqual(
        [completion.status, completion.body.width, completion.body.bytes],
        [200, 30, bytes.length],
      );
    });

    it('discard files that do not have the declared image type', async () => {
      for (const body of [
        randomBytes(500),
        await noiseImage(9, 9, 'jpeg'),
        (await noiseImage(40, 40, 'png')).subarray(0, 2000),
      ]) {
        const createdUpload = await upload(body);
        assertRefused(await complete(createdUpload.mediaId), 422, 'unreadable_image');
        assert.equal(await test.deps.storage.stat(createdUpload.mediaId), undefined);
        assertRefused(await complete(createdUpload.mediaId), 404, 'upload_not_found');
        assert.equal((await fetch(createdUpload.url)).status, 404);
      }
      const video = await upload(randomBytes(5000), 'video/mp4');
      assertRefused(await complete(video.mediaId), 415, 'unsupported_type');
    });

    it('discard video and audio whose tracks are missing or do not match the declaration', async () => {
      for (const [type, body] of MISMATCHED_FILES) {
        const createdUpload = await upload(body, type);
        assertRefused(await complete(createdUpload.mediaId), 415, 'unsupported_type');
        assert.equal(await test.deps.storage.stat(createdUpload.mediaId), undefined);
        assertRefused(await complete(createdUpload.mediaId), 404, 'upload_not_found');
      }
      for (const [type, body] of [
        ['audio/wav', wav(9000)],
        ['audio/mp4', mp4(9000, { handler: 'soun' })],
        ['video/quicktime', mp4(9000, { brand: 'qt  ' })],
      ] as const) {
        assert.equal((await complete((await upload(body, type)).mediaId)).body.contentType, type);
      }
    });

    it('can be completed only by the account that created them', async () => {
      const createdUpload = await upload(await noiseImage(9, 9, 'png'));
      const otherUser = await test.createUser();
      assertRefused(await complete(createdUpload.mediaId, {}, otherUser), 404, 'upload_not_found');
      assert.equal((await complete(createdUpload.mediaId)).status, 200);
      assertRefused(await complete(createdUpload.mediaId, {}, otherUser), 404, 'upload_not_found');
    });

    it('expire after 24 hours', async () => {
      const incompleteUpload = await upload(await noiseImage(9, 9, 'png'));
      const completedUpload = await upload(await noiseImage(9, 9, 'png'));
      assert.equal((await complete(completedUpload.mediaId)).status, 200);
      assert.equal((await put(completedUpload, randomBytes(completedUpload.bytes))).status, 200);
      now += 24 * HOUR_MS;
      assertRefused(await complete(incompleteUpload.mediaId), 404, 'upload_not_found');
      now += 2 * HOUR_MS;
      await sweepMedia(test.deps, signal);
      assert.equal(await test.deps.storage.stat(toPendingKey(incompleteUpload.mediaId)), undefined);
      assert.equal(await test.deps.storage.stat(toPendingKey(completedUpload.mediaId)), undefined);
      assert.equal((await fetch(completedUpload.url)).status, 200);
      assert.equal((await complete(completedUpload.mediaId)).status, 200);
      assert.deepEqual((await test.deps.db.query('select from media_uploads')).rowCount, 0);
      now = Date.now();
    });

    it('leave no orphan after sweepMedia', async () => {
      const id = newId('media');
      await test.deps.storage.put(id, Buffer.from('x'), { contentType: 'image/png', maxBytes: 9 });
      await test.deps.db.query(`insert into media_strays values ($1, now() - interval '26 hours')`, [id]);
      await sweepMedia(test.deps, signal);
      assert.equal(await test.deps.storage.stat(id), undefined);
    });

    it('cannot be completed after their media were deleted', async () => {
      const createdUpload = await upload(await noiseImage(9, 9, 'png'));
      await complete(createdUpload.mediaId);
      assert.equal((await owner.request('DELETE', `/media/${createdUpload.mediaId}`)).status, 200);
      assert.equal(await test.deps.storage.stat(createdUpload.mediaId), undefined);
      assert.equal((await fetch(createdUpload.url)).status, 404);
      assertRefused(await complete(createdUpload.mediaId), 404, 'upload_not_found');
    });

    it('use the same storage as inline uploads', async () => {
      const bytes = await noiseImage(12, 12, 'webp');
      const dataUrl = `data:image/webp;base64,${bytes.toString('base64')}`;
      const { body } = await owner.request<{ url: string; bytes: number }>('POST', '/media/upload', {
        dataUrl,
      });
      const rangeResponse = await fetch(body.url, { headers: { range: 'bytes=0-3' } });
      assert.deepEqual([rangeResponse.status, await rangeResponse.text()], [206, 'RIFF']);
    });
  });
}
