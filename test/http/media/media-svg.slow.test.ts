// Tests SVG uploads by form, data URL and URL: which elements are removed, limits, and response headers.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { type ApiUser, createTestApp, type TestApp } from '../../support/app.ts';

let test: TestApp;
let user: ApiUser;
let imageServer: Server;
let imageUrl: string;
let servedSvg = '';
before(async () => {
  test = await createTestApp({ env: { ALLOW_PRIVATE_NETWORK: 'true' } });
  user = await test.createUser();
  imageServer = createServer((_, res) =>
    res.writeHead(200, { 'content-type': 'image/svg+xml' }).end(servedSvg),
  );
  imageServer.listen(0, '127.0.0.1');
  await once(imageServer, 'listening');
  imageUrl = `http://127.0.0.1:${(imageServer.address() as AddressInfo).port}/a.svg`;
});
after(async () => {
  imageServer.close();
  await test.close();
});

interface UploadResponse {
  readonly status: number;
  readonly body: {
    readonly url: string;
    readonly bytes: number;
    readonly warnings?: readonly string[];
    readonly contentType: string;
    readonly code?: string;
    readonly error?: string;
  };
}

const BOUNDARY = 'form-of-one-file';
const UPLOADS: Readonly<Record<string, (svg: string) => Promise<UploadResponse>>> = {
  'a form': async svg => {
    const response = await test.app.inject({
      method: 'POST',
      url: '/api/v1/media/upload',
      headers: {
        authorization: `Bearer ${user.key}`,
        'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
      },
      payload: `--${BOUNDARY}\r\ncontent-disposition: form-data; name="file"; filename="a.svg"\r\ncontent-type: image/svg+xml\r\n\r\n${svg}\r\n--${BOUNDARY}--\r\n`,
    });
    return { status: response.statusCode, body: response.json() };
  },
  'a data URL': svg =>
    user.request('POST', '/media/upload', {
      dataUrl: `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`,
    }),
  'a URL': svg => {
    servedSvg = svg;
    return user.request('POST', '/media/upload', { url: imageUrl });
  },
};

const wrap = (inner: string, before = ''): string =>
  `${before}<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="9" height="9">${inner}<path d="M0 0h9"/></svg>`;

const UNSAFE_SVGS: readonly (readonly [label: string, svg: string, unsafe: RegExp])[] = [
  ['a script', wrap('<script>alert(1)</script>'), /script|alert/],
  ['an event handler', wrap('<rect width="1" height="1" onload="alert(1)"/>'), /onload|alert/],
  ['foreignObject', wrap('<foreignObject><p>x</p></foreignObject>'), /foreignObject|<p>/],
  ['an image element', wrap('<image href="https://a.example/x.png"/>'), /<image|a\.example/],
  ['a link', wrap('<a href="https://a.example/"><rect width="1" height="1"/></a>'), /<a |a\.example/],
  ['an animation', wrap('<rect><animate attributeName="x" to="9"/></rect>'), /animate/],
  [
    'an external URL',
    wrap('<use href="https://a.example/x#y"/><rect fill="url(https://a.example/#z)"/>'),
    /a\.example/,
  ],
  ['a data: URL', wrap('<use xlink:href="data:image/svg+xml,x"/><rect fill="url(data:x)"/>'), /data:/],
  ['@import', wrap('<style>@import "https://a.example/x.css";</style>'), /@import|a\.example/],
  [
    'a DOCTYPE with entities',
    wrap('', '<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]>'),
    /DOCTYPE|ENTITY|passwd/,
  ],
];

async function read(url: string) {
  const { body, headers } = await test.app.inject({ url: new URL(url).pathname });
  return { body, headers };
}

for (const [uploadKind, send] of Object.entries(UPLOADS))
  describe(`SVG uploaded by ${uploadKind}`, () => {
    for (const [label, svg, unsafe] of UNSAFE_SVGS)
      it(`is stored without ${label}`, async () => {
        const response = await send(svg);
        assert.equal(response.status, 200, response.body.error);
        const { body, headers } = await read(response.body.url);
        assert.doesNotMatch(body, unsafe);
        assert.match(body, /<path/);
        assert.equal(Buffer.byteLength(body), response.body.bytes);
        assert.match(String(headers['content-type']), /^image\/svg\+xml/);
        assert.match(String(headers['content-disposition']), /^attachment/);
      });

    it('answers with what was removed', async () => {
      const { body } = await send(wrap('<text>x</text><style>g path{fill:red}</style>'));
      assert.deepEqual(body.warnings, [
        'Elements of these kinds were removed: text.',
        'These rules of its style sheet were not applied: g path.',
      ]);
      assert.equal((await send(wrap(''))).body.warnings, undefined);
    });

    it('keeps gradients, clips, masks and internal references', async () => {
      const response = await send(
        wrap(
          '<defs><linearGradient id="g"><stop offset="0"/></linearGradient><clipPath id="c"><circle r="3"/></clipPath><mask id="m"><circle r="3"/></mask></defs><use href="#g"/><rect width="3" height="3" fill="url(#g)" clip-path="url(#c)" mask="url(#m)"/>',
        ),
      );
      const { body } = await read(response.body.url);
      for (const text of ['linearGradient', 'clipPath', 'mask', '<use', '"#g"', 'url(#g)'])
        assert.ok(body.includes(text), `${text}: ${body}`);
    });

    const createNested = (depth: number) =>
      `<svg xmlns="http://www.w3.org/2000/svg">${'<g>'.repeat(depth - 1)}${'</g>'.repeat(depth - 1)}</svg>`;
    const createMany = (count: number) =>
      `<svg xmlns="http://www.w3.org/2000/svg">${'<g/>'.repeat(count - 1)}</svg>`;
    const LIMITS = [
      ['64 levels, including the root', createNested(64), 200],
      ['65 levels', createNested(65), 'svg_too_complex'],
      ['20,000 elements, including the root', createMany(20_000), 200],
      ['20,001 elements', createMany(20_001), 'svg_too_complex'],
      ['another root than svg', '<g xmlns="http://www.w3.org/2000/svg"/>', 'invalid_svg'],
    ] as const;
    for (const [label, svg, expected] of LIMITS)
      it(`is ${expected === 200 ? 'accepted' : 'refused'} with ${label}`, async () => {
        const { status, body } = await send(svg);
        assert.deepEqual(
          [status, body.code],
          expected === 200 ? [200, undefined] : [400, expected],
          body.error,
        );
      });
  });
