// Tests presigned uploads to the local disk, and the upload route of the service.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { newId } from '../../../src/lib/ids.ts';
import { presignPut } from '../../../src/media/presign.ts';
import { toPendingKey } from '../../../src/media/storage.ts';
import { createUploadSigningKey, getUploadUrl } from '../../../src/services/media/local-uploads.ts';
import { createTestApp, type TestApp } from '../../support/app.ts';
import { type CreatedUpload, testPresigned } from './media-presigned.ts';

testPresigned('disk', async () => ({}));

describe('PUT /uploads/{mediaId}', () => {
  let test: TestApp;
  let origin: string;
  let now = Date.now();

  before(async () => {
    test = await createTestApp({ now: () => now, env: { BASE_URL: 'https://studio.example.com/graphs' } });
    origin = await test.app.listen({ host: '127.0.0.1', port: 0 });
  });
  after(() => test.close());

  /** Presigns the upload of a file. Returns the URL to which a proxy would forward. */
  const presign = async (bytes: number) => {
    const id = newId('media');
    const url = getUploadUrl(test.deps, id);
    const put = { url, contentType: 'video/mp4', bytes, nowMs: now };
    const { uploadUrl, headers } = await presignPut(createUploadSigningKey(test.deps), put);
    return { id, headers, url: uploadUrl.replace('https://studio.example.com/graphs', origin) };
  };
  const listTemporaryFiles = () => readdir(join(test.deps.settings.DATA_DIR, 'media', 'tmp'));

  it('accepts URLs signed for BASE_URL with another Host header', async () => {
    const { id, url, headers } = await presign(5);
    const response = await fetch(url, { method: 'PUT', headers, body: 'bytes' });
    assert.deepEqual([response.status, await response.text()], [200, '']);
    assert.match(String(response.headers.get('etag')), /^"[0-9a-f]{32}"$/);
    assert.deepEqual(await test.deps.storage.stat(toPendingKey(id)), { bytes: 5 });
  });

  it('returns errors in XML with a request id', async () => {
    const { url, headers } = await presign(5);
    now += 901_000;
    const expiredResponse = await fetch(url, { method: 'PUT', headers, body: 'bytes' });
    now = Date.now();
    const text = await expiredResponse.text();
    assert.deepEqual(
      [expiredResponse.status, expiredResponse.headers.get('content-type')],
      [403, 'application/xml'],
    );
    assert.match(text, /<Code>AccessDenied<\/Code><Message>The request has expired.<\/Message>/);
    assert.ok(text.includes(`<RequestId>${expiredResponse.headers.get('x-request-id')}</RequestId>`));
    const unsignedResponse = await fetch(`${origin}/uploads/${newId('media')}`, { method: 'PUT', body: 'x' });
    assert.deepEqual(
      [unsignedResponse.status, /<Code>(\w+)/.exec(await unsignedResponse.text())?.[1]],
      [403, 'AccessDenied'],
    );
    const invalidKeyResponse = await fetch(`${origin}/uploads/..%2f..%2fpasswd`, {
      method: 'PUT',
      body: 'x',
    });
    assert.deepEqual(
      [invalidKeyResponse.status, /<Code>(\w+)/.exec(await invalidKeyResponse.text())?.[1]],
      [404, 'NoSuchKey'],
    );
  });

  it('refuses a Content-Type that was not signed, also a malformed one', async () => {
    const { url, headers } = await presign(5);
    const { pathname, search } = new URL(url);
    for (const type of ['', ';', '/', 'image/', '/png', 'a b/c', 'image/png, image/png', 'text/plain']) {
      const { statusCode, body } = await test.app.inject({
        method: 'PUT',
        url: pathname + search,
        headers: { ...headers, 'content-type': type },
        payload: Buffer.from('abcde'),
      });
      assert.deepEqual(
        [statusCode, body.match(/<Code>(.*)<\/Code>/)?.[1]],
        [403, 'SignatureDoesNotMatch'],
        type,
      );
    }
  });

  it('says which header is wrong', async () => {
    const user = await test.createUser();
    const { body } = await user.request<CreatedUpload>('POST', '/media/upload-url', {
      contentType: 'image/png',
      bytes: 5,
      filename: 'a.png',
    });
    const response = await fetch(body.uploadUrl.replace('https://studio.example.com/graphs', origin), {
      method: 'PUT',
      headers: { ...body.headers, 'Content-Type': 'image/jpeg' },
      body: 'bytes',
    });
    assert.equal(response.status, 403);
    assert.match(
      await response.text(),
      /<Message>The header content-type is &quot;image\/jpeg&quot;, but &quot;image\/png&quot; was issued\.<\/Message>/,
    );
  });

  it('stores nothing if the body is interrupted', async () => {
    const { id, url, headers } = await presign(100_000);
    const req = request(url, { method: 'PUT', headers });
    req.on('error', () => undefined);
    req.write(Buffer.alloc(50_000));
    while ((await listTemporaryFiles()).length === 0) await new Promise(resolve => setTimeout(resolve, 5));
    req.destroy();
    while ((await listTemporaryFiles()).length > 0) await new Promise(resolve => setTimeout(resolve, 5));
    assert.equal(await test.deps.storage.stat(toPendingKey(id)), undefined);
  });

  it('accepts uploads from browsers of any origin', async () => {
    const { url } = await presign(5);
    const headers = {
      origin: 'https://editor.example.com',
      'access-control-request-method': 'PUT',
      'access-control-request-headers': 'cache-control,content-type',
    };
    const req = request(url, { method: 'OPTIONS', headers });
    req.end();
    const [response] = (await once(req, 'response')) as [IncomingMessage];
    response.resume();
    assert.equal(response.statusCode, 204);
    assert.equal(response.headers['access-control-allow-origin'], '*');
    assert.match(String(response.headers['access-control-allow-methods']), /PUT/);
    assert.match(String(response.headers['access-control-allow-headers']), /cache-control/);
  });
});
