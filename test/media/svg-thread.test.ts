// Tests the thread for large SVGs: the same results and errors, and recovery after failures.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sanitizeSvg } from '../../src/media/svg/svg.ts';
import { sanitizeSvgInPool } from '../../src/media/svg/thread.ts';

const { signal } = new AbortController();
const drawing = (paths: number): Buffer =>
  Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)">${'<path d="M0 0h10v10h-10z" fill="#123456"/>'.repeat(paths)}</svg>`,
  );

test('small and large files have the same result as from the sanitizer itself', async () => {
  for (const bytes of [drawing(1), drawing(15_000)]) {
    assert.ok((await sanitizeSvgInPool(bytes, signal)).equals(sanitizeSvg(bytes)));
  }
});

test('many large files at once all get a result', async () => {
  const large = drawing(5000);
  const responses = await Promise.all(Array.from({ length: 10 }, () => sanitizeSvgInPool(large, signal)));
  for (const response of responses) assert.equal(response.length, responses[0]?.length);
});

test('an error from the thread keeps its code, and the thread keeps working', async () => {
  await assert.rejects(sanitizeSvgInPool(drawing(20_000), signal), {
    name: 'AppError',
    code: 'svg_too_complex',
  });
  await assert.rejects(sanitizeSvgInPool(Buffer.alloc(200_000, 'x'), signal), {
    name: 'AppError',
    code: 'invalid_svg',
  });
  assert.ok((await sanitizeSvgInPool(drawing(5000), signal)).length > 0);
});

test('an aborted request gets no result, and the next one does', async () => {
  await assert.rejects(sanitizeSvgInPool(drawing(5000), AbortSignal.abort()));
  const abort = new AbortController();
  const result = sanitizeSvgInPool(drawing(15_000), abort.signal);
  setImmediate(() => abort.abort());
  await assert.rejects(result);
  assert.ok((await sanitizeSvgInPool(drawing(5000), signal)).length > 0);
});
