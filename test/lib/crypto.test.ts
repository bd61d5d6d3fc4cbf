// Tests hashes with published vectors, generated keys, and encryption.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import {
  decrypt,
  encrypt,
  generateApiKey,
  hmacSha256Hex,
  safeEqual,
  sha256,
  sha256Hex,
} from '../../src/lib/crypto.ts';

test('sha256 and hmacSha256Hex return the published vectors', () => {
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

test('generateApiKey returns 256 random bits', () => {
  const keys = new Set(Array.from({ length: 100 }, generateApiKey));
  assert.equal(keys.size, 100);
  for (const key of keys) assert.match(key, /^sk-[A-Za-z0-9_-]{43}$/);
});

test('decrypt returns the text of every ciphertext of encrypt', () => {
  const key = randomBytes(32);
  for (const text of ['', 'geheim 🔑', 'x'.repeat(100_000)])
    assert.equal(decrypt(key, encrypt(key, text)), text);
  assert.notDeepEqual(encrypt(key, 'same'), encrypt(key, 'same'));
});

test('decrypt rejects another key and an altered or truncated ciphertext', () => {
  const key = randomBytes(32);
  const encrypted = encrypt(key, 'secret');
  assert.throws(() => decrypt(randomBytes(32), encrypted), /SECRETS_KEY/);
  for (let index = 0; index < encrypted.length; index++) {
    const altered = Buffer.from(encrypted);
    altered.writeUInt8(altered.readUInt8(index) ^ 1, index);
    assert.throws(() => decrypt(key, altered), `byte ${index}`);
    assert.throws(() => decrypt(key, encrypted.subarray(0, index)), `truncated at ${index}`);
  }
});
