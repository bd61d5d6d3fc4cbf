// Tests the sound of videos, from files of known samples, with both back ends.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type Backend, SAMPLE_RATE } from '../../../src/codecs/command.ts';
import { probeMedia } from '../../../src/codecs/probe/probe.ts';
import { AppError } from '../../../src/lib/errors.ts';
import { openScene } from '../../../src/render/scene.ts';
import { createLoudnessMeter } from '../../../src/render/sound/loudness.ts';
import { renderAudio } from '../../../src/render/sound/sound.ts';
import type { ResourceFile } from '../../../src/render/stills/still.ts';
import type { Timeline } from '../../../src/render/timeline/compile.ts';
import { collectSound } from '../../codecs/clips.ts';
import { waitUntil } from '../../support/processes.ts';
import { RENDER_BACKENDS } from '../../support/render/clips.ts';
import {
  countCrossings,
  createSignal,
  createTone,
  measureLevel,
  sine,
  toDecibels,
  writeWav,
} from './signals.ts';

const { signal } = new AbortController();

/** Each sample encodes its position: a slow ramp on the left, its inverse on the right. */
const ramp = createSignal(2, (_, sample) => [sample / 192_000, -sample / 192_000]);
const burst = (second: number): number => (second >= 1 && second < 2 ? 0.5 * sine(1000, second) : 0);
const SOUNDS = {
  ramp,
  tone: createTone(2, 1000, 0.25),
  low: createTone(4, 100, 0.25),
  // A second of silence, a second of a tone, a second of silence.
  speech: createSignal(3, second => [burst(second), burst(second)]),
  // Ten complete periods, so that the loop has no jump.
  cycle: createTone(0.01, 1000, 0.5),
} as const;

let folder = '';
const files = new Map<string, ResourceFile>();
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sound-'));
  const add = async (name: string, path: string): Promise<void> => {
    files.set(name, { kind: 'clip', path, info: await probeMedia(path, signal) });
  };
  for (const [name, sound] of Object.entries(SOUNDS))
    await add(name, await writeWav(join(folder, `${name}.wav`), sound));
  await add('mono', await writeWav(join(folder, 'mono.wav'), SOUNDS.tone, 1));
});
after(() => rm(folder, { recursive: true }));

const open = (rest: object): Timeline =>
  openScene({ fps: 30, width: 64, height: 64, scenes: [{ duration: 4 }], ...rest });
/** Sounds are identified by their URL. */
const item = (name: string, rest: object = {}) => ({ src: `https://example.com/${name}`, ...rest });
/** Volumes are not normalized. */
const track = (items: readonly object[], rest: object = {}) => ({
  audioTrack: { loudness: 'off', items, ...rest },
});

function createFiles(timeline: Timeline): ReadonlyMap<string, ResourceFile> {
  return new Map(
    [...timeline.resources.values()].map(({ key, source }) => {
      const name = 'src' in source ? (source.src.split('/').at(-1) ?? '') : '';
      return [key, files.get(name) ?? { kind: 'absent', reason: 'is not there' }];
    }),
  );
}

for (const [name, backend] of RENDER_BACKENDS)
  describe(`renderAudio with files and the ${name}`, { skip: typeof backend === 'string' && backend }, () => {
    if (typeof backend !== 'string') testFiles(backend);
  });

const [anyBackend] = RENDER_BACKENDS.map(([, backend]) => backend).filter(
  backend => typeof backend !== 'string',
);
describe('renderAudio', { skip: anyBackend === undefined }, () => {
  if (anyBackend !== undefined) testMix(anyBackend);
});

function createRenderer(backend: Backend) {
  return (rest: object, range?: readonly [number, number]): Promise<Float32Array> => {
    const timeline = open(rest);
    const wholeRange = [0, timeline.durationInFrames] as const;
    return collectSound(renderAudio(timeline, createFiles(timeline), range ?? wholeRange, backend, signal));
  };
}

function assertNear(value: number, expected: number, tolerance = 1e-4): void {
  assert.ok(Math.abs(value - expected) <= tolerance, `${value} is not ${expected}`);
}

function testFiles(backend: Backend): void {
  const render = createRenderer(backend);

  it('returns exactly as many samples as the frames last, at any frame rate', async () => {
    for (const fps of [30, 7]) {
      const sound = await render({
        fps,
        ...track([item('ramp', { start: '100f', trim: 0.25 })]),
        durationInFrames: 113,
      });
      assert.equal(sound.length, Math.round((113 / fps) * SAMPLE_RATE) * 2);
      const start = Math.round((100 / fps) * SAMPLE_RATE);
      for (const offset of [-1, 0, 1, 1000]) {
        const expected = offset < 0 ? 0 : (12_000 + offset) / 192_000;
        assertNear(sound[(start + offset) * 2] as number, expected, 4e-5);
        assertNear(sound[(start + offset) * 2 + 1] as number, -expected, 4e-5);
      }
    }
  });

  it('loops sounds without a gap from their trim', async () => {
    const cycle = await render(track([item('cycle', { loop: true, start: 0.5 })]));
    for (let i = 24_000; i < 4 * 48_000; i += 7)
      assertNear(cycle[i * 2] as number, 0.5 * sine(1000, (i - 24_000) / 48_000), 5e-5);
    const loopedRamp = await render(track([item('ramp', { loop: true, trim: 1.5 })]));
    for (let i = 0; i < 4 * 48_000; i += 501)
      assertNear(loopedRamp[i * 2] as number, (72_000 + (i % 24_000)) / 192_000, 5e-5);
  });

  it('returns the same samples for a range as for the whole video', async () => {
    const graph = {
      audioTrack: {
        duck: {},
        items: [item('low', { speed: 1.3, volume: 3 }), item('speech', { role: 'voice', volume: 4 })],
      },
    };
    const wholeSound = await render(graph);
    const part = await render(graph, [47, 71]);
    assert.equal(part.length, 24 * 1600 * 2);
    const from = 47 * 1600 * 2;
    for (let i = 0; i < part.length; i++) assertNear(part[i] as number, wholeSound[from + i] as number, 1e-6);
  });

  it('reports a file that cannot be decoded by pointer', async () => {
    const path = join(folder, 'broken.mp3');
    const toneFile = files.get('tone');
    assert.ok(toneFile?.kind === 'clip');
    await writeFile(path, Buffer.from('not at all what it says it is'.repeat(99)));
    files.set('broken', { ...toneFile, path });
    const countBefore = countChildren();
    await assert.rejects(
      render(track([item('low'), item('broken', { start: 1 })])),
      (err: unknown) =>
        err instanceof AppError &&
        err.code === 'unreadable_media' &&
        err.issues?.[0]?.path === '/audioTrack/items/1',
    );
    await waitUntil('the end of the codecs', () => countChildren() <= countBefore);
  });

  it('leaves no process if the reader stops or aborts', async () => {
    const long = open({ scenes: [{ duration: 300 }], ...track([item('low', { loop: true }), item('long')]) });
    await writeWav(join(folder, 'long.wav'), createTone(60, 50, 0.1));
    const info = await probeMedia(join(folder, 'long.wav'), signal);
    files.set('long', { kind: 'clip', path: join(folder, 'long.wav'), info });
    const range = [0, long.durationInFrames] as const;
    const countBefore = countChildren();
    for await (const block of renderAudio(long, createFiles(long), range, backend, signal)) {
      assert.ok(block.length > 0);
      break;
    }
    await waitUntil('the end of the codecs', () => countChildren() <= countBefore);
    const controller = new AbortController();
    await assert.rejects(async () => {
      for await (const _ of renderAudio(long, createFiles(long), range, backend, controller.signal))
        controller.abort();
    }, /abort/i);
    await waitUntil('the end of the codecs', () => countChildren() <= countBefore);
  });
}

function testMix(backend: Backend): void {
  const render = createRenderer(backend);

  it('applies fades and keyframes of the volume', async () => {
    const volume = {
      keyframes: [
        { time: 1, value: 0.5 },
        { time: 2, value: 1, easing: 'linear' },
      ],
    };
    const sound = await render(track([item('low', { fadeIn: 0.5, fadeOut: '500ms', volume })]));
    const levelAt = (second: number) =>
      measureLevel(sound, 0, second - 0.01, second + 0.01) / (0.25 * Math.SQRT1_2);
    for (const [second, expected] of [
      [0.25, 0.25],
      [0.8, 0.5],
      [1.5, 0.75],
      [2.5, 1],
      [3.75, 0.5],
    ] as const)
      assertNear(levelAt(second), expected, 0.01);
  });

  it('pans with constant power', async () => {
    const power = async (name: string, pan: number): Promise<readonly [number, number]> => {
      const sound = await render({ ...track([item(name, { pan, duration: 1 })]), durationInFrames: 30 });
      return [measureLevel(sound, 0, 0.1, 0.9) ** 2, measureLevel(sound, 1, 0.1, 0.9) ** 2];
    };
    const expected = 0.25 ** 2 / 2;
    for (const [pan, left, right] of [
      [0, 1, 1],
      [-1, 2, 0],
      [1, 0, 2],
      [0.5, 0.293, 1.707],
    ] as const) {
      const [l, r] = await power('mono', pan);
      assertNear(l / expected, left, 2e-3);
      assertNear(r / expected, right, 2e-3);
    }
    const [l, r] = await power('ramp', 1);
    // The two ramps cancel each other where they overlap.
    assertNear(l, 0);
    assertNear(r, 0);
  });

  it('lowers music under the voice', async () => {
    const duck = { by: 20, attack: 0.25, release: 0.5 };
    const sound = await render(
      track([item('low'), item('speech', { role: 'voice', volume: 0.001 * 4 })], { duck }),
    );
    const levelAt = (second: number) =>
      toDecibels(measureLevel(sound, 0, second - 0.005, second + 0.005) / (0.25 * Math.SQRT1_2));
    for (const [second, expected] of [
      [0.7, 0],
      [0.875, -10],
      [1.02, -20],
      [1.5, -20],
      [1.97, -20],
      [2.25, -10],
      [2.6, 0],
    ] as const)
      assertNear(levelAt(second), expected, 0.8);
  });

  it('keeps pitch and length at another speed', async () => {
    const sound = await render(track([item('tone', { speed: 2, start: 1 })]));
    assertNear(countCrossings(sound, 1.05, 1.95), 1000, 20);
    assert.ok(measureLevel(sound, 0, 2.03, 4) < 1e-3 && measureLevel(sound, 0, 0, 0.99) < 1e-6);
  });

  it('cross-fades scenes with their transition', async () => {
    const scene = (name: string) => ({ duration: 2, elements: [{ type: 'audio', ...item(name) }] });
    const sound = await render({
      scenes: [scene('low'), { ...scene('tone'), transition: { type: 'fade', duration: 1 } }],
    });
    const full = 0.25 * Math.SQRT1_2;
    for (const second of [0.5, 1.2, 1.5, 1.8, 2.5])
      assertNear(measureLevel(sound, 0, second, second + 0.01), full, 0.01);
    assertNear(countCrossings(sound, 0.2, 0.9), 100, 3);
    assertNear(countCrossings(sound, 2.1, 2.9), 1000, 3);
  });

  it('normalizes to the requested loudness without clipping', async () => {
    const loudness = -23;
    const quiet = await render({
      audioTrack: { loudness, items: [item('low', { volume: 0.1 }), item('tone')] },
    });
    const meter = createLoudnessMeter();
    meter.add(quiet);
    assertNear(meter.integrated(), loudness, 0.1);
    const faint = await render({ audioTrack: { items: [item('low', { volume: 0.01 })] } });
    assertNear(toDecibels(measureLevel(faint, 0, 1, 3) / (0.0025 * Math.SQRT1_2)), 24, 0.01);
    const loud = await render(track([item('tone', { volume: 4 }), item('low', { volume: 4 })]));
    assert.ok(loud.every(value => Math.abs(value) < 0.891));
  });
}

/** Returns the number of child processes that have not ended. */
const countChildren = (): number =>
  process.getActiveResourcesInfo().filter(resource => resource === 'ProcessWrap').length;
