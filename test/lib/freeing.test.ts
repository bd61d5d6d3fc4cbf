// Tests chunks that are freed after they are read.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freeAfterUse } from '../../src/lib/freeing.ts';

test('a chunk is valid until the next is requested, then its memory is freed', async () => {
  const pieces = [new Uint8Array([1, 2, 3]), new Uint8Array([4])];
  const seen: number[][] = [];
  for await (const piece of freeAfterUse(
    (async function* () {
      yield* pieces;
    })(),
  )) {
    seen.push([...piece]);
  }
  assert.deepEqual(seen, [[1, 2, 3], [4]]);
  assert.deepEqual(
    pieces.map(({ buffer }) => buffer.byteLength),
    [0, 0],
  );
});

test('a chunk of a larger buffer is not freed', async () => {
  const whole = Buffer.from('whole').buffer;
  const source = async function* () {
    yield new Uint8Array(whole, 0, 2);
    yield new Uint8Array(whole, 2, 2);
  };
  for await (const piece of freeAfterUse(source())) assert.equal(piece.length, 2);
  assert.ok(whole.byteLength > 0);
});
