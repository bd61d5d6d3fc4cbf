// Tests the canonical JSON of values, and its hash.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { hashCanonicalJson, toCanonicalJson } from '../../src/lib/canonical-json.ts';
import { sha256Hex } from '../../src/lib/crypto.ts';
import { parseExactJson } from '../../src/lib/exact-numbers.ts';
import { JsonText } from '../../src/lib/json-text.ts';

const VALUES: Readonly<Record<string, readonly [value: object, text: string]>> = {
  'members in any order': [
    { b: 1, a: { d: [1, { z: null, y: 'é"\\' }], c: true }, '': 0, 10: 1, 9: 2 },
    '{"9":2,"10":1,"":0,"a":{"c":true,"d":[1,{"y":"é\\"\\\\","z":null}]},"b":1}',
  ],
  'omitted members': [{ a: undefined, b: [], c: {}, d: { e: undefined } }, '{"b":[],"c":{},"d":{}}'],
  'exact numbers': [
    parseExactJson('{"a":12345678901234567890,"b":[1.00000000000000000001,2]}') as object,
    '{"a":{"rawJSON":"12345678901234567890"},"b":[{"rawJSON":"1.00000000000000000001"},2]}',
  ],
  'values with a text': [
    { inputs: JsonText.of({ b: 1, a: 2 }), list: [JsonText.of('x')] },
    '{"inputs":{"a":2,"b":1},"list":["x"]}',
  ],
  'a list': [[1, 'a', null, [[]]], '[1,"a",null,[[]]]'],
  'a special name': [JSON.parse('{"__proto__":{"b":1},"a":2}') as object, '{"__proto__":{"b":1},"a":2}'],
};

describe('canonical JSON', () => {
  for (const [name, [value, text]] of Object.entries(VALUES))
    it(`writes and hashes ${name}`, async () => {
      assert.equal(toCanonicalJson(value), text);
      assert.equal(await hashCanonicalJson(value), sha256Hex(text));
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
