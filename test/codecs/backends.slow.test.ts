// Tests both back ends: frames and sound keep their content and time, and failures are reported.
import assert from 'node:assert/strict';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { Backend } from '../../src/codecs/command.ts';
import { type Clip, decodeAudio, decodeFrames } from '../../src/codecs/decode.ts';
import { type EncodeRequest, encode } from '../../src/codecs/encode.ts';
import { probeMedia } from '../../src/codecs/probe/probe.ts';
import { withTempFolder } from '../../src/lib/files.ts';
import { BACKENDS } from '../support/render/clips.ts';
import { isNightly } from '../support/tier.ts';
import {
  collectSound,
  createVideo,
  drawNumberedFrame,
  drawNumberedFrames,
  generateTone,
  getPixel,
  HEIGHT,
  measureDifference,
  measureOnsetSeconds,
  measurePeak,
  readFrames,
  readNumber,
  WIDTH,
} from './clips.ts';

const FPS = 20;
const { signal } = new AbortController();
const COLORS = isNightly
  ? [
      [220, 30, 40],
      [30, 40, 210],
    ]
  : [[220, 30, 40]];
/** Sample rates and channels. */
const WAV_FORMATS: readonly (readonly [number, number])[] = isNightly
  ? [
      [44_100, 2],
      [22_050, 1],
      [96_000, 2],
      [48_000, 1],
    ]
  : [[22_050, 1]];

const createRequest = (frameCount: number, background?: readonly number[]): EncodeRequest => ({
  path: '',
  maxSeconds: 2,
  video: createVideo(drawNumberedFrames(frameCount, background), FPS),
});

for (const [name, backend] of BACKENDS) {
  describe(`the ${name}`, { skip: typeof backend === 'string' && backend }, () => {
    if (typeof backend !== 'string') testBackend(backend);
  });
}

function testBackend(backend: Backend): void {
  const encodeClip = async (folder: string, request: EncodeRequest): Promise<Clip> => {
    const path = join(folder, 'clip.mp4');
    await encode(backend, { ...request, path }, signal);
    return { path, info: await probeMedia(path, signal) };
  };
  const readNumbers = async (clip: Clip, startSeconds: number, frameCount: number, fps = FPS) => {
    const request = { startSeconds, frameCount, fps, width: WIDTH, height: HEIGHT };
    return (await readFrames(backend, clip, request)).map(frame => readNumber(frame));
  };
  const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, i) => from + i);

  it('writes a tagged MP4 whose index comes first', () =>
    withTempFolder(async folder => {
      const path = join(folder, 'clip.mp4');
      const counts: number[] = [];
      await encode(
        backend,
        { ...createRequest(30), path, audio: generateTone(1.5), onFrame: count => counts.push(count) },
        signal,
      );
      const bytes = await readFile(path);
      assert.deepEqual(counts, range(1, 31));
      assert.ok(bytes.indexOf('moov') < bytes.indexOf('mdat'), 'The index comes first.');
      const { durationSeconds, video, audio, ...rest } = await probeMedia(path, signal);
      assert.deepEqual(rest, { container: 'mp4', contentType: 'video/mp4', startSeconds: 0 });
      assert.ok(Math.abs(durationSeconds - 1.5) < 0.03, `${durationSeconds} s`);
      assert.deepEqual(video, {
        codec: 'avc',
        width: WIDTH,
        height: HEIGHT,
        rotation: 0,
        fps: FPS,
        matrix: 'bt709',
        fullRange: false,
      });
      assert.deepEqual(audio, { codec: 'aac', sampleRate: 48_000, channels: 2 });
    }));

  it('decodes every encoded frame at its time', () =>
    withTempFolder(async folder => {
      const clip = await encodeClip(folder, createRequest(40));
      assert.ok(Math.abs(clip.info.durationSeconds - 2) < 0.001, `${clip.info.durationSeconds} s`);
      assert.deepEqual(await readNumbers(clip, 0, 40), range(0, 40));
    }));

  it('decodes from any time and repeats the last frame after the end', () =>
    withTempFolder(async folder => {
      const clip = await encodeClip(folder, createRequest(40));
      assert.deepEqual(await readNumbers(clip, 1.25, 5), range(25, 30));
      assert.deepEqual(await readNumbers(clip, 0.62, 3), [12, 13, 14]);
      assert.deepEqual(await readNumbers(clip, 0.5, 6, 40), [10, 10, 11, 11, 12, 12]);
      assert.deepEqual(await readNumbers(clip, 0.5, 3, 10), [10, 12, 14]);
      assert.deepEqual(await readNumbers(clip, 1.9, 4), [38, 39, 39, 39]);
      assert.deepEqual(await readNumbers(clip, 9, 2), [39, 39]);
    }));

  it('keeps colors when it scales frames in RGBA and I420', () =>
    withTempFolder(async folder => {
      for (const color of COLORS) {
        const clip = await encodeClip(folder, createRequest(3, color));
        const request = { startSeconds: 0, frameCount: 1, fps: FPS, width: 192, height: 128 } as const;
        for await (const frame of decodeFrames(backend, clip, { ...request, pixels: 'rgba' }, signal)) {
          const pixel = getPixel(frame, 96, 100, 192);
          const isNear = pixel.every((value, i) => Math.abs(value - (color[i] as number)) <= 10);
          assert.ok(isNear, `${pixel} is not near ${color}`);
        }
        for await (const frame of decodeFrames(backend, clip, { ...request, pixels: 'i420' }, signal)) {
          assert.equal(frame.length, (192 * 128 * 3) / 2);
          const luma =
            16 +
            (219 / 255) * (0.2126 * (color[0] ?? 0) + 0.7152 * (color[1] ?? 0) + 0.0722 * (color[2] ?? 0));
          assert.ok(Math.abs((frame[100 * 192 + 96] as number) - luma) <= 6);
        }
      }
    }));

  it('decodes I420 frames that it encoded', () =>
    withTempFolder(async folder => {
      const clip = await encodeClip(folder, createRequest(10));
      const request = { startSeconds: 0.1, frameCount: 5, fps: FPS, width: WIDTH, height: HEIGHT } as const;
      const path = join(folder, 'second.mp4');
      const frames = decodeFrames(backend, clip, { ...request, pixels: 'i420' }, signal);
      await encode(backend, { path, maxSeconds: 1, video: createVideo(frames, FPS, 'i420') }, signal);
      const second = { path, info: await probeMedia(path, signal) };
      assert.deepEqual(await readNumbers(second, 0, 5), range(2, 7));
    }));

  it('keeps sound and its exact length for any block size', () =>
    withTempFolder(async folder => {
      for (const blockFrames of isNightly ? [1000, 48_000] : [1000]) {
        const clip = await encodeClip(folder, {
          path: '',
          maxSeconds: 2,
          audio: generateTone(1.234, 0.5, blockFrames),
        });
        assert.equal(clip.info.contentType, 'audio/mp4');
        assert.ok(Math.abs(clip.info.durationSeconds - 1.234) < 0.03, `${clip.info.durationSeconds} s`);
        const sound = await collectSound(
          decodeAudio(backend, clip, { startSeconds: 0, seconds: 1.234 }, signal),
        );
        assert.equal(sound.length, Math.round(1.234 * 48_000) * 2);
        assert.ok(Math.abs(measureOnsetSeconds(sound) - 0.5) < 0.002, `${measureOnsetSeconds(sound)} s`);
        const original = await collectSound(generateTone(1.234, 0.5));
        assert.ok(
          measureDifference(sound, original, 0.55) < 0.03,
          `${measureDifference(sound, original, 0.55)}`,
        );
        assert.ok(Math.abs(measurePeak(sound, 1, 0.7, 1.2) - 0.25) < 0.05);
      }
    }));

  it('trims sound and pads the end with silence', () =>
    withTempFolder(async folder => {
      const clip = await encodeClip(folder, { path: '', maxSeconds: 2, audio: generateTone(1, 0.5) });
      const sound = await collectSound(decodeAudio(backend, clip, { startSeconds: 0.4, seconds: 1 }, signal));
      assert.ok(Math.abs(measureOnsetSeconds(sound) - 0.1) < 0.002);
      assert.ok(measurePeak(sound, 0, 0.3, 0.55) > 0.4 && measurePeak(sound, 0, 0.7, 1) === 0);
      const silent = await encodeClip(folder, createRequest(2));
      const silence = await collectSound(
        decodeAudio(backend, silent, { startSeconds: 0, seconds: 0.1 }, signal),
      );
      assert.deepEqual([silence.length, measurePeak(silence, 0, 0, 0.1)], [9600, 0]);
    }));

  it('decodes WAV at any sample rate, mono and stereo', () =>
    withTempFolder(async folder => {
      for (const [rate, channels] of WAV_FORMATS) {
        const path = join(folder, 'sound.wav');
        await writeFile(path, createWav(rate, channels, 0.5));
        const clip = { path, info: await probeMedia(path, signal) };
        assert.deepEqual(clip.info.audio?.sampleRate, rate);
        const sound = await collectSound(
          decodeAudio(backend, clip, { startSeconds: 0, seconds: 0.5 }, signal),
        );
        const original = await collectSound(generateTone(0.5));
        assert.ok(
          measureDifference(sound, original, 0.01) < 0.01,
          `${rate}: ${measureDifference(sound, original, 0.01)}`,
        );
      }
    }));

  it('refuses to encode more than the declared length, frames of another size, and odd sides', () =>
    withTempFolder(async folder => {
      const path = join(folder, 'clip.mp4');
      await assert.rejects(
        encode(backend, { path, maxSeconds: 0.1, video: createVideo(drawNumberedFrames(9), FPS) }, signal),
        { code: 'codec_failed', message: /longer than the declared 0.1 seconds/ },
      );
      await assert.rejects(encode(backend, { path, maxSeconds: 0.1, audio: generateTone(1) }, signal), {
        code: 'codec_failed',
      });
      const shortFrames = (async function* () {
        yield new Uint8Array(7);
      })();
      await assert.rejects(
        encode(backend, { path, maxSeconds: 1, video: createVideo(shortFrames, FPS) }, signal),
        /A frame has 7 bytes/,
      );
      const videoWithOddWidth = { ...createVideo(drawNumberedFrames(1), FPS), width: 95 };
      await assert.rejects(
        encode(backend, { path, maxSeconds: 1, video: videoWithOddWidth }, signal),
        RangeError,
      );
      assert.deepEqual(await readdir(folder), []);
    }));

  it('rethrows an error of the frame source without leaving a file', () =>
    withTempFolder(async folder => {
      const frames = (async function* () {
        yield drawNumberedFrame(0);
        throw new Error('the painter fell');
      })();
      const path = join(folder, 'clip.mp4');
      await assert.rejects(
        encode(backend, { path, maxSeconds: 1, video: createVideo(frames, FPS) }, signal),
        /the painter fell/,
      );
      assert.deepEqual(await readdir(folder), []);
    }));

  it('rejects with the reason of an abort', () =>
    withTempFolder(async folder => {
      const controller = new AbortController();
      const frames = (async function* () {
        for (let number = 0; ; number++) {
          if (number === 5) controller.abort(new Error('cancelled'));
          yield drawNumberedFrame(number % 256);
        }
      })();
      const path = join(folder, 'clip.mp4');
      await assert.rejects(
        encode(backend, { path, maxSeconds: 3600, video: createVideo(frames, FPS) }, controller.signal),
        /cancelled/,
      );
      assert.deepEqual(await readdir(folder), []);
      const clip = await encodeClip(folder, createRequest(20));
      const decodeController = new AbortController();
      const request = { startSeconds: 0, frameCount: 9999, fps: FPS, width: WIDTH, height: HEIGHT } as const;
      await assert.rejects(async () => {
        for await (const _ of decodeFrames(
          backend,
          clip,
          { ...request, pixels: 'rgba' },
          decodeController.signal,
        )) {
          decodeController.abort(new Error('enough'));
        }
      }, /enough/);
    }));

  it('ends the decoder when the consumer stops after one frame', () =>
    withTempFolder(async folder => {
      const clip = await encodeClip(folder, createRequest(20));
      const request = { startSeconds: 0, frameCount: 9999, fps: FPS, width: WIDTH, height: HEIGHT } as const;
      for await (const frame of decodeFrames(backend, clip, { ...request, pixels: 'rgba' }, signal)) {
        assert.equal(readNumber(frame), 0);
        break;
      }
    }));

  it('reports damaged files with a message of the service', () =>
    withTempFolder(async folder => {
      const clip = await encodeClip(folder, { ...createRequest(30), audio: generateTone(1.5) });
      const original = await readFile(clip.path);
      for (const damage of isNightly ? [0.3, 0.6, 0.9] : [0.6]) {
        const bytes = Buffer.from(original);
        const from = Math.max(bytes.indexOf('mdat') + 8, Math.floor(bytes.length * damage));
        for (let i = from; i < Math.min(bytes.length, from + 400); i++) bytes[i] = (i * 7919) & 255;
        await writeFile(clip.path, bytes);
        await readNumbers(clip, 0, 30).catch(err => assert.match(err.message, /^[\x20-\x7e]+$/));
        await collectSound(decodeAudio(backend, clip, { startSeconds: 0, seconds: 1.5 }, signal)).catch(err =>
          assert.match(err.message, /^The file|^The codec/),
        );
      }
      await writeFile(clip.path, original.subarray(0, 300));
      await assert.rejects(readNumbers(clip, 0, 3), { code: 'unreadable_media' });
      await writeFile(clip.path, Buffer.alloc(0));
      await assert.rejects(readNumbers(clip, 0, 3), { code: 'unreadable_media' });
    }));

  it('reports an output file that cannot be written', () =>
    withTempFolder(async folder => {
      const path = join(folder, 'nowhere', 'clip.mp4');
      await assert.rejects(encode(backend, { ...createRequest(20), path }, signal), { code: 'codec_failed' });
      await assert.rejects(stat(path));
    }));
}

/** Creates a 16-bit WAV file with the left channel of `tone`. */
function createWav(rate: number, channels: number, seconds: number): Buffer {
  const frames = Math.round(rate * seconds);
  const data = Buffer.alloc(frames * channels * 2);
  for (let i = 0; i < frames; i++) {
    for (let channel = 0; channel < channels; channel++) {
      const value = channel === 0 ? 0.5 * Math.sin((2 * Math.PI * 880 * i) / rate) : 0;
      data.writeInt16LE(Math.round(value * 32_767), (i * channels + channel) * 2);
    }
  }
  const head = Buffer.alloc(44);
  head.write('RIFF', 0);
  head.writeUInt32LE(36 + data.length, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(channels, 22);
  head.writeUInt32LE(rate, 24);
  head.writeUInt32LE(rate * channels * 2, 28);
  head.writeUInt16LE(channels * 2, 32);
  head.writeUInt16LE(16, 34);
  head.write('data', 36);
  head.writeUInt32LE(data.length, 40);
  return Buffer.concat([head, data]);
}
