// Tests responses with media files: ranges, conditional requests, names and headers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type MediaResponse, type ServedFile, toMediaResponse } from '../../src/media/serve.ts';

const FILE: ServedFile = {
  name: 'cat.png',
  contentType: 'image/png',
  bytes: 1000,
  sha256: 'ab'.repeat(32),
  createdAt: new Date('2026-11-21T10:00:00.789Z'),
};
const ETAG = `"${'ab'.repeat(16)}"`;
const MODIFIED = 'Sat, 21 Nov 2026 10:00:00 GMT';

const get = (
  headers: Record<string, string | string[]> = {},
  info: Partial<ServedFile> = {},
): MediaResponse => toMediaResponse({ method: 'GET', headers }, { ...FILE, ...info });

test('toMediaResponse: 200 with the whole file and headers for browsers and caches', () => {
  assert.deepEqual(get(), {
    status: 200,
    headers: {
      'Access-Control-Allow-Origin': '*',
      'Access-Control-Expose-Headers': 'Accept-Ranges, Content-Length, Content-Range, ETag',
      'Cross-Origin-Resource-Policy': 'cross-origin',
      'X-Content-Type-Options': 'nosniff',
      'Cache-Control': 'public, max-age=31536000, immutable',
      ETag: ETAG,
      'Last-Modified': MODIFIED,
      'Content-Type': 'image/png',
      'Accept-Ranges': 'bytes',
      'Content-Disposition': `inline; filename="cat.png"; filename*=UTF-8''cat.png`,
      'Content-Length': '1000',
    },
  });
});

test('toMediaResponse: 200 for a HEAD request with the headers of a complete GET', () => {
  const head = toMediaResponse({ method: 'HEAD', headers: { range: 'bytes=0-9' } }, FILE);
  assert.deepEqual(head, get());
});

const RANGES: readonly (readonly [string, number, number])[] = [
  ['bytes=0-0', 0, 0],
  ['bytes=0-', 0, 999],
  ['bytes=10-19', 10, 19],
  ['bytes=990-5000', 990, 999],
  ['bytes=999-999', 999, 999],
  ['bytes=-1', 999, 999],
  ['bytes=-5000', 0, 999],
  ['BYTES=1-2', 1, 2],
  [`bytes=1-${'9'.repeat(400)}`, 1, 999],
];
for (const [range, start, end] of RANGES) {
  test(`toMediaResponse: 206 for ${range.slice(0, 20)}`, () => {
    const response = get({ range });
    assert.deepEqual([response.status, response.range], [206, { start, end }]);
    assert.equal(response.headers['Content-Range'], `bytes ${start}-${end}/1000`);
    assert.equal(response.headers['Content-Length'], String(end - start + 1));
  });
}

for (const range of ['bytes=1000-', 'bytes=1000-2000', 'bytes=-0', `bytes=${'9'.repeat(400)}-`]) {
  test(`toMediaResponse: 416 for ${range.slice(0, 20)}`, () => {
    const { status, headers } = get({ range });
    assert.equal(status, 416);
    assert.equal(headers['Content-Range'], 'bytes */1000');
    assert.equal(headers['Cache-Control'], undefined);
    assert.equal(headers['Access-Control-Allow-Origin'], '*');
  });
}

for (const range of [
  '',
  'bytes',
  'bytes=',
  'bytes=-',
  'bytes=5-4',
  'bytes=a-b',
  'bytes=1-2,5-6',
  'items=0-5',
  'bytes=1.5-3',
  'bytes=--1',
  'bytes=0x1-2',
]) {
  test(`toMediaResponse: 200 for the invalid range "${range}"`, () =>
    assert.equal(get({ range }).status, 200));
}

test('toMediaResponse: 200 for a range if If-Range names another version of the file', () => {
  const range = 'bytes=0-9';
  for (const current of [ETAG, MODIFIED])
    assert.equal(get({ range, 'if-range': current }).status, 206, current);
  for (const other of ['"other"', `W/${ETAG}`, 'Sat, 21 Nov 2026 10:00:01 GMT', 'x'])
    assert.equal(get({ range, 'if-range': other }).status, 200, other);
});

test('toMediaResponse: 304 if the client already has the file', () => {
  for (const tag of [ETAG, `W/${ETAG}`, `"x", ${ETAG}`, '*', ` ${ETAG} `]) {
    const { status, headers } = get({ 'if-none-match': tag, range: 'bytes=5000-' });
    assert.equal(status, 304, tag);
    assert.equal(headers.ETag, ETAG);
    assert.equal(headers['Content-Length'], undefined);
    assert.match(headers['Cache-Control'] ?? '', /immutable/);
  }
  for (const since of [MODIFIED, 'Sun, 22 Nov 2026 10:00:00 GMT'])
    assert.equal(get({ 'if-modified-since': since }).status, 304, since);
});

test('toMediaResponse: 200 if the client has another file or its condition is malformed', () => {
  for (const tag of ['"other"', 'ab', '', `"${ETAG}`])
    assert.equal(get({ 'if-none-match': tag }).status, 200, tag);
  for (const since of ['Sat, 21 Nov 2026 09:59:59 GMT', 'yesterday', ''])
    assert.equal(get({ 'if-modified-since': since }).status, 200, since);
  assert.equal(get({ 'if-none-match': '"other"', 'if-modified-since': MODIFIED }).status, 200);
});

test('toMediaResponse: an SVG is an attachment that cannot run scripts', () => {
  const { headers } = get({}, { contentType: 'image/svg+xml', name: 'logo.svg' });
  assert.match(headers['Content-Disposition'] ?? '', /^attachment; /);
  assert.equal(headers['Content-Security-Policy'], "default-src 'none'; style-src 'unsafe-inline'; sandbox");
  assert.equal(headers['X-Content-Type-Options'], 'nosniff');
});

test('toMediaResponse: a file name cannot escape its header or its quotes', () => {
  const names: readonly (readonly [string, string, string])[] = [
    ['a"; x="b.png', 'a_; x=_b.png', 'a%22%3B%20x%3D%22b.png'],
    ['a\r\nSet-Cookie: x.png', 'a__Set-Cookie: x.png', 'a%0D%0ASet-Cookie%3A%20x.png'],
    ['Käse 🧀.png', 'K_se _.png', 'K%C3%A4se%20%F0%9F%A7%80.png'],
    ["o'(a)*\\%41.png", "o'(a)*__41.png", 'o%27%28a%29%2A%5C%2541.png'],
    ['\ud800.png', '_.png', '%EF%BF%BD.png'],
    ['', '', ''],
  ];
  for (const [name, ascii, encoded] of names) {
    assert.equal(
      get({}, { name }).headers['Content-Disposition'],
      `inline; filename="${ascii}"; filename*=UTF-8''${encoded}`,
    );
  }
});
