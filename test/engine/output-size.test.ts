// Tests that the measured size of outputs equals the size of their JSON.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { MAX_RUN_BYTES, measureAtLeast, measureSize } from '../../src/engine/output-size.ts';

const VALUES: Readonly<Record<string, unknown>> = {
  'small and large integers': [0, 7, 10, 99, 100, 999_999_999, 1_000_000_000, 1e21, -1, -10],
  fractions: [0.1, 1.5e-9, -2.25],
  'plain texts': ['', 'a', 'a'.repeat(100), 'a'.repeat(101)],
  'texts with escapes': ['"', '\\', '\n', '\u0000', '\u007f', '\ud800'],
  'texts beyond ASCII': ['ä', '字', '😀', 'a"\n\u0000é😀'],
  objects: { a: { 'b"': [{}, [], null, true] } },
};

for (const [name, value] of Object.entries(VALUES)) {
  it(`counts the JSON bytes of ${name}`, () => {
    const bytes = Buffer.byteLength(JSON.stringify(value));
    const { bytes: counted } = measureSize(value, MAX_RUN_BYTES);
    // The count may include one comma too many for each array and object.
    assert.ok(counted >= bytes && counted <= bytes + 4, `${counted} of ${bytes}`);
  });
}

it('counts a repeated value at every occurrence but reads its items once', () => {
  let reads = 0;
  const read = (_: object, key: string | symbol, list: unknown): unknown => {
    if (key === '9999') reads++;
    return Reflect.get(_, key, list);
  };
  const list = new Proxy(
    Array.from({ length: 10_000 }, (_, index) => index),
    { get: read },
  );
  const once = measureSize([list], MAX_RUN_BYTES);
  reads = 0;
  const repeated = measureSize(
    Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`k${index}`, list])),
    MAX_RUN_BYTES,
  );
  assert.equal(reads, 1);
  assert.ok(repeated.bytes >= 50 * (once.bytes - 4));
  assert.ok(repeated.memoryBytes >= 50 * (once.memoryBytes - 100));
});

it('stops counting at the limit if shared references make the total exponential', () => {
  let value: unknown = 'x'.repeat(1000);
  for (let level = 0; level < 60; level++) value = [value, value];
  assert.ok(measureSize(value, 1_000_000).bytes < 1_100_000);
});

const ESCAPED = { a: '"'.repeat(100_000), b: 'x' };

it('measureAtLeast counts long texts without their escapes', () => {
  const exact = measureSize(ESCAPED, MAX_RUN_BYTES);
  assert.deepEqual(measureAtLeast(ESCAPED, MAX_RUN_BYTES), { ...exact, bytes: exact.bytes - 100_000 });
});

it('stops counting a long text soon after the limit', () => {
  const { bytes } = measureSize(ESCAPED.a, 1000);
  assert.ok(bytes > 1000 && bytes < 200_000);
});
