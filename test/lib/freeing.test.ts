// Tests freeAfterUse, which frees the memory of a chunk when the next chunk is requested.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freeAfterUse } from '../../src/lib/freeing.ts';

test('freeAfterUse frees the memory of each chunk after its use', async () => {
  const chunks = [new Uint8Array([1, 2, 3]), new Uint8Array([4])];
  const source = async function* () {
    yield* chunks;
  };
  const contents = await Array.fromAsync(freeAfterUse(source()), chunk => [...chunk]);
  assert.deepEqual(contents, [[1, 2, 3], [4]]);
  assert.deepEqual(
    chunks.map(({ buffer }) => buffer.byteLength),
    [0, 0],
  );
});

test('freeAfterUse does not free a larger buffer that contains the chunk', async () => {
  const { buffer } = Buffer.from('large');
  const source = async function* () {
    yield new Uint8Array(buffer, 0, 2);
    yield new Uint8Array(buffer, 2, 2);
  };
  for await (const chunk of freeAfterUse(source())) assert.equal(chunk.length, 2);
  assert.ok(buffer.byteLength > 0);
});
