// Tests video and audio nodes on small clips with the back end of this machine.
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { getBackend } from '../../src/codecs/backend.ts';
import { decodeAudio } from '../../src/codecs/decode.ts';
import { encode } from '../../src/codecs/encode.ts';
import { probeMedia } from '../../src/codecs/probe/probe.ts';
import type { MediaRef } from '../../src/graph/types.ts';
import { withTempFolder } from '../../src/lib/files.ts';
import { readSettings } from '../../src/lib/settings.ts';
import { createNodeCatalog, findNode } from '../../src/nodes/catalog.ts';
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
} from '../codecs/clips.ts';
import { makeContext, runNode } from '../support/engine/node-context.ts';
import { readPixels } from '../support/media/pixels.ts';

const FPS = 20;
const { signal } = new AbortController();
const backend = await getBackend(readSettings(), signal).catch(() => undefined);
const skip = backend === undefined && 'this machine has no codec';

describe('video and audio nodes', { skip }, async () => {
  if (backend === undefined) return;
  const ctx = makeContext();

  const makeClip = (frameCount: number, soundStart?: number): Promise<MediaRef> =>
    withTempFolder(async folder => {
      const path = join(folder, 'clip.mp4');
      const video = createVideo(drawNumberedFrames(frameCount, [30, 200, 60]), FPS);
      const seconds = frameCount / FPS;
      const audio = soundStart === undefined ? {} : { audio: generateTone(seconds, soundStart) };
      await encode(backend, { path, maxSeconds: seconds, video, ...audio }, signal);
      return ctx.upload(await readFile(path), 'video/mp4');
    });
  const makeSound = (seconds: number, from: number): Promise<MediaRef> =>
    withTempFolder(async folder => {
      const path = join(folder, 'sound.m4a');
      await encode(backend, { path, maxSeconds: seconds, audio: generateTone(seconds, from) }, signal);
      return ctx.upload(await readFile(path), 'audio/mp4');
    });

  /** Returns the properties of a result, the numbers on its frames, and its sound. */
  const inspectVideo = (ref: MediaRef) =>
    withTempFolder(async folder => {
      const path = join(folder, 'result');
      await writeFile(path, ctx.bytesOf(ref));
      const clip = { path, info: await probeMedia(path, signal) };
      const { video, durationSeconds: seconds } = clip.info;
      const { width = 0, height = 0, fps = 1 } = video ?? {};
      const request = { startSeconds: 0, frameCount: Math.round(seconds * fps), fps, width, height };
      const frames = video === undefined ? [] : await readFrames(backend, clip, request);
      const sound = await collectSound(decodeAudio(backend, clip, { startSeconds: 0, seconds }, signal));
      return { info: clip.info, frames, sound };
    });

  const clipWithSound = await makeClip(30, 0.5);
  const silentClip = await makeClip(10);
  const sound = await makeSound(1, 0.25);

  it('trim a video to the frame with its sound', async () => {
    const progressReports: number[] = [];
    const values = { video: clipWithSound, start: 0.25, duration: 1 };
    const contextWithProgress = {
      ...ctx,
      progress: (fraction: number) => void progressReports.push(fraction),
    };
    const { video } = await runNode('utility:video_trim', values, contextWithProgress);
    const result = await inspectVideo(video as MediaRef);
    assert.deepEqual(
      result.frames.map(frame => readNumber(frame)),
      Array.from({ length: 20 }, (_, i) => i + 5),
    );
    assert.ok(
      Math.abs(measureOnsetSeconds(result.sound) - 0.25) < 0.003,
      `${measureOnsetSeconds(result.sound)}`,
    );
    assert.match((video as MediaRef).url, /trimmed\.mp4$/);
    assert.deepEqual([progressReports.length, progressReports.at(-1)], [20, 1]);
  });

  it('join videos of different sizes with silence for a video without sound', async () => {
    const list = [silentClip, clipWithSound].map(media => ({ type: 'VIDEO', media }));
    const { video } = await runNode('utility:video_concat', { list, width: 192, height: 64 }, ctx);
    const { info, frames, sound: resultSound } = await inspectVideo(video as MediaRef);
    assert.deepEqual([info.video?.width, info.video?.height, frames.length], [192, 64, 40]);
    const cutBorder = (frame: Buffer): Buffer =>
      Buffer.concat(
        Array.from({ length: 64 }, (_, y) => frame.subarray((y * 192 + 48) * 4, (y * 192 + 144) * 4)),
      );
    assert.deepEqual(
      frames.map(frame => readNumber(cutBorder(frame))),
      [...Array(10).keys(), ...Array(30).keys()],
    );
    assert.ok(
      getPixel(frames[0] as Buffer, 4, 50, 192).every(value => value < 12),
      'bars are black',
    );
    assert.ok(Math.abs(measureOnsetSeconds(resultSound) - 1) < 0.003, `${measureOnsetSeconds(resultSound)}`);
  });

  it('extract a frame of a video', async () => {
    const { image } = await runNode('utility:video_frame', { video: clipWithSound, at: 0.6 }, ctx);
    const pixels = await readPixels(ctx.bytesOf(image as MediaRef));
    assert.deepEqual([pixels.width, pixels.height], [WIDTH, HEIGHT]);
    // 12 is 1100 in binary, the lowest bit at the left.
    const isLit = (bit: number): boolean => (pixels.at(bit * 12 + 6, 16)[1] ?? 0) > 127;
    assert.deepEqual([0, 1, 2, 3, 4].map(isLit), [false, false, true, true, false]);
  });

  it('report the properties of a video', async () => {
    const { json, ...rest } = await runNode('utility:video_info', { video: clipWithSound }, ctx);
    assert.deepEqual([rest.width, rest.height], [WIDTH, HEIGHT]);
    assert.ok(Math.abs((rest.duration as number) - 1.5) < 0.03);
    const { fps, codec, audio } = json as Record<string, unknown>;
    assert.deepEqual([fps, codec, audio], [FPS, 'avc', { codec: 'aac', sampleRate: 48_000, channels: 2 }]);
  });

  it('trim and fade a sound', async () => {
    const values = { audio: sound, start: 0.15, duration: 0.6, fadeOut: 0.3, volume: 0.5 };
    const { audio } = await runNode('utility:audio_trim', values, ctx);
    const { info, sound: resultSound } = await inspectVideo(audio as MediaRef);
    assert.equal(info.contentType, 'audio/mp4');
    assert.ok(Math.abs(info.durationSeconds - 0.6) < 0.03);
    assert.ok(Math.abs(measurePeak(resultSound, 0, 0.15, 0.28) - 0.25) < 0.05);
    assert.ok(measurePeak(resultSound, 0, 0.56, 0.6) < 0.08);
  });

  it('mix sounds and limit their peaks', async () => {
    const later = await makeSound(1.5, 1);
    const values = { audio1: sound, audio2: later, audio3: sound, volume1: 1.5, volume2: 0.5, volume3: 1.5 };
    const { audio } = await runNode('utility:audio_mix', values, ctx);
    const { info, sound: resultSound } = await inspectVideo(audio as MediaRef);
    assert.ok(Math.abs(info.durationSeconds - 1.5) < 0.03);
    const loud = measurePeak(resultSound, 0, 0.4, 0.9);
    assert.ok(loud > 0.85 && loud < 1.1, `${loud}`);
    assert.ok(Math.abs(measurePeak(resultSound, 0, 1.1, 1.4) - 0.25) < 0.05);
  });

  it('extract the sound of a video and add it to another video', async () => {
    const { audio } = await runNode('utility:audio_extract', { video: clipWithSound }, ctx);
    assert.ok(Math.abs(measureOnsetSeconds((await inspectVideo(audio as MediaRef)).sound) - 0.5) < 0.003);
    const values = { video: silentClip, audio: sound };
    const { video } = await runNode('utility:audio_mux', values, ctx);
    const { frames, sound: resultSound } = await inspectVideo(video as MediaRef);
    assert.deepEqual(
      frames.map(frame => readNumber(frame)),
      [...Array(10).keys()],
    );
    assert.ok(Math.abs(measureOnsetSeconds(resultSound) - 0.25) < 0.003);
    assert.ok(Math.abs(resultSound.length / 96_000 - 0.5) < 0.03);
  });

  it('refuse unusable input', async () => {
    const text = await ctx.upload(Buffer.from('no video at all'), 'video/mp4');
    const unusableInputs: readonly (readonly [string, Readonly<Record<string, unknown>>, string])[] = [
      ['utility:video_trim', { video: text }, 'unreadable_media'],
      ['utility:video_trim', { video: clipWithSound, start: 5 }, 'invalid_range'],
      ['utility:video_trim', { video: sound }, 'unreadable_media'],
      ['utility:audio_extract', { video: silentClip }, 'unreadable_media'],
      ['utility:video_concat', { list: [] }, 'invalid_list'],
      ['utility:video_concat', { list: [{ type: 'TEXT', text: 'x' }] }, 'invalid_list'],
    ];
    for (const [nodeType, values, code] of unusableInputs) {
      await assert.rejects(runNode(nodeType, values, ctx), { code }, `${nodeType} ${code}`);
    }
  });

  it('stop when the run is cancelled', async () => {
    const controller = new AbortController();
    const cancelledContext = {
      ...ctx,
      signal: controller.signal,
      progress: () => controller.abort(new Error('cancelled')),
    };
    await assert.rejects(
      runNode('utility:video_trim', { video: clipWithSound }, cancelledContext),
      /cancelled/,
    );
  });
});

describe('the catalog entry of a node that needs a codec', () => {
  it('is hidden only if there is no codec', () => {
    const { find } = createNodeCatalog({ SANDBOX_MODELS: true });
    assert.equal(find('utility:video_trim')?.hidden === true, backend === undefined);
    assert.ok(findNode('utility:audio_mux'));
  });
});
