// Tests stills of scenes with video and audio: the current frame, and the waveform.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { getBackend } from '../../../src/codecs/backend.ts';
import { encode } from '../../../src/codecs/encode.ts';
import { readSettings } from '../../../src/lib/settings.ts';
import { storeMedia } from '../../../src/services/media/media.ts';
import {
  createVideo,
  drawNumberedFrames,
  generateTone,
  HEIGHT,
  readNumber,
  WIDTH,
} from '../../codecs/clips.ts';
import { type ApiUser, openTestApp, type TestApp } from '../../support/app.ts';
import { readPixels } from '../../support/media/pixels.ts';

const { signal } = new AbortController();
const backend = await getBackend(readSettings(), signal).catch(() => undefined);
const FPS = 10;

describe('still previews', { skip: backend === undefined && 'this machine has no codec' }, () => {
  let test: TestApp;
  let user: ApiUser;
  let clip: string;
  before(async () => {
    test = await openTestApp();
    user = await test.createUser();
    const folder = await mkdtemp(join(tmpdir(), 'graphwright-preview-'));
    const path = join(folder, 'clip.mp4');
    const video = createVideo(drawNumberedFrames(20), FPS);
    // Silent in its first second, so that the bars show their position.
    assert.ok(backend);
    await encode(backend, { path, maxSeconds: 2, video, audio: generateTone(2, 1) }, signal);
    const owner = { userId: user.userId, workspace: `user:${user.userId}`, executionId: null };
    const file = { source: await readFile(path), contentType: 'video/mp4', name: 'clip' };
    clip = (await storeMedia(test.deps, owner, file, signal)).url;
    await rm(folder, { recursive: true });
  });
  after(() => test.close());

  const draw = async (element: object, frames: readonly number[]) => {
    const sceneGraph = {
      fps: FPS,
      width: WIDTH,
      height: HEIGHT,
      scenes: [{ duration: 2, elements: [element] }],
    };
    const { status, body } = await user.request<{
      data: { frames: { url: string }[]; warnings: string[] };
    }>('POST', '/render/renderer/preview', { sceneGraph, frames });
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual(body.data.warnings, []);
    return Promise.all(
      body.data.frames.map(async ({ url }) =>
        readPixels((await test.app.inject({ url: new URL(url).pathname })).rawPayload),
      ),
    );
  };

  it('show the current frame of a video', async () => {
    for (const [index, pixels] of (await draw({ type: 'video', src: clip }, [3, 17])).entries()) {
      const rgba = Uint8Array.from(
        Array.from({ length: WIDTH * HEIGHT }, (_, index) =>
          pixels.at(index % WIDTH, Math.floor(index / WIDTH)),
        ).flat(),
      );
      assert.equal(readNumber(rgba), [3, 17][index]);
    }
  });

  it('draw the waveform of the current time', async () => {
    const element = { type: 'waveform', src: clip, color: '#ffffff', bars: 8, gap: 0 };
    const [quiet, loud] = await draw(element, [2, 18]);
    const countBrightPixels = (pixels: typeof quiet): number =>
      Array.from(
        { length: WIDTH * HEIGHT },
        (_, index) => pixels?.at(index % WIDTH, Math.floor(index / WIDTH))[0] ?? 0,
      ).filter(value => value > 127).length;
    const [quietPixels, loudPixels] = [countBrightPixels(quiet), countBrightPixels(loud)];
    assert.ok(loudPixels > 4 * Math.max(1, quietPixels), `${loudPixels} and ${quietPixels} pixels`);
  });
});
