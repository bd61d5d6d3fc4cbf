// Tests GET and HEAD of media files over real HTTP: ranges, ETags, headers, path traversal and disconnects.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync, readlinkSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import type { MediaRef } from '../../../src/graph/types.ts';
import { storeMedia } from '../../../src/services/media/media.ts';
import { openTestApp, type TestApp } from '../../support/app.ts';
import { listenLocally, openSocket, requestHead, sendRaw } from '../../support/http/raw-http.ts';
import { noiseImage } from '../../support/media/pixels.ts';
import { waitUntil } from '../../support/processes.ts';

let test: TestApp;
let port: number;
let bytes: Buffer;
let media: MediaRef;
let path: string;
before(async () => {
  test = await openTestApp();
  port = await listenLocally(test.app);
  const { userId } = await test.createUser();
  // The file is larger than socket buffers, so that a download can be interrupted.
  bytes = await noiseImage(2400, 1800, 'png');
  assert.ok(bytes.length > 8_000_000);
  const owner = { userId, workspace: `user:${userId}`, executionId: 'ex_00000000000000000000000000' };
  const file = { source: bytes, contentType: 'image/png', name: 'noise.png' };
  media = await storeMedia(test.deps, owner, file, AbortSignal.timeout(30_000));
  path = `/cdn/${media.mediaId}/noise.png`;
});
after(() => test.close());

const get = (headers: Record<string, string> = {}, method = 'GET'): Promise<Response> =>
  fetch(`http://127.0.0.1:${port}${path}`, { method, headers });

describe('GET /cdn/{mediaId}/{name}', () => {
  it('returns the whole file with caching and security headers', async () => {
    const response = await get();
    assert.equal(response.status, 200);
    assert.ok(Buffer.from(await response.arrayBuffer()).equals(bytes));
    const { headers } = response;
    assert.equal(headers.get('content-type'), 'image/png');
    assert.equal(headers.get('content-length'), String(bytes.length));
    assert.equal(headers.get('accept-ranges'), 'bytes');
    assert.equal(headers.get('cache-control'), 'public, max-age=31536000, immutable');
    assert.equal(headers.get('access-control-allow-origin'), '*');
    assert.equal(headers.get('x-content-type-options'), 'nosniff');
    assert.ok(headers.get('x-request-id'));
    assert.ok(headers.get('x-ratelimit-limit'));
  });

  it('returns 206 for ranges at the start, in the middle and at the end', async () => {
    const size = bytes.length;
    for (const [range, start, end] of [
      ['bytes=0-0', 0, 0],
      ['bytes=1000-1999', 1000, 1999],
      ['bytes=-5', size - 5, size - 1],
      [`bytes=${size - 10}-`, size - 10, size - 1],
      [`bytes=${size - 10}-${size * 2}`, size - 10, size - 1],
    ] as const) {
      const response = await get({ range });
      assert.equal(response.status, 206, range);
      assert.equal(response.headers.get('content-range'), `bytes ${start}-${end}/${size}`);
      assert.ok(Buffer.from(await response.arrayBuffer()).equals(bytes.subarray(start, end + 1)), range);
    }
  });

  it('returns 416 for a range outside the file', async () => {
    for (const range of [`bytes=${bytes.length}-`, 'bytes=-0']) {
      const response = await get({ range });
      assert.equal(response.status, 416, range);
      assert.equal(response.headers.get('content-range'), `bytes */${bytes.length}`);
      assert.equal(((await response.json()) as { code: string }).code, 'range_not_satisfiable');
    }
  });

  it('returns the whole file if If-Range or Range does not match', async () => {
    const etag = (await get({}, 'HEAD')).headers.get('etag') ?? '';
    for (const [headers, status] of [
      [{ range: 'bytes=0-1', 'if-range': etag }, 206],
      [{ range: 'bytes=0-1', 'if-range': '"other"' }, 200],
      [{ range: 'lines=0-1' }, 200],
      [{ range: 'bytes=5-1' }, 200],
      [{ range: 'bytes=0-1,4-5' }, 200],
    ] as const) {
      const response = await get(headers);
      assert.equal(response.status, status, JSON.stringify(headers));
      await response.body?.cancel();
    }
  });

  it('returns 304 if the ETag matches', async () => {
    const { headers } = await get({}, 'HEAD');
    for (const condition of [
      { 'if-none-match': headers.get('etag') ?? '' },
      { 'if-none-match': `"x", W/${headers.get('etag')}` },
      { 'if-modified-since': headers.get('last-modified') ?? '' },
    ]) {
      const response = await get(condition);
      assert.deepEqual([response.status, await response.text()], [304, ''], JSON.stringify(condition));
    }
  });

  it('responds to HEAD with the headers of the whole file', async () => {
    const [response] = await sendRaw(port, requestHead('HEAD', path, { range: 'bytes=0-9' }));
    assert.equal(response?.status, 200);
    assert.equal(response.headers['content-length'], String(bytes.length));
    assert.equal(response.body, '');
  });

  it('returns 404 for path traversal, NUL and other file names', async () => {
    for (const invalidPath of [
      `/cdn/${media.mediaId}/other.png`,
      `/cdn/${media.mediaId}/`,
      `/cdn/${media.mediaId}`,
      '/cdn/../../etc/passwd',
      '/cdn/%2e%2e%2f%2e%2e%2fetc/passwd',
      `/cdn/${media.mediaId}/..%2f..%2f..%2fetc%2fpasswd`,
      `/cdn/${media.mediaId}/noise.png%00.svg`,
      `/cdn/%00/noise.png`,
      `/cdn/${media.mediaId.toUpperCase()}/noise.png`,
      `//cdn/${media.mediaId}/noise.png`,
      `/cdn/..%5c..%5cetc/passwd`,
    ]) {
      const [response] = await sendRaw(port, requestHead('GET', invalidPath));
      assert.equal(response?.status, 404, invalidPath);
      assert.equal(JSON.parse(response.body).code, 'not_found', invalidPath);
    }
  });

  it('closes the file if the caller disconnects during the download', {
    skip: process.platform !== 'linux',
  }, async () => {
    const countOpenFiles = (): number =>
      readdirSync('/proc/self/fd').filter(fd => {
        try {
          return readlinkSync(`/proc/self/fd/${fd}`).includes(media.mediaId);
        } catch {
          // The file was closed between the two calls.
          return false;
        }
      }).length;
    const sockets = await Promise.all(Array.from({ length: 10 }, () => openSocket(port)));
    for (const socket of sockets) {
      socket.write(requestHead('GET', path));
      await once(socket, 'data');
      socket.pause();
    }
    assert.equal(countOpenFiles(), 10);
    for (const socket of sockets) socket.destroy();
    await waitUntil('the files to be closed', () => countOpenFiles() === 0);
  });
});
