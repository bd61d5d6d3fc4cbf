// Tests presigned uploads: issued URLs are accepted, and every change to them is refused as S3 would.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SaxesParser } from 'saxes';
import { type PutGrant, presignPut, verifyPresignedPut } from '../../src/media/presign.ts';
import { renderS3Error, S3Error, type S3ErrorCode } from '../../src/media/s3-error.ts';

const KEY = { accessKeyId: 'graphwright', secretAccessKey: 'x'.repeat(64), region: 'local' };
const NOW = Date.parse('2026-11-21T12:00:00.500Z');
const URL_BASE = 'http://localhost:3000/uploads/pending-med_01kadj3vc8aaaaaaaaaaaaaaaa';

const grant = (): Promise<PutGrant> =>
  presignPut(KEY, { url: URL_BASE, contentType: 'image/png', bytes: 5, nowMs: NOW });
/** The issued headers as Node parses them, with those that clients add. */
const arrived = (
  { headers }: PutGrant,
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

test('an upload URL is valid for 15 minutes, for the headers that it names', async () => {
  const issued = await grant();
  assert.deepEqual(issued.headers, {
    'Content-Type': 'image/png',
    'Content-Length': '5',
    'Cache-Control': 'public, max-age=31536000, immutable',
  });
  assert.equal(issued.expiresAt.toISOString(), '2026-11-21T12:15:00.000Z');
  for (const nowMs of [NOW, NOW + 899_000, NOW - 899_000])
    await verifyPresignedPut(KEY, { url: issued.uploadUrl, headers: arrived(issued), nowMs });
});

test('SignatureDoesNotMatch: a header or part of the URL that differs', async () => {
  const issued = await grant();
  for (const changes of [
    { 'content-type': 'image/jpeg' },
    { 'content-type': 'image/png; x=y' },
    { 'content-type': undefined },
    { 'content-length': '6' },
    { 'cache-control': 'no-store' },
    { 'cache-control': undefined },
  ]) {
    await assertRefused(issued.uploadUrl, arrived(issued, changes), 'SignatureDoesNotMatch');
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
    const changed = issued.uploadUrl.replace(from, to);
    assert.notEqual(changed, issued.uploadUrl, from);
    await assertRefused(changed, arrived(issued), 'SignatureDoesNotMatch');
  }
});

test('AccessDenied: too late, too early, or without a signature', async () => {
  const issued = await grant();
  await assertRefused(issued.uploadUrl, arrived(issued), 'AccessDenied', NOW + 900_000);
  await assertRefused(issued.uploadUrl, arrived(issued), 'AccessDenied', NOW - 901_000);
  for (const url of [
    URL_BASE,
    issued.uploadUrl.replace(/&X-Amz-Signature=[^&]*/, ''),
    issued.uploadUrl.replace('content-length%3B', ''),
  ])
    await assertRefused(url, arrived(issued), 'AccessDenied');
});

test('malformed queries are refused without an exception', async () => {
  const issued = await grant();
  const change = (name: string, value: string): string => {
    const url = new URL(issued.uploadUrl);
    url.searchParams.set(`X-Amz-${name}`, value);
    return url.href;
  };
  const code = 'AuthorizationQueryParametersError';
  for (const value of ['AWS4-HMAC-SHA1', '', 'x'.repeat(2000)])
    await assertRefused(change('Algorithm', value), arrived(issued), code);
  for (const value of ['0', '-1', '604801', '1e3', 'NaN', '', '9999999'])
    await assertRefused(change('Expires', value), arrived(issued), code);
  for (const name of ['Expires', 'Date', 'Credential', 'Signature'])
    await assertRefused(`${issued.uploadUrl}&X-Amz-${name}=1`, arrived(issued), code);
  for (const value of ['20261121T120000', '20261321T120000Z', '20261121', ''])
    await assertRefused(
      change('Date', value),
      arrived(issued),
      value.startsWith('20261121') ? code : 'InvalidAccessKeyId',
    );
  for (const value of [
    'other/20261121/local/s3/aws4_request',
    'graphwright/20261121/local/iam/aws4_request',
    'graphwright',
    '',
  ])
    await assertRefused(change('Credential', value), arrived(issued), 'InvalidAccessKeyId');
  for (const value of ['', '__proto__', 'host;host', '\0', 'Host;Content-Type;Content-Length;Cache-Control'])
    await assertRefused(change('SignedHeaders', value), arrived(issued), 'AccessDenied');
});

test('MissingContentLength: a body of unknown size', async () => {
  const issued = await grant();
  await assertRefused(
    issued.uploadUrl,
    arrived(issued, { 'content-length': undefined, 'transfer-encoding': 'chunked' }),
    'MissingContentLength',
  );
});

test('a signature with another key is not valid', async () => {
  const forged = await presignPut(
    { ...KEY, secretAccessKey: 'y'.repeat(64) },
    { url: URL_BASE, contentType: 'image/png', bytes: 5, nowMs: NOW },
  );
  await assertRefused(forged.uploadUrl, arrived(forged), 'SignatureDoesNotMatch');
});

test('the response is XML, whatever the URL contains', () => {
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
