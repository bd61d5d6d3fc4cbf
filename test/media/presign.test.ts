// Tests presigned uploads: signed requests are accepted, and changed requests are refused with the error of S3.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SaxesParser } from 'saxes';
import { type PresignedPut, presignPut, verifyPresignedPut } from '../../src/media/presign.ts';
import { renderS3Error, S3Error, type S3ErrorCode } from '../../src/media/s3-error.ts';

const KEY = { accessKeyId: 'graphwright', secretAccessKey: 'x'.repeat(64), region: 'local' };
const NOW = Date.parse('2026-11-21T12:00:00.500Z');
const URL_BASE = 'http://localhost:3000/uploads/pending-med_01kadj3vc8aaaaaaaaaaaaaaaa';

const presign = (): Promise<PresignedPut> =>
  presignPut(KEY, { url: URL_BASE, contentType: 'image/png', bytes: 5, nowMs: NOW });
/** Returns the signed headers in Node's format, with headers that clients and proxies add. */
const toReceivedHeaders = (
  { headers }: PresignedPut,
  changes: Record<string, string | undefined> = {},
): Record<string, string | undefined> => ({
  host: 'proxy.internal',
  accept: '*/*',
  'user-agent': 'curl/8',
  'content-type': headers['Content-Type'],
  'content-length': headers['Content-Length'],
  'cache-control': headers['Cache-Control'],
  ...changes,
});

async function assertRefused(
  url: string,
  headers: Record<string, string | undefined>,
  code: S3ErrorCode,
  nowMs = NOW,
): Promise<void> {
  await assert.rejects(
    verifyPresignedPut(KEY, { url, headers, nowMs }),
    (err: S3Error) => err instanceof S3Error && err.code === code,
    `${code}: ${url}`,
  );
}

test('presignPut returns a URL that is valid for 15 minutes with the signed headers', async () => {
  const presigned = await presign();
  assert.deepEqual(presigned.headers, {
    'Content-Type': 'image/png',
    'Content-Length': '5',
    'Cache-Control': 'public, max-age=31536000, immutable',
  });
  assert.equal(presigned.expiresAt.toISOString(), '2026-11-21T12:15:00.000Z');
  for (const nowMs of [NOW, NOW + 899_000, NOW - 899_000])
    await verifyPresignedPut(KEY, { url: presigned.uploadUrl, headers: toReceivedHeaders(presigned), nowMs });
});

test('verifyPresignedPut: SignatureDoesNotMatch for a changed header or URL', async () => {
  const presigned = await presign();
  for (const changes of [
    { 'content-type': 'image/jpeg' },
    { 'content-type': 'image/png; x=y' },
    { 'content-type': undefined },
    { 'content-length': '6' },
    { 'cache-control': 'no-store' },
    { 'cache-control': undefined },
  ]) {
    await assertRefused(presigned.uploadUrl, toReceivedHeaders(presigned, changes), 'SignatureDoesNotMatch');
  }
  const changes: readonly (readonly [string, string])[] = [
    ['pending-med_01k', 'pending-med_02k'],
    ['/uploads/', '/other/'],
    ['localhost', 'evil.example'],
    [':3000', ':3001'],
    ['X-Amz-Expires=900', 'X-Amz-Expires=901'],
    ['T120000Z', 'T120001Z'],
    ['X-Amz-SignedHeaders=', 'X-Amz-SignedHeaders=accept%3B'],
    ['X-Amz-Algorithm', 'extra=1&X-Amz-Algorithm'],
    ['X-Amz-Signature=', 'X-Amz-Signature=0'],
  ];
  for (const [from, to] of changes) {
    const changedUrl = presigned.uploadUrl.replace(from, to);
    assert.notEqual(changedUrl, presigned.uploadUrl, from);
    await assertRefused(changedUrl, toReceivedHeaders(presigned), 'SignatureDoesNotMatch');
  }
});

test('verifyPresignedPut names the headers that differ from the issued ones', async () => {
  const presigned = await presign();
  const send = (changes: Record<string, string | undefined>, url = presigned.uploadUrl) =>
    verifyPresignedPut(KEY, {
      url,
      headers: toReceivedHeaders(presigned, changes),
      nowMs: NOW,
      findFile: async () => ({ contentType: 'image/png', bytes: 5 }),
    });
  for (const [changes, message] of [
    [
      { 'content-type': 'image/jpeg' },
      'The header content-type is "image/jpeg", but "image/png" was issued.',
    ],
    [{ 'content-type': undefined }, 'The header content-type is missing, but "image/png" was issued.'],
    [{ 'content-length': '6' }, 'The header content-length is "6", but "5" was issued.'],
    [
      { 'content-type': 'x'.repeat(1000), 'cache-control': 'no-store' },
      `The header content-type is "${'x'.repeat(200)}", but "image/png" was issued. The header cache-control is "no-store", but "public, max-age=31536000, immutable" was issued.`,
    ],
  ] as const)
    await assert.rejects(send(changes), { name: 'S3Error', code: 'SignatureDoesNotMatch', message });
  // Whoever does not have the signed URL does not learn the type and size of the file.
  const changedUrl = presigned.uploadUrl.replace('X-Amz-Signature=', 'X-Amz-Signature=0');
  await assert.rejects(
    send({ 'content-type': 'image/jpeg' }, changedUrl),
    /The request differs from the signed one\./,
  );
});

test('verifyPresignedPut: AccessDenied if the request is late, early or not signed', async () => {
  const presigned = await presign();
  await assertRefused(presigned.uploadUrl, toReceivedHeaders(presigned), 'AccessDenied', NOW + 900_000);
  await assertRefused(presigned.uploadUrl, toReceivedHeaders(presigned), 'AccessDenied', NOW - 901_000);
  for (const url of [
    URL_BASE,
    presigned.uploadUrl.replace(/&X-Amz-Signature=[^&]*/, ''),
    presigned.uploadUrl.replace('content-length%3B', ''),
  ])
    await assertRefused(url, toReceivedHeaders(presigned), 'AccessDenied');
});

test('verifyPresignedPut: an S3 error for each malformed query', async () => {
  const presigned = await presign();
  const change = (name: string, value: string): string => {
    const url = new URL(presigned.uploadUrl);
    url.searchParams.set(`X-Amz-${name}`, value);
    return url.href;
  };
  const code = 'AuthorizationQueryParametersError';
  for (const value of ['AWS4-HMAC-SHA1', '', 'x'.repeat(2000)])
    await assertRefused(change('Algorithm', value), toReceivedHeaders(presigned), code);
  for (const value of ['0', '-1', '604801', '1e3', 'NaN', '', '9999999'])
    await assertRefused(change('Expires', value), toReceivedHeaders(presigned), code);
  for (const name of ['Expires', 'Date', 'Credential', 'Signature'])
    await assertRefused(`${presigned.uploadUrl}&X-Amz-${name}=1`, toReceivedHeaders(presigned), code);
  for (const value of ['20261121T120000', '20261321T120000Z', '20261121', ''])
    await assertRefused(
      change('Date', value),
      toReceivedHeaders(presigned),
      value.startsWith('20261121') ? code : 'InvalidAccessKeyId',
    );
  for (const value of [
    'other/20261121/local/s3/aws4_request',
    'graphwright/20261121/local/iam/aws4_request',
    'graphwright',
    '',
  ])
    await assertRefused(change('Credential', value), toReceivedHeaders(presigned), 'InvalidAccessKeyId');
  for (const value of ['', '__proto__', 'host;host', '\0', 'Host;Content-Type;Content-Length;Cache-Control'])
    await assertRefused(change('SignedHeaders', value), toReceivedHeaders(presigned), 'AccessDenied');
});

test('verifyPresignedPut: MissingContentLength for a body of unknown size', async () => {
  const presigned = await presign();
  await assertRefused(
    presigned.uploadUrl,
    toReceivedHeaders(presigned, { 'content-length': undefined, 'transfer-encoding': 'chunked' }),
    'MissingContentLength',
  );
});

test('verifyPresignedPut: SignatureDoesNotMatch for a signature with another key', async () => {
  const forged = await presignPut(
    { ...KEY, secretAccessKey: 'y'.repeat(64) },
    { url: URL_BASE, contentType: 'image/png', bytes: 5, nowMs: NOW },
  );
  await assertRefused(forged.uploadUrl, toReceivedHeaders(forged), 'SignatureDoesNotMatch');
});

test('renderS3Error returns valid XML for any URL', () => {
  const xml = renderS3Error(
    new S3Error('SignatureDoesNotMatch', 'a < b & "c"'),
    `/x<script>\0${String.fromCharCode(0xd800)}🧀`,
    'id',
  );
  const texts: string[] = [];
  const parser = new SaxesParser();
  parser.on('text', text => texts.push(text));
  parser.write(xml).close();
  assert.deepEqual(
    texts.filter(text => text.trim() !== ''),
    ['SignatureDoesNotMatch', 'a < b & "c"', '/x<script>\ufffd🧀', 'id'],
  );
});
