// Tests that the thread for large SVGs has the same results and errors, and recovers from failures.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sanitizeSvg } from '../../src/media/svg/svg.ts';
import { sanitizeSvgInPool } from '../../src/media/svg/thread.ts';

const { signal } = new AbortController();
const createSvg = (paths: number): Buffer =>
  Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)">${'<path d="M0 0h10v10h-10z" fill="#123456"/>'.repeat(paths)}</svg>`,
  );

test('sanitizeSvgInPool returns the same result as sanitizeSvg', async () => {
  for (const bytes of [createSvg(1), createSvg(15_000)]) {
    assert.deepEqual(await sanitizeSvgInPool(bytes, signal), sanitizeSvg(bytes));
  }
});

test('sanitizeSvgInPool sanitizes many large files concurrently', async () => {
  const large = createSvg(5000);
  const results = await Promise.all(Array.from({ length: 10 }, () => sanitizeSvgInPool(large, signal)));
  for (const result of results) assert.equal(result.bytes.length, results[0]?.bytes.length);
});

test('sanitizeSvgInPool keeps the code of an error from the thread', async () => {
  await assert.rejects(sanitizeSvgInPool(createSvg(20_000), signal), {
    name: 'AppError',
    code: 'svg_too_complex',
  });
  await assert.rejects(sanitizeSvgInPool(Buffer.alloc(200_000, 'x'), signal), {
    name: 'AppError',
    code: 'invalid_svg',
  });
  assert.ok((await sanitizeSvgInPool(createSvg(5000), signal)).bytes.length > 0);
});

test('sanitizeSvgInPool rejects an aborted request', async () => {
  await assert.rejects(sanitizeSvgInPool(createSvg(5000), AbortSignal.abort()));
  const controller = new AbortController();
  const result = sanitizeSvgInPool(createSvg(15_000), controller.signal);
  setImmediate(() => controller.abort());
  await assert.rejects(result);
  assert.ok((await sanitizeSvgInPool(createSvg(5000), signal)).bytes.length > 0);
});
