// Tests inline uploads by form, data URL and URL over real HTTP.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { type ApiUser, createTestApp, type TestApp } from '../../support/app.ts';
import { MISMATCHED_FILES, mp4 } from '../../support/media/files.ts';
import { noiseImage, plainImage } from '../../support/media/pixels.ts';

let test: TestApp;
let owner: ApiUser;
let origin: string;

before(async () => {
  test = await createTestApp();
  owner = await test.createUser();
  origin = await test.app.listen({ host: '127.0.0.1', port: 0 });
});
after(() => test.close());

interface UploadResult {
  readonly url: string;
  readonly mediaId: string;
  readonly contentType: string;
  readonly width: number | null;
  readonly height: number | null;
  readonly duration: number | null;
  readonly bytes: number;
  readonly code?: string;
  readonly error?: string;
}

interface UploadResponse {
  readonly status: number;
  readonly body: UploadResult;
}

async function send(init: RequestInit, user = owner): Promise<UploadResponse> {
  const response = await fetch(`${origin}/api/v1/media/upload`, {
    method: 'POST',
    ...init,
    headers: { authorization: `Bearer ${user.key}`, ...init.headers },
  });
  return { status: response.status, body: (await response.json()) as UploadResult };
}

const sendJson = (body: unknown): Promise<UploadResponse> =>
  send({ body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });

const sendDataUrl = (bytes: Uint8Array, type: string, metadata: object = {}): Promise<UploadResponse> =>
  sendJson({ dataUrl: `data:${type};base64,${Buffer.from(bytes).toString('base64')}`, ...metadata });

function toForm(
  file: Uint8Array,
  type: string,
  {
    name = 'a.bin',
    field = 'file',
    fields = {},
  }: { name?: string; field?: string; fields?: Record<string, string> } = {},
): FormData {
  const form = new FormData();
  for (const [key, value] of Object.entries(fields)) form.append(key, value);
  form.append(field, new Blob([new Uint8Array(file)], { type }), name);
  return form;
}

const sendForm = (...args: Parameters<typeof toForm>): Promise<UploadResponse> =>
  send({ body: toForm(...args) });

const assertUploadRefused = ({ status, body }: UploadResponse, expected: number, code: string): void =>
  assert.deepEqual([status, body.code], [expected, code], body.error);

const SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" width="24" height="12"><script>alert(1)</script><path d="M0 0h9"/></svg>';

describe('POST /media/upload', () => {
  for (const format of ['png', 'jpeg', 'webp', 'gif', 'avif'] as const) {
    it(`stores ${format} sent by form and by data URL`, async () => {
      const bytes = await noiseImage(30, 20, format);
      for (const upload of [
        await sendForm(bytes, `image/${format}`, { name: `My picture.${format}` }),
        await sendDataUrl(bytes, `image/${format}`),
      ]) {
        assert.equal(upload.status, 200, upload.body.error);
        const { url, mediaId, ...rest } = upload.body;
        assert.deepEqual(rest, {
          contentType: `image/${format}`,
          width: 30,
          height: 20,
          duration: null,
          bytes: bytes.length,
        });
        assert.match(mediaId, /^med_[0-9a-z]{26}$/);
        const response = await fetch(url.replace('http://localhost:3000', origin));
        assert.deepEqual([response.status, response.headers.get('content-type')], [200, `image/${format}`]);
        assert.ok(bytes.equals(Buffer.from(await response.arrayBuffer())));
      }
    });
  }

  it('keeps only the safe part of the file name', async () => {
    const bytes = await plainImage(2, 2, '#ff0000');
    for (const [input, storedName] of [
      ['My picture.png', 'My-picture.png'],
      ['../../etc/passwd', 'passwd.png'],
      ['page.html', 'page.html.png'],
      ['.htaccess', 'htaccess.png'],
      ['日本.PNG', '日本.PNG'],
      ['a'.repeat(300), `${'a'.repeat(96)}.png`],
    ] as const) {
      const { body } = await sendForm(bytes, 'image/png', { name: input });
      assert.equal(decodeURIComponent(body.url.split('/').at(-1) ?? ''), storedName);
    }
  });

  it('detects the type from the bytes if the declared type is generic', async () => {
    const { body } = await sendForm(await plainImage(2, 2, '#ff0000'), 'application/octet-stream');
    assert.equal(body.contentType, 'image/png');
  });

  it('detects audio in an MP4 by its tracks if no type is declared', async () => {
    const { body } = await sendForm(mp4(3000, { handler: 'soun' }), 'application/octet-stream');
    assert.equal(body.contentType, 'audio/mp4');
    assert.match(body.url, /\.m4a$/);
  });

  it('sanitizes SVG and serves the file as an attachment', async () => {
    for (const upload of [
      await sendForm(Buffer.from(SVG), 'image/svg+xml'),
      await sendDataUrl(Buffer.from(SVG), 'image/svg+xml'),
      await sendJson({ dataUrl: `data:image/svg+xml,${encodeURIComponent(SVG)}` }),
    ]) {
      assert.deepEqual(
        [upload.body.contentType, upload.body.width, upload.body.height],
        ['image/svg+xml', 24, 12],
      );
      const response = await fetch(upload.body.url.replace('http://localhost:3000', origin));
      const text = await response.text();
      assert.equal(text.includes('script'), false);
      assert.equal(Buffer.byteLength(text), upload.body.bytes);
      assert.match(String(response.headers.get('content-disposition')), /^attachment/);
    }
  });

  it('accepts a size and duration from the client only for video', async () => {
    const fields = { width: '640', height: '360', duration: '2.5' };
    const first = await sendForm(mp4(5000), 'video/mp4', { fields });
    assert.deepEqual([first.body.width, first.body.height, first.body.duration], [640, 360, 2.5]);
    const form = toForm(mp4(5000), 'video/mp4');
    form.append('duration', '7');
    const second = await send({ body: form });
    assert.deepEqual([second.body.width, second.body.duration], [null, 7]);
    const third = await sendDataUrl(await plainImage(2, 3, '#ff0000'), 'image/png', {
      width: 99,
      height: 99,
      duration: 9,
    });
    assert.deepEqual([third.body.width, third.body.height, third.body.duration], [2, 3, null]);
  });
});

describe('POST /media/upload limits', () => {
  it('accepts at most 4 MB by form', async () => {
    assert.equal((await sendForm(mp4(4_194_304), 'video/mp4')).status, 200);
    assertUploadRefused(await sendForm(mp4(4_194_305), 'video/mp4'), 413, 'file_too_large');
    assertUploadRefused(await sendForm(mp4(9_000_000), 'video/mp4'), 413, 'file_too_large');
  });

  it('accepts at most 3 MB by data URL', async () => {
    assert.equal((await sendDataUrl(mp4(3_145_728), 'video/mp4')).status, 200);
    assertUploadRefused(await sendDataUrl(mp4(3_145_729), 'video/mp4'), 413, 'file_too_large');
    assertUploadRefused(await sendDataUrl(mp4(6_000_000), 'video/mp4'), 413, 'file_too_large');
  });

  it('accepts at most 1 MB of SVG', async () => {
    const createSvg = (bytes: number): Buffer =>
      Buffer.from(SVG.replace('</svg>', `<!--${'x'.repeat(bytes - SVG.length - 7)}--></svg>`));
    assert.equal((await sendForm(createSvg(1_048_576), 'image/svg+xml')).status, 200);
    assertUploadRefused(await sendForm(createSvg(1_048_577), 'image/svg+xml'), 413, 'file_too_large');
    assertUploadRefused(await sendDataUrl(createSvg(1_048_577), 'image/svg+xml'), 413, 'file_too_large');
  });

  it('refuses an endless form', async () => {
    const headers = {
      authorization: `Bearer ${owner.key}`,
      'content-type': 'multipart/form-data; boundary=x',
    };
    const req = request(`${origin}/api/v1/media/upload`, { method: 'POST', headers });
    const responseEvent = once(req, 'response') as Promise<[IncomingMessage]>;
    // The service closes the connection while the form is sent.
    req.on('error', () => undefined);
    req.write(
      '--x\r\ncontent-disposition: form-data; name="file"; filename="a"\r\ncontent-type: video/mp4\r\n\r\n',
    );
    const chunk = mp4(100_000);
    const pump = (): void => {
      while (!req.destroyed && req.write(chunk));
      if (!req.destroyed) req.once('drain', pump);
    };
    pump();
    const [response] = await responseEvent;
    req.destroy();
    assert.equal(response.statusCode, 413);
  });
});

describe('POST /media/upload errors', () => {
  it('returns 415 unsupported_type for types that are unsupported or do not match the bytes', async () => {
    assertUploadRefused(await sendForm(Buffer.from('hello'), 'text/plain'), 415, 'unsupported_type');
    assertUploadRefused(
      await sendForm(Buffer.from('<html><script>x</script>'), 'application/octet-stream'),
      415,
      'unsupported_type',
    );
    assertUploadRefused(await sendForm(await noiseImage(9, 9, 'jpeg'), 'image/png'), 415, 'unsupported_type');
    assertUploadRefused(await sendForm(await noiseImage(9, 9, 'jpeg'), 'video/mp4'), 415, 'unsupported_type');
    assertUploadRefused(await sendDataUrl(randomBytes(100), 'video/mp4'), 415, 'unsupported_type');
  });

  it('returns 415 unsupported_type for video and audio without matching tracks', async () => {
    for (const [type, bytes] of MISMATCHED_FILES)
      assertUploadRefused(await sendForm(bytes, type), 415, 'unsupported_type');
    assertUploadRefused(
      await sendDataUrl(mp4(3000, { handler: 'soun' }), 'video/mp4'),
      415,
      'unsupported_type',
    );
  });

  it('returns 422 unreadable_image for invalid, truncated and too large images', async () => {
    const png = await noiseImage(60, 60, 'png');
    assertUploadRefused(await sendForm(Buffer.from('hello'), 'image/png'), 422, 'unreadable_image');
    assertUploadRefused(await sendForm(png.subarray(0, -100), 'image/png'), 422, 'unreadable_image');
    assertUploadRefused(
      await sendDataUrl(await plainImage(10_001, 10_000, '#000000'), 'image/png'),
      422,
      'unreadable_image',
    );
  });

  it('returns 400 empty_file for an empty file', async () => {
    assertUploadRefused(await sendForm(Buffer.alloc(0), 'image/png'), 400, 'empty_file');
    assertUploadRefused(await sendJson({ dataUrl: 'data:image/png;base64,' }), 400, 'empty_file');
  });

  it('returns 400 for an SVG that is invalid or too complex', async () => {
    assertUploadRefused(
      await sendForm(Buffer.from('<html xmlns="http://www.w3.org/1999/xhtml"/>'), 'image/svg+xml'),
      400,
      'invalid_svg',
    );
    assertUploadRefused(await sendForm(Buffer.from('<svg><g></svg>'), 'image/svg+xml'), 400, 'invalid_svg');
    const deepSvg = `<svg xmlns="http://www.w3.org/2000/svg">${'<g>'.repeat(64)}${'</g>'.repeat(64)}</svg>`;
    assertUploadRefused(await sendForm(Buffer.from(deepSvg), 'image/svg+xml'), 400, 'svg_too_complex');
    const largeSvg = `<svg xmlns="http://www.w3.org/2000/svg">${'<g/>'.repeat(20_000)}</svg>`;
    assertUploadRefused(await sendDataUrl(Buffer.from(largeSvg), 'image/svg+xml'), 400, 'svg_too_complex');
  });

  it('returns 400 for malformed forms and forms without exactly one file', async () => {
    const png = await plainImage(2, 2, '#ff0000');
    const formWithoutFile = new FormData();
    formWithoutFile.append('width', '3');
    assertUploadRefused(await send({ body: formWithoutFile }), 400, 'invalid_request');
    const formOfTwoFiles = toForm(png, 'image/png');
    formOfTwoFiles.append('file', new Blob([new Uint8Array(png)], { type: 'image/png' }), 'b.png');
    assertUploadRefused(await send({ body: formOfTwoFiles }), 400, 'invalid_request');
    assertUploadRefused(await sendForm(png, 'image/png', { field: 'upload' }), 400, 'invalid_request');
    for (const fields of [
      { widht: '3' },
      { width: '-1' },
      { width: '1.5' },
      { duration: '90000' },
      { height: 'x' },
    ] as Record<string, string>[]) {
      assertUploadRefused(await sendForm(png, 'image/png', { fields }), 400, 'invalid_request');
    }
    const headers = { 'content-type': 'multipart/form-data; boundary=x' };
    for (const body of [
      '',
      '--x--',
      '--x\r\n',
      'nothing',
      '--x\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\nabc',
    ]) {
      assertUploadRefused(await send({ body, headers }), 400, 'invalid_request');
    }
    assertUploadRefused(
      await send({ body: 'x', headers: { 'content-type': 'multipart/form-data' } }),
      400,
      'invalid_request',
    );
  });

  it('returns 400 for JSON without exactly one valid file', async () => {
    const png = await plainImage(2, 2, '#ff0000');
    const dataUrl = `data:image/png;base64,${png.toString('base64')}`;
    for (const body of [
      {},
      { dataUrl, url: 'http://example.com/a.png' },
      { dataUrl, more: 1 },
      { dataUrl, width: 0 },
      { dataUrl: 'x' },
      { dataUrl: 'data:image/png;base64' },
      { dataUrl: 'data:image/png;base64,a*b' },
      { dataUrl: 'data:image/png;base64,abcde' },
      { dataUrl: 'data:image/svg+xml,%zz' },
      { dataUrl: 7 },
    ]) {
      assertUploadRefused(await sendJson(body), 400, 'invalid_request');
    }
  });

  it('returns 400 fetch_failed for URLs that may not be fetched', async () => {
    for (const url of [
      'http://127.0.0.1:1/a.png',
      'http://169.254.169.254/',
      'ftp://example.com/a',
      'nonsense',
      `${origin}/healthz`,
    ]) {
      assertUploadRefused(await sendJson({ url }), 400, 'fetch_failed');
    }
  });

  it('returns 415 for a body of another type', async () => {
    assertUploadRefused(
      await send({ body: 'x', headers: { 'content-type': 'image/png' } }),
      415,
      'unsupported_type',
    );
  });

  it('returns 401 without a key or without workflows:write', async () => {
    const reader = await test.withScopes(owner, ['workflows:read']);
    assertUploadRefused(
      await send({ body: toForm(Buffer.from('x'), 'image/png') }, reader),
      401,
      'insufficient_scope',
    );
    const unauthorized = await fetch(`${origin}/api/v1/media/upload`, {
      method: 'POST',
      body: toForm(Buffer.from('x'), 'image/png'),
    });
    assert.equal(unauthorized.status, 401);
  });
});

it('POST /media/upload leaves no orphans', async () => {
  const { rows } = await test.deps.db.query('select id from media_strays');
  assert.deepEqual(rows, []);
});
