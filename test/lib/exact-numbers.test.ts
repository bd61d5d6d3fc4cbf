// Tests which numbers of a JSON text markInexactNumbers marks, and that all other bytes stay unchanged.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { markInexactNumbers } from '../../src/lib/exact-numbers.ts';

const readInConfig = (literal: string): unknown =>
  JSON.parse(markInexactNumbers(`{"nodes":[{"data":{"config":{"n":[${literal}]}}}]}`)).nodes[0].data.config
    .n[0];
const readInPosition = (literal: string): unknown =>
  JSON.parse(markInexactNumbers(`{"nodes":[{"position":{"x":${literal}},"data":{}}]}`)).nodes[0].position.x;

describe('markInexactNumbers', () => {
  const UNCHANGED =
    `0 -0 1 1.0 1.50 -12 0.1 1e2 1E+2 1.5e-7 0e999999999999 -0.0e5 100.33333333333333 0.30000000000000004
    9007199254740991 9007199254740992 -9007199254740994 1e21 1.7976931348623157e308 5e-324 12345678901234567000
    123456789012345680000.0 0.1000000000000000000000000 1000000000000000000000000e-24`.split(/\s+/);
  for (const literal of UNCHANGED) {
    it(`keeps ${literal}`, () => {
      assert.equal(readInConfig(literal), Number(literal));
      assert.equal(readInPosition(literal), Number(literal));
    });
  }

  for (const literal of [
    '12345678901234567890',
    '-9007199254740993',
    '1e400',
    '-1e400',
    '12345678901234567890e0',
  ]) {
    it(`marks ${literal}`, () => {
      assert.equal(readInConfig(literal), Number.POSITIVE_INFINITY);
      assert.equal(readInPosition(literal), Number.POSITIVE_INFINITY);
    });
  }

  for (const literal of [
    '0.1234567890123456789',
    '0.10000000000000001',
    '1e-400',
    '1.00000000000000000001',
  ]) {
    it(`marks ${literal} in a config and keeps it in a position`, () => {
      assert.equal(readInConfig(literal), Number.POSITIVE_INFINITY);
      assert.equal(readInPosition(literal), Number(literal));
    });
  }

  it('ignores strings', () => {
    const texts = ['12345678901234567890', 'a"12345678901234567890', '\\', '\\"1e400', 'e{[1e400'];
    const text = JSON.stringify({ data: { config: Object.fromEntries(texts.map(item => [item, item])) } });
    assert.equal(markInexactNumbers(text), text);
  });

  it('marks several numbers inside and outside of configs', () => {
    const text =
      '{"data":{"a":1e400,"config":{"b":0.12345678901234567890}},"x":0.12345678901234567890,"config":[0.12345678901234567890]}';
    assert.equal(
      markInexactNumbers(text),
      '{"data":{"a":1e999,"config":{"b":1e999}},"x":0.12345678901234567890,"config":[1e999]}',
    );
  });

  it('returns invalid JSON unchanged', () => {
    for (const text of [
      '',
      '{',
      '"',
      '{"a":1e}',
      '[1-2-3e4-5678901234567890]',
      '1.2.3.4.5.6.7.8.9.10',
      '}}]]',
    ])
      assert.equal(markInexactNumbers(text), text);
  });

  it('takes linear time', () => {
    const digits = `1${'0'.repeat(2_000_000)}1`;
    const start = performance.now();
    for (const literal of [digits, `0.${digits}`, `1e${'0'.repeat(2_000_000)}`])
      markInexactNumbers(`{"config":${literal}}`);
    markInexactNumbers(`"${'\\'.repeat(4_000_000)}`);
    assert.ok(performance.now() - start < 20_000);
  });
});
