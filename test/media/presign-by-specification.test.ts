// Tests presigned uploads with signatures that are computed by the AWS specification (Signature Version 4, query
// parameters), without the library.
import assert from 'node:assert/strict';
import { createHash, createHmac } from 'node:crypto';
import { test } from 'node:test';
import { presignPut, verifyPresignedPut } from '../../src/media/presign.ts';

const KEY = { accessKeyId: 'graphwright', secretAccessKey: 'k'.repeat(64), region: 'local' };
const NOW_MS = Date.parse('2026-11-21T12:00:00Z');
const DATE = '20261121T120000Z';
const HEADERS = {
  'cache-control': 'public, max-age=31536000, immutable',
  'content-length': '5',
  'content-type': 'image/png',
} as const;

const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const encode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, char => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);

/** Returns the query of the URL, including the signature. */
function sign(host: string, path: string): string {
  const day = DATE.slice(0, 8);
  const scope = `${day}/${KEY.region}/s3/aws4_request`;
  const signedHeaders = { ...HEADERS, host };
  const names = Object.keys(signedHeaders).sort();
  const query = {
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Credential': `${KEY.accessKeyId}/${scope}`,
    'X-Amz-Date': DATE,
    'X-Amz-Expires': '900',
    'X-Amz-SignedHeaders': names.join(';'),
  };
  const canonicalQuery = Object.entries(query)
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort()
    .join('&');
  const canonicalHeaders = names
    .map(name => `${name}:${signedHeaders[name as keyof typeof signedHeaders]}\n`)
    .join('');
  const canonical = ['PUT', path, canonicalQuery, canonicalHeaders, names.join(';'), 'UNSIGNED-PAYLOAD'].join(
    '\n',
  );
  const toSign = ['AWS4-HMAC-SHA256', DATE, scope, sha256(canonical)].join('\n');
  const key = [KEY.region, 's3', 'aws4_request'].reduce(hmac, hmac(`AWS4${KEY.secretAccessKey}`, day));
  return `${canonicalQuery}&X-Amz-Signature=${hmac(key, toSign).toString('hex')}`;
}

const HOST = 'studio.example.com:8443';
const PATH = '/graphs/uploads/med_01kadj3vc8aaaaaaaaaaaaaaaa';

test('verifyPresignedPut accepts only a signature that follows the specification', async () => {
  const url = `https://${HOST}${PATH}?${sign(HOST, PATH)}`;
  await verifyPresignedPut(KEY, { url, headers: HEADERS, nowMs: NOW_MS });
  const changedHeaders = { ...HEADERS, 'content-length': '6' };
  const code = 'SignatureDoesNotMatch';
  await assert.rejects(verifyPresignedPut(KEY, { url, headers: changedHeaders, nowMs: NOW_MS }), { code });
  const changedUrl = url.replace('8443', '8444');
  await assert.rejects(verifyPresignedPut(KEY, { url: changedUrl, headers: HEADERS, nowMs: NOW_MS }), {
    code,
  });
});

test('presignPut signs URLs as the specification says', async () => {
  const put = { url: `https://${HOST}${PATH}`, contentType: 'image/png', bytes: 5, nowMs: NOW_MS };
  const { uploadUrl } = await presignPut(KEY, put);
  const expected = new URLSearchParams(sign(HOST, PATH));
  assert.deepEqual([...new URL(uploadUrl).searchParams].sort(), [...expected].sort());
});
