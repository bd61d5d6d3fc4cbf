// Hashes against published vectors; sealed texts against every altered byte.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { hmacSha256Hex, mintApiKey, open, safeEqual, seal, sha256, sha256Hex } from '../../src/lib/crypto.ts';

test('hashes and keyed hashes equal the published vectors', () => {
  const abc = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
  assert.equal(sha256Hex('abc'), abc);
  assert.equal(sha256(Buffer.from('abc')).toString('hex'), abc);
  const rfc4231 = '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843';
  assert.equal(hmacSha256Hex('Jefe', 'what do ya want for nothing?'), rfc4231);
});

test('safeEqual compares texts of any length', () => {
  assert.equal(safeEqual('', ''), true);
  assert.equal(safeEqual('sk-ä', 'sk-ä'), true);
  assert.equal(safeEqual('sk-a', 'sk-b'), false);
  assert.equal(safeEqual('sk-a', 'sk-a '), false);
  assert.equal(safeEqual('x'.repeat(10_000), 'x'), false);
});

test('minted keys carry 256 random bits', () => {
  const keys = new Set(Array.from({ length: 100 }, mintApiKey));
  assert.equal(keys.size, 100);
  for (const key of keys) assert.match(key, /^sk-[A-Za-z0-9_-]{43}$/);
});

test('a sealed text opens with its key and is sealed anew each time', () => {
  const key = randomBytes(32);
  for (const text of ['', 'geheim 🔑', 'x'.repeat(100_000)]) assert.equal(open(key, seal(key, text)), text);
  assert.notDeepEqual(seal(key, 'same'), seal(key, 'same'));
});

test('a sealed text does not open with another key, altered or cut anywhere', () => {
  const key = randomBytes(32);
  const sealed = seal(key, 'secret');
  assert.throws(() => open(randomBytes(32), sealed), /SECRETS_KEY/);
  for (let at = 0; at < sealed.length; at++) {
    const altered = Buffer.from(sealed);
    altered.writeUInt8(altered.readUInt8(at) ^ 1, at);
    assert.throws(() => open(key, altered), `byte ${at}`);
    assert.throws(() => open(key, sealed.subarray(0, at)), `cut at ${at}`);
  }
});
