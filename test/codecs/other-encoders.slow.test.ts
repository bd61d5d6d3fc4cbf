// Tests that both back ends decode files from other encoders, which are made with the machine's ffmpeg.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import type { Backend } from '../../src/codecs/command.ts';
import { type Clip, decodeAudio } from '../../src/codecs/decode.ts';
import { encode } from '../../src/codecs/encode.ts';
import { probeMedia } from '../../src/codecs/probe/probe.ts';
import { findOnPath } from '../../src/lib/settings.ts';
import { BACKENDS } from '../support/render/clips.ts';
import { isNightly } from '../support/tier.ts';
import {
  collectSound,
  createVideo,
  drawNumberedFrames,
  generateTone,
  getPixel,
  HEIGHT,
  measureOnsetSeconds,
  measurePeak,
  readFrames,
  readNumber,
  WIDTH,
} from './clips.ts';

const run = promisify(execFile);
const { signal } = new AbortController();
const ffmpegPath = findOnPath('ffmpeg') ?? '';
/** The files that are decoded by day: frames in another order than their times, another container, and compressed sound. */
const DAILY = ['b-frames.mp4', 'vp9.webm', 'mono.mp3'];
const [host, ffmpeg] = BACKENDS.map(([, backend]) => backend);
const skip = [ffmpeg, host].find(backend => typeof backend === 'string') ?? false;

describe('files from other encoders', { skip: skip as string | false }, () => {
  const backends = [ffmpeg, host] as readonly Backend[];
  let folder = '';
  let original = '';

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'graphwright-test-'));
    original = join(folder, 'original.mp4');
    const video = createVideo(drawNumberedFrames(50, [200, 40, 40]), 25);
    await encode(
      ffmpeg as Backend,
      { path: original, maxSeconds: 2, video, audio: generateTone(2, 0.5) },
      signal,
    );
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const convert = async (name: string, ...args: string[]): Promise<Clip> => {
    const path = join(folder, name);
    await run(ffmpegPath, ['-v', 'error', '-i', original, ...args, '-y', path]);
    return { path, info: await probeMedia(path, signal) };
  };
  const readTenFrames = (
    backend: Backend,
    clip: Clip,
    startSeconds: number,
    [width, height]: readonly [number, number] = [WIDTH, HEIGHT],
  ) => readFrames(backend, clip, { startSeconds, frameCount: 10, fps: 25, width, height });
  const listTenFrom = (first: number): number[] => Array.from({ length: 10 }, (_, i) => first + i);

  const videos: readonly (readonly [string, ...string[]])[] = [
    ['b-frames.mp4', '-c:v', 'libx264', '-bf', '3', '-g', '20', '-b_strategy', '0', '-c:a', 'copy'],
    ['open-gop.mp4', '-c:v', 'libx264', '-g', '12', '-x264-params', 'open-gop=1:bframes=3'],
    ['quicktime.mov', '-c', 'copy'],
    ['vp9.webm', '-c:v', 'libvpx-vp9', '-cpu-used', '8', '-deadline', 'realtime', '-c:a', 'libopus'],
    ['vp8.mkv', '-c:v', 'libvpx', '-cpu-used', '8', '-deadline', 'realtime', '-an'],
    ['fragments.mp4', '-c', 'copy', '-movflags', 'frag_keyframe+delay_moov'],
    ['late.mp4', '-c', 'copy', '-output_ts_offset', '3'],
  ];
  for (const [name, ...args] of isNightly ? videos : videos.filter(([name]) => DAILY.includes(name))) {
    it(`are decoded with every frame at its time (${name})`, async () => {
      const clip = await convert(name, ...args);
      assert.equal(Math.round(clip.info.video?.fps ?? 0), 25);
      for (const backend of backends) {
        for (const start of [0, 1]) {
          const frames = await readTenFrames(backend, clip, start);
          assert.deepEqual(
            frames.map(frame => readNumber(frame)),
            listTenFrom(start * 25),
            `${backend.name} from ${start} s`,
          );
        }
      }
    });
  }

  it('are decoded in the middle of a long frame', async () => {
    const clip = await convert('slow.mp4', '-vf', 'fps=1', '-an', '-g', '1');
    for (const backend of backends) {
      const [first] = await readTenFrames(backend, clip, 0);
      const [middle] = await readTenFrames(backend, clip, 0.8);
      assert.equal(readNumber(middle as Buffer), readNumber(first as Buffer), backend.name);
    }
  });

  it('are rotated upright', async () => {
    const clip = await convert('turned.mp4', '-c', 'copy', '-metadata:s:v:0', 'rotate=90');
    assert.deepEqual([clip.info.video?.width, clip.info.video?.height], [HEIGHT, WIDTH]);
    const colors: number[][][] = [];
    for (const backend of backends) {
      const [frame] = await readTenFrames(backend, clip, 0, [HEIGHT, WIDTH]);
      // The red area at the bottom of the coded image is at one side of the rotated image.
      colors.push([getPixel(frame as Buffer, 4, 48, HEIGHT), getPixel(frame as Buffer, 60, 48, HEIGHT)]);
    }
    const isRed = (color: readonly number[] | undefined) => (color?.[0] ?? 0) > 150;
    assert.deepEqual(
      colors.map(sides => sides.map(isRed)),
      colors.map(() => colors[0]?.map(isRed)),
    );
    assert.equal(colors[0]?.filter(isRed).length, 1);
  });

  it('keep the colors of BT.601 and full range', async () => {
    for (const [name, filter, matrix, range] of [
      ['sd.mp4', 'scale=in_color_matrix=bt709:out_color_matrix=bt601', 'smpte170m', 'tv'],
      ['full.mp4', 'scale=in_color_matrix=bt709:out_color_matrix=bt709:out_range=pc', 'bt709', 'pc'],
    ] as const) {
      const tags = ['-colorspace', matrix, '-color_range', range, '-color_primaries', 'bt709'];
      const clip = await convert(name, '-vf', filter, ...tags, '-color_trc', 'bt709', '-an', '-crf', '8');
      assert.equal(clip.info.video?.matrix, matrix === 'bt709' ? 'bt709' : 'bt601');
      for (const backend of backends) {
        const [frame] = await readTenFrames(backend, clip, 0);
        const color = getPixel(frame as Buffer, 48, 50);
        const isNear = color.every((value, i) => Math.abs(value - ([200, 40, 40][i] ?? 0)) <= 10);
        assert.ok(isNear, `${backend.name} ${name}: ${color}`);
      }
    }
  });

  const sounds: readonly (readonly [string, ...string[]])[] = [
    ['sound.mp3', '-c:a', 'libmp3lame', '-b:a', '128k'],
    ['mono.mp3', '-c:a', 'libmp3lame', '-ac', '1', '-ar', '44100', '-q:a', '4'],
    ['sound.flac', '-c:a', 'flac'],
    ['sound.ogg', '-c:a', 'libvorbis'],
    ['sound.opus', '-c:a', 'libopus'],
    ['sound.m4a', '-c:a', 'aac', '-ar', '44100'],
    ['sound.wav', '-c:a', 'pcm_s24le'],
    ['surround.wav', '-filter:a', 'pan=5.1|c0=c0|c1=c1'],
  ];
  for (const [name, ...args] of isNightly ? sounds : sounds.filter(([name]) => DAILY.includes(name))) {
    it(`start on time and at their volume (${name})`, async () => {
      const clip = await convert(name, '-vn', ...args);
      assert.equal(clip.info.video, undefined);
      assert.match(clip.info.contentType, /^audio\//);
      for (const backend of backends) {
        const sound = await collectSound(
          decodeAudio(backend, clip, { startSeconds: 0.25, seconds: 1.5 }, signal),
        );
        const start = measureOnsetSeconds(sound);
        assert.ok(Math.abs(start - 0.25) < 0.004, `${backend.name} starts at ${start} s`);
        const isMono = clip.info.audio?.channels === 1;
        const loud = measurePeak(sound, 0, 0.4, 1.4);
        assert.ok(isMono ? loud > 0.3 : Math.abs(loud - 0.5) < 0.07, `${backend.name}: ${loud}`);
      }
    });
  }

  it('are refused by the codec host if the codec is missing', async () => {
    const clip = await convert('prores.mov', '-c:v', 'prores_ks', '-an');
    await assert.rejects(readTenFrames(host as Backend, clip, 0), {
      code: 'unreadable_media',
      message: /install ffmpeg/,
    });
    assert.equal(readNumber((await readTenFrames(ffmpeg as Backend, clip, 1))[0] as Buffer), 25);
  });
});
