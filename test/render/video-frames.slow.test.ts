// Tests that threads draw the same frames in the same order as this thread.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { openFrames } from '../../src/render/video/frame-source.ts';
import { isNightly } from '../support/tier.ts';

/** Each thread loads the renderer. */
const THREAD_COUNTS = isNightly ? [1, 3] : [2];

const bar = {
  type: 'shape',
  shape: 'rectangle',
  width: 20,
  height: 20,
  x: {
    keyframes: [
      { time: 0, value: 0 },
      { time: 1, value: 90 },
    ],
  },
};
// The bar moves for a second, then stops.
const graph = { fps: 12, width: 99, height: 65, scenes: [{ duration: 2, elements: [bar] }] };
const scene = {
  graph,
  files: new Map(),
  peaks: new Map(),
  scale: 1,
  width: 98,
  height: 64,
  backend: { name: 'codec-host', detail: '', encoderId: '' },
} as const;
const RANGES = [
  [0, 9],
  [11, 24],
] as const;

async function readFrames(threadCount: number): Promise<readonly Buffer[]> {
  const source = openFrames(scene, threadCount);
  const frames: Buffer[] = [];
  for (const range of RANGES) source.request(range);
  // Copies a frame only when the next frame arrives, because a codec may read a frame until then.
  let previousFrame: Uint8Array | undefined;
  for (const range of RANGES) {
    for await (const frame of source.read(range)) {
      if (previousFrame !== undefined) frames.push(Buffer.from(previousFrame));
      previousFrame = frame;
    }
  }
  frames.push(Buffer.from(previousFrame ?? []));
  await source.close();
  return frames;
}

it('openFrames draws the same frames with any number of threads', async () => {
  const expected = await readFrames(0);
  assert.equal(expected.length, 22);
  assert.notDeepEqual(expected[0], expected[5]);
  assert.deepEqual(expected[20], expected[21], 'The bar has stopped.');
  for (const threadCount of THREAD_COUNTS) assert.deepEqual(await readFrames(threadCount), expected);
});
