// Video elements, held to the frame: each frame of the video shows the frame of the clip that a player would show then.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Backend } from '../../src/codecs/job.ts';
import { withScratch } from '../../src/codecs/scratch.ts';
import { readNumber } from '../codecs/clips.ts';
import { BACKENDS, drawClips, makeClip } from '../support/clips.ts';

const scene = (element: object, rest: object = {}) => ({
  fps: 30,
  width: 96,
  height: 64,
  scenes: [{ duration: 8, elements: [{ type: 'video', src: './clip.mp4', ...element }] }],
  ...rest,
});

const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, i) => from + i);

for (const [name, backend] of BACKENDS) {
  describe(`clips by the ${name}`, { skip: typeof backend === 'string' && backend }, () => {
    if (typeof backend !== 'string') testBackend(backend);
  });
}

function testBackend(backend: Backend): void {
  const numbersOf = async (
    clip: Parameters<typeof drawClips>[3],
    graph: object,
    frames: Iterable<number>,
  ): Promise<number[]> => {
    const { drawn, warnings } = await drawClips(backend, graph, frames, clip);
    assert.deepEqual(warnings, []);
    return drawn.map(({ rgba, width, height }) => readNumber(rgba, width, height));
  };

  for (const fps of [24, 25, 29.97, 30, 60])
    it(`show, from a clip of ${fps} frames a second, the one of each moment`, () =>
      withScratch(async folder => {
        const clip = await makeClip(backend, folder, { fps, frameCount: 80 });
        const frames = range(0, 40);
        assert.deepEqual(
          await numbersOf(clip, scene({}), frames),
          frames.map(frame => Math.min(79, Math.floor((frame / 30) * fps + 1e-6 + 0.002 * fps))),
        );
      }));
}
