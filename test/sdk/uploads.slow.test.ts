// Tests uploads of the SDK: inline and presigned uploads, progress, and retries after interruptions.
import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { describe, it, type TestContext } from 'node:test';
import { ApiError, type ClientOptions, ConnectionError, type UploadProgress } from '../../sdk/src/sdk.ts';
import { json, type Reply, SHORT_TIMEOUTS, serve, TIMING } from './test-server.ts';

const MB = 1_048_576;
const MEDIA = { url: 'http://cdn/med_1/a.png', mediaId: 'med_1', bytes: 1 };
function createBytes(length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  for (let i = 0; i < length; i++) bytes[i] = i % 251;
  return bytes;
}

/** Starts a server that acts as service and storage. `put` handles the PUT of the bytes. */
async function serveUploads(t: TestContext, put: Reply, timing: ClientOptions['timing'] = TIMING) {
  let putCount = 0;
  const response: Reply = async (req, res) => {
    if (req.method === 'PUT') return put(req, res, putCount++);
    const body = Buffer.concat(await req.toArray()).toString('latin1');
    if (req.url !== '/api/v1/media/upload-url') return json(res, 200, { ...MEDIA, echo: body.slice(0, 600) });
    const { contentType, bytes } = JSON.parse(body) as { contentType: string; bytes: number };
    const headers = {
      'Content-Type': contentType,
      'Content-Length': String(bytes),
      'Cache-Control': 'private',
    };
    return json(res, 200, {
      uploadUrl: `http://${req.headers.host}/store`,
      method: 'PUT',
      headers,
      mediaId: 'med_1',
    });
  };
  return { ...(await serve(t, response, { timing })), getPutCount: () => putCount };
}

const readAll = async (req: IncomingMessage): Promise<Buffer> => Buffer.concat(await req.toArray());

describe('client.upload', () => {
  it('sends files up to 4 MB inline as a form', async t => {
    const { client, requests } = await serveUploads(t, () => undefined);
    const reports: UploadProgress[] = [];
    const bytes = createBytes(4 * MB);
    const media = await client.upload(new File([bytes], 'ä.png', { type: 'image/png' }), {
      duration: 2,
      onProgress: progress => reports.push(progress),
    });
    assert.equal(media.mediaId, 'med_1');
    const { echo } = media as unknown as { echo: string };
    assert.match(
      echo,
      /name="duration"\r\n\r\n2\r\n[\s\S]*name="file"; filename="Ã¤.png"\r\nContent-Type: image\/png/,
    );
    assert.deepEqual(requests, ['POST /api/v1/media/upload']);
    assert.deepEqual(reports, [
      { sentBytes: 0, totalBytes: 4 * MB },
      { sentBytes: 4 * MB, totalBytes: 4 * MB },
    ]);
  });

  it('sends a larger file to a presigned URL without the key', async t => {
    let receivedBytes: Buffer | undefined;
    let headers: IncomingMessage['headers'] = {};
    const { client, requests } = await serveUploads(t, async (req, res) => {
      headers = req.headers;
      receivedBytes = await readAll(req);
      res.writeHead(200).end();
    });
    const bytes = createBytes(4 * MB + 1);
    const sentCounts: number[] = [];
    await client.upload(bytes, {
      name: 'a.mp4',
      contentType: 'video/mp4',
      onProgress: ({ sentBytes }) => sentCounts.push(sentBytes),
    });
    assert.ok(receivedBytes?.equals(bytes));
    assert.deepEqual(
      [headers['content-type'], headers['content-length'], headers['cache-control'], headers.authorization],
      ['video/mp4', String(4 * MB + 1), 'private', undefined],
    );
    assert.equal(headers['transfer-encoding'], undefined);
    assert.equal(sentCounts.at(-1), 4 * MB + 1);
    assert.ok(sentCounts.length > 10 && sentCounts.every((sent, i) => sent > (sentCounts[i - 1] ?? 0)));
    assert.deepEqual(requests, [
      'POST /api/v1/media/upload-url',
      'PUT /store',
      'POST /api/v1/media/upload-url/complete',
    ]);
  });

  it('sends SVG of any size inline, because presigned uploads do not accept it', async t => {
    const { client, requests } = await serveUploads(t, () => undefined);
    await client.upload(new Blob([createBytes(5 * MB)], { type: 'image/svg+xml' }));
    assert.deepEqual(requests, ['POST /api/v1/media/upload']);
  });

  it('starts again with a new URL after an interruption', async t => {
    const { client, requests, getPutCount } = await serveUploads(
      t,
      async (req, res, count) => {
        if (count === 0) req.once('data', () => req.socket.destroy());
        else if (count === 1) res.writeHead(503).end('<Error><Code>SlowDown</Code></Error>');
        else if (count === 2) req.pause();
        else {
          assert.equal((await readAll(req)).length, 20 * MB);
          res.writeHead(200).end();
        }
      },
      SHORT_TIMEOUTS,
    );
    const sentCounts: number[] = [];
    const media = await client.upload(new Blob([createBytes(20 * MB)], { type: 'video/mp4' }), {
      onProgress: ({ sentBytes }) => sentCounts.push(sentBytes),
    });
    assert.equal(media.mediaId, 'med_1');
    assert.equal(getPutCount(), 4);
    assert.equal(requests.filter(line => line.endsWith('/upload-url')).length, 4);
    assert.ok(
      sentCounts.some((sent, i) => sent < (sentCounts[i - 1] ?? 0)),
      'the progress starts again',
    );
    assert.equal(sentCounts.at(-1), 20 * MB);
  });

  it('fails with the message of the storage if the storage rejects the file', async t => {
    const { client, getPutCount } = await serveUploads(t, async (req, res) => {
      await readAll(req);
      res
        .writeHead(403)
        .end('<Error><Code>SignatureDoesNotMatch</Code><Message>The signature is wrong.</Message></Error>');
    });
    await assert.rejects(
      client.upload(new Blob([createBytes(5 * MB)], { type: 'image/png' })),
      (err: ApiError) => {
        assert.ok(err instanceof ApiError);
        assert.deepEqual(
          [err.status, err.code, err.message],
          [403, 'SignatureDoesNotMatch', 'The signature is wrong.'],
        );
        return true;
      },
    );
    assert.equal(getPutCount(), 1);
  });

  it('fails after the last retry or when its signal is aborted', async t => {
    const { client, getPutCount } = await serveUploads(t, req => req.socket.destroy());
    await assert.rejects(
      client.upload(new Blob([createBytes(5 * MB)], { type: 'image/png' })),
      ConnectionError,
    );
    assert.equal(getPutCount(), 5);
    const slow = await serveUploads(t, req => req.pause());
    const signal = AbortSignal.timeout(80);
    const upload = slow.client.upload(new Blob([createBytes(20 * MB)], { type: 'video/mp4' }), { signal });
    await assert.rejects(upload, { name: 'TimeoutError' });
  });
});

describe('client.uploadFrom', () => {
  it('lets the service download a URL', async t => {
    const { client, requests } = await serveUploads(t, () => undefined);
    const media = await client.uploadFrom('https://example.com/a.png', { width: 3 });
    assert.equal(
      (media as unknown as { echo: string }).echo,
      '{"url":"https://example.com/a.png","width":3}',
    );
    assert.deepEqual(requests, ['POST /api/v1/media/upload']);
  });
});
