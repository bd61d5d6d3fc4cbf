// Tests that values are hashed like their canonical JSON.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { sha256Hex } from '../../src/lib/crypto.ts';
import { parseExactJson } from '../../src/lib/exact-numbers.ts';
import { hashCanonicalJson } from '../../src/lib/json-hash.ts';
import { JsonText } from '../../src/lib/json-text.ts';
import { toCanonicalJson } from '../../src/lib/record.ts';

const VALUES: Readonly<Record<string, object>> = {
  'members in any order': { b: 1, a: { d: [1, { z: null, y: 'é"\\' }], c: true }, '': 0, 10: 1, 9: 2 },
  'omitted members': { a: undefined, b: [], c: {}, d: { e: undefined } },
  'exact numbers': parseExactJson('{"a":12345678901234567890,"b":[1.00000000000000000001,2]}') as object,
  'values with a text': { inputs: JsonText.of({ b: 1, a: 2 }), list: [JsonText.of('x')] },
  'a list': [1, 'a', null, [[]]],
  'a special name': JSON.parse('{"__proto__":{"b":1},"a":2}') as object,
};

describe('hashCanonicalJson', () => {
  for (const [name, value] of Object.entries(VALUES))
    it(`hashes ${name} like toCanonicalJson`, async () => {
      assert.equal(await hashCanonicalJson(value), sha256Hex(toCanonicalJson(value)));
    });

  it('lets the event loop turn', async () => {
    const value = { list: Array.from({ length: 100_000 }, (_, index) => ({ b: index, a: 'x' })) };
    let turns = 0;
    let isDone = false;
    const counting = (async () => {
      for (; !isDone; turns++) await nextTurn();
    })();
    const hash = await hashCanonicalJson(value).finally(() => {
      isDone = true;
    });
    await counting;
    assert.ok(turns > 2, String(turns));
    assert.equal(hash, sha256Hex(toCanonicalJson(value)));
  });
});
