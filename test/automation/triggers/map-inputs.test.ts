// Tests how the payload of a trigger becomes the inputs of a run.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { mapInputs } from '../../../src/automation/triggers/map-inputs.ts';
import { parseExactJson } from '../../../src/lib/exact-numbers.ts';

/** Returns pointers of this many inputs to the same value. */
const repeat = (pointer: string, count: number): string =>
  JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, index) => [`n${index}`, pointer])));

describe('mapInputs', () => {
  it('selects values by JSON pointers, and omits those that do not exist', () => {
    const pointers = JSON.stringify({ a: '/list/1', b: '', c: '/no', d: '/a~1b', e: '/nothing' });
    const payload = { list: [1, { x: 2 }], 'a/b': 'text', nothing: null };
    assert.deepEqual(JSON.parse(mapInputs(pointers, payload)), { a: { x: 2 }, b: payload, d: 'text' });
  });

  it('keeps the digits of numbers', () => {
    const payload = parseExactJson('{"id":7615917337495251231,"list":[0.1234567890123456789]}');
    const pointers = JSON.stringify({ a: '/id', b: '/list', c: '/id/rawJSON' });
    assert.equal(mapInputs(pointers, payload), '{"a":7615917337495251231,"b":[0.1234567890123456789]}');
  });

  it('refuses inputs of more than 4 MB in all, however small the payload', () => {
    const payload = { text: 'x'.repeat(100_000) };
    assert.equal(Object.keys(JSON.parse(mapInputs(repeat('/text', 41), payload)) as object).length, 41);
    assert.throws(() => mapInputs(repeat('', 1000), payload), {
      code: 'payload_too_large',
      message: /more than 4194304 bytes in all\. Map fewer inputs/,
    });
  });

  it('serializes a value once, and none beyond the limit', () => {
    const counts = { shared: 0, late: 0 };
    const createValue = (name: keyof typeof counts) => ({
      toJSON: () => {
        counts[name]++;
        return 'x'.repeat(500_000);
      },
    });
    const payload = { shared: createValue('shared'), late: createValue('late') };
    const pointers = `${repeat('/shared', 100).slice(0, -1)},"late":"/late"}`;
    assert.throws(() => mapInputs(pointers, payload), { code: 'payload_too_large' });
    assert.deepEqual(counts, { shared: 1, late: 0 });
  });
});
