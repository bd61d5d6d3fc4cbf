// Tests waveforms of files: the peaks of a file, and the audible position.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { probeMedia } from '../../../src/codecs/probe/probe.ts';
import { openScene } from '../../../src/render/scene.ts';
import { listWaveformFiles, readPeaks } from '../../../src/render/sound/peaks.ts';
import type { ResourceFile } from '../../../src/render/stills/still.ts';
import type { Timeline } from '../../../src/render/timeline/compile.ts';
import { evaluateFrame } from '../../../src/render/timeline/evaluate.ts';
import { renderVideo } from '../../../src/render/video/render-video.ts';
import { RENDER_BACKENDS } from '../../support/render/clips.ts';
import { createSignal, sine, writeWav } from './signals.ts';

const { signal } = new AbortController();

let folder = '';
let file: ResourceFile;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'peaks-'));
  // Loud from 1 to 2 s, half as loud from 2 to 3 s.
  const size = (second: number): number => (second < 1 ? 0 : second < 2 ? 0.8 : 0.4);
  const sound = createSignal(3, second => [size(second) * sine(500, second), 0]);
  const path = await writeWav(join(folder, 'a.wav'), sound);
  file = { kind: 'clip', path, info: await probeMedia(path, signal) };
});
after(() => rm(folder, { recursive: true }));

const SRC = { src: 'https://example.com/a.wav' };
const open = (rest: object = {}): Timeline =>
  openScene({
    fps: 10,
    width: 100,
    height: 100,
    scenes: [{ duration: 6, elements: [{ type: 'waveform', ...SRC, bars: 11, form: 'bars' }] }],
    ...rest,
  });
const createFiles = (timeline: Timeline) =>
  new Map([...timeline.resources.keys()].map(key => [key, file] as const));

/** Returns the height of a bar at a frame, relative to the box. The bar in the middle shows the audible position. */
function getBarHeight(timeline: Timeline, frame: number, index = 5): number {
  const { content } = evaluateFrame(timeline, frame).layers.at(-1)?.node ?? {};
  assert.ok(content?.kind === 'shape' && content.outline.form === 'many');
  const bar = content.outline.parts[index];
  assert.ok(bar?.form === 'rect');
  return bar.height / 100;
}

for (const [name, backend] of RENDER_BACKENDS)
  describe(`readPeaks with the ${name}`, { skip: typeof backend === 'string' && backend }, () => {
    if (typeof backend === 'string') return;
    const openWithPeaks = async (rest: object = {}): Promise<Timeline> => {
      const timeline = open(rest);
      return { ...timeline, peaks: await readPeaks(timeline, createFiles(timeline), backend, signal) };
    };

    it('returns the peaks of the file relative to the loudest', async () => {
      const [peaks] = (await openWithPeaks()).peaks.values();
      assert.equal(peaks?.values.length, 75);
      for (const [second, expected] of [
        [0.5, 0],
        [1.5, 1],
        [2.5, 0.5],
      ] as const)
        assert.ok(Math.abs((peaks?.values[Math.floor(second * 25)] ?? -1) - expected) < 0.003);
    });

    it('moves a waveform from the start of a file that the video does not play', async () => {
      const timeline = await openWithPeaks();
      const heights = [5, 15, 25, 45].map(frame => getBarHeight(timeline, frame));
      assert.deepEqual(
        heights.map(height => Math.round(height * 100)),
        [5, 100, 50, 5],
      );
    });

    it('moves a waveform with the audible part of a sound at any position and speed', async () => {
      const items = [{ ...SRC, start: 1, trim: 0.5, speed: 2, loop: true }];
      const timeline = await openWithPeaks({ audioTrack: { items } });
      // The video plays second 1.7 of the file at 1.6 s and second 2.5 at 2 s. At 2.25 s the file restarts at second 0.5.
      const heights = [5, 16, 20, 23, 29].map(frame => getBarHeight(timeline, frame));
      assert.deepEqual(
        heights.map(height => Math.round(height * 100)),
        [5, 100, 50, 5, 100],
      );
    });

    it('lets a waveform slide in before the sound starts and out after it ends', async () => {
      const timeline = await openWithPeaks({
        audioTrack: { items: [{ ...SRC, start: 1, duration: 1, trim: 1.5 }] },
      });
      // A bar is a fiftieth of a second.
      const [getStartHeight, getEndHeight] = [timeline.fps, timeline.fps * 2].map(
        frame => (bar: number) => getBarHeight(timeline, frame, bar),
      );
      assert.ok(getStartHeight !== undefined && getEndHeight !== undefined);
      assert.ok(getStartHeight(8) > 0.5 && getStartHeight(2) < 0.06, 'Only the start is visible.');
      assert.ok(getEndHeight(2) > 0.2 && getEndHeight(8) < 0.06, 'Only the end is visible.');
      assert.ok(
        getBarHeight(timeline, 5, 5) < 0.06 && getBarHeight(timeline, 40, 5) < 0.06,
        'Nothing is visible long before and after the sound.',
      );
    });
  });

describe('a waveform', () => {
  const [backend] = RENDER_BACKENDS.map(([, item]) => item).filter(item => typeof item !== 'string');

  it('lists its file among the files of the graph unless it has peaks', () => {
    assert.equal(listWaveformFiles(open()).size, 1);
    const scenes = [{ elements: [{ type: 'waveform', ...SRC, peaks: [0, 1] }] }];
    assert.equal(open({ scenes }).resources.size, 0);
  });

  it('is reported as missing if its file cannot be read', { skip: backend === undefined }, async () => {
    const timeline = open();
    const absentFile: ResourceFile = { kind: 'absent', reason: 'is gone' };
    assert.ok(file.kind === 'clip' && backend !== undefined);
    const missingFile: ResourceFile = { ...file, path: join(folder, 'nothing.wav') };
    for (const unreadable of [absentFile, missingFile]) {
      const files = new Map([...timeline.resources.keys()].map(key => [key, unreadable] as const));
      const peaks = await readPeaks(timeline, files, backend, signal);
      assert.equal(peaks.size, 0);
      assert.equal(evaluateFrame({ ...timeline, peaks }, 0).layers.at(-1)?.node.content.kind, 'missing');
    }
  });

  it('is drawn in the frames of a video', { skip: backend === undefined }, async () => {
    const timeline = open();
    const path = join(folder, 'out.mp4');
    const job = {
      graph: timeline.graph,
      files: createFiles(timeline),
      range: [15, 18] as const,
      scale: 1,
      path,
    };
    const { warnings, hasAudio } = await renderVideo(job, {}, signal);
    // The waveform shows the sound, but the video does not play it.
    assert.deepEqual([warnings, hasAudio], [[], false]);
  });
});
