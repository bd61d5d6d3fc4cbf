// Tests the plan of a graph's sounds in samples of the video, and the matching of sounds with files.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AppError } from '../../../src/lib/errors.ts';
import { openScene } from '../../../src/render/scene.ts';
import { type PlannedSound, planAudio } from '../../../src/render/sound/plan.ts';
import { resolveAudio } from '../../../src/render/sound/resolve-sounds.ts';
import type { ResourceFile } from '../../../src/render/stills/still.ts';
import { randomScene } from '../../support/render/random-scene.ts';

const SRC = { src: 'https://example.com/a.wav' };
const open = (rest: object) =>
  openScene({ fps: 30, width: 64, height: 64, scenes: [{ duration: 10 }], ...rest });
const plan = (rest: object) => planAudio(open(rest));

function planOne(rest: object): PlannedSound {
  const [sound, other] = plan(rest);
  assert.ok(sound !== undefined && other === undefined);
  return sound;
}

const inSeconds = ({ start, length }: PlannedSound): readonly [number, number] => [
  start / 48_000,
  length / 48_000,
];
const item = (rest: object) => ({ audioTrack: { items: [{ ...SRC, ...rest }] } });
const element = (rest: object) => ({ type: 'audio', ...SRC, ...rest });

describe('planAudio', () => {
  it('places items of the audio track at their time', () => {
    assert.deepEqual(inSeconds(planOne(item({}))), [0, 10]);
    assert.deepEqual(inSeconds(planOne(item({ start: 4, duration: 99 }))), [4, 6]);
    assert.deepEqual(inSeconds(planOne(item({ start: '20%', duration: '45f', trim: 1.5 }))), [2, 1.5]);
    assert.deepEqual(plan(item({ start: 10 })), []);
  });

  it('uses the role music for track items and effect for elements by default', () => {
    assert.equal(planOne(item({})).role, 'music');
    assert.equal(planOne(item({ role: 'voice' })).role, 'voice');
    assert.equal(planOne({ overlays: [element({})] }).role, 'effect');
    assert.equal(planOne({ overlays: [{ type: 'video', ...SRC, role: 'voice' }] }).role, 'voice');
  });

  it('trims the sounds of a scene to its end and cross-fades between scenes', () => {
    const scene = { duration: 3, elements: [element({ start: 1 })] };
    const sounds = plan({ scenes: [scene, { ...scene, transition: { type: 'fade', duration: 0.5 } }] });
    assert.deepEqual(sounds.map(inSeconds), [
      [1, 2],
      [3.5, 2],
    ]);
    assert.deepEqual(sounds[0]?.sceneFades, [{ direction: 'out', start: 120_000, length: 24_000 }]);
    // The second sound starts after its scene has faded in.
    assert.deepEqual(sounds[1]?.sceneFades, []);
  });

  it('applies the start, end and speed of groups', () => {
    const innerElement = element({ start: 2, duration: 4, speed: 1.5, fadeIn: 1 });
    const [sound] = plan({
      tracks: [{ elements: [{ type: 'group', start: 1, speed: 2, elements: [innerElement] }] }],
    });
    assert.ok(sound !== undefined);
    assert.deepEqual(inSeconds(sound), [2, 2]);
    assert.deepEqual([sound.speed, sound.rate, sound.span, sound.fadeIn], [3, 2, 4, 24_000]);
    const short = { type: 'group', duration: 1, elements: [element({ start: 0.25 })] };
    assert.deepEqual(inSeconds(planOne({ overlays: [short] })), [0.25, 0.75]);
  });

  it('excludes hidden and muted elements, masks and backgrounds', () => {
    assert.deepEqual(
      plan({
        background: { type: 'video', ...SRC },
        scenes: [{ duration: 5 }, { hidden: true, elements: [element({})] }],
        tracks: [{ hidden: true, elements: [element({})] }],
        overlays: [
          element({ hidden: true }),
          { type: 'video', ...SRC, muted: true },
          { type: 'group', hidden: true, elements: [element({})] },
          { type: 'text', text: 'x', mask: { element: { type: 'video', ...SRC } } },
        ],
      }),
      [],
    );
  });

  it('returns sounds within the video for any graph', () => {
    for (let seed = 0; seed < 60; seed++) {
      const timeline = openScene(randomScene(seed));
      const total = Math.round((timeline.durationInFrames / timeline.fps) * 48_000);
      for (const { start, length, pointer } of planAudio(timeline)) {
        const isWithin = start >= 0 && length > 0 && start + length <= total;
        assert.ok(isWithin && Number.isInteger(start) && Number.isInteger(length), `seed ${seed} ${pointer}`);
      }
    }
  });
});

const info = { container: 'wav', contentType: 'audio/wav', startSeconds: 0, durationSeconds: 2 } as const;
const audio = { codec: 'pcm-s16', sampleRate: 48_000, channels: 2 } as const;
const resolveWithFile = (rest: object, file: ResourceFile) => {
  const timeline = open(rest);
  return resolveAudio(timeline, new Map([...timeline.resources.keys()].map(key => [key, file])));
};
const clip = (durationSeconds: number): ResourceFile => ({
  kind: 'clip',
  path: '/nowhere.wav',
  info: { ...info, durationSeconds, audio },
});
const CLIP = clip(2);

describe('resolveAudio', () => {
  it('ends sounds with their file unless they loop', () => {
    const length = (rest: object) => (resolveWithFile(item(rest), CLIP).sounds[0]?.length ?? 0) / 48_000;
    assert.deepEqual(
      [{}, { trim: 0.5 }, { speed: 4 }, { loop: true }, { loop: true, duration: 3 }, { duration: 1 }].map(
        length,
      ),
      [2, 1.5, 0.5, 10, 3, 1],
    );
  });

  it('reports a sound without audible content by pointer', () => {
    const warn = (rest: object, file: ResourceFile) => resolveWithFile(rest, file).warnings;
    assert.deepEqual(warn(item({}), { kind: 'absent', reason: 'cannot be read: gone' }), [
      '/audioTrack/items/0 cannot be read: gone.',
    ]);
    assert.match(
      String(warn(item({}), { kind: 'clip', path: '', info })),
      /^\/audioTrack\/items\/0 is a file without/,
    );
    assert.match(String(warn(item({ trim: 3 }), CLIP)), /^\/audioTrack\/items\/0 is trimmed to 3 s/);
    const fast = { type: 'group', speed: 20, elements: [element({})] };
    assert.match(
      String(warn({ overlays: [fast] }, CLIP)),
      /^\/overlays\/0\/elements\/0 is not played: 20 times/,
    );
    // A clip may have no sound.
    assert.deepEqual(warn({ overlays: [{ type: 'video', ...SRC }] }, { kind: 'clip', path: '', info }), []);
  });

  it('refuses too many sounds at the same time by pointer', () => {
    const items = (count: number, step: number) => ({
      audioTrack: { items: Array.from({ length: count }, (_, index) => ({ ...SRC, start: index * step })) },
    });
    assert.equal(resolveWithFile(items(200, 0.04), clip(0.5)).sounds.length, 200);
    assert.throws(
      () => resolveWithFile(items(34, 0), CLIP),
      (err: unknown) =>
        err instanceof AppError &&
        err.code === 'invalid_scene_graph' &&
        err.issues?.map(({ path }) => path).join() === '/audioTrack/items/32,/audioTrack/items/33',
    );
  });
});
