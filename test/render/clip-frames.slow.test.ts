// Tests video elements: each output frame shows the frame of the clip that a player would show at that time.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import type { CodecSettings } from '../../src/codecs/backend.ts';
import { type Backend, FRAME_TOLERANCE_SECONDS } from '../../src/codecs/command.ts';
import type { Clip } from '../../src/codecs/decode.ts';
import { probeMedia } from '../../src/codecs/probe/probe.ts';
import { withTempFolder } from '../../src/lib/files.ts';
import { findOnPath } from '../../src/lib/settings.ts';
import { openScene } from '../../src/render/scene.ts';
import { drawSceneStills } from '../../src/render/stills/stills.ts';
import { evaluateFrame } from '../../src/render/timeline/evaluate.ts';
import { getPixel, readNumber } from '../codecs/clips.ts';
import { isNear, readPixels } from '../support/media/pixels.ts';
import { isRunning, waitUntil } from '../support/processes.ts';
import { drawClips, makeClip, RENDER_BACKENDS } from '../support/render/clips.ts';
import { isNightly } from '../support/tier.ts';

const createScene = (element: object, properties: object = {}) => ({
  fps: 30,
  width: 96,
  height: 64,
  scenes: [{ duration: 8, elements: [{ type: 'video', src: './clip.mp4', ...element }] }],
  ...properties,
});

const ffmpeg = findOnPath('ffmpeg');
const run = promisify(execFile);
const RED = [200, 40, 40] as const;
const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, i) => from + i);

for (const [name, backend] of RENDER_BACKENDS) {
  describe(`video elements with the ${name}`, { skip: typeof backend === 'string' && backend }, () => {
    if (typeof backend !== 'string') testBackend(backend);
  });
}

function testBackend(backend: Backend): void {
  let folder = '';
  /** 90 frames at 30 per second. */
  let clip: Clip;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'graphwright-clips-'));
    clip = await makeClip(backend, folder, { fps: 30, frameCount: 90, ground: RED });
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const drawNumbers = async (graph: object, frames: Iterable<number>, file = clip): Promise<number[]> => {
    const { drawn, warnings } = await drawClips(backend, graph, frames, file);
    assert.deepEqual(warnings, []);
    return drawn.map(({ rgba, width, height }) => readNumber(rgba, width, height));
  };

  for (const fps of isNightly ? [24, 25, 29.97, 30, 60] : [29.97, 60])
    it(`show the right frame of a clip with ${fps} frames per second at any time`, async () => {
      const file = fps === 30 ? clip : await makeClip(backend, folder, { fps, frameCount: 80 });
      const frames = [...range(0, 16), ...range(66, 76)];
      assert.deepEqual(
        await drawNumbers(createScene({}), frames, file),
        frames.map(frame => Math.min(79, Math.floor((frame / 30 + FRAME_TOLERANCE_SECONDS) * fps + 1e-6))),
      );
    });

  it('apply trim and speed and stay at the last frame', async () => {
    assert.deepEqual(await drawNumbers(createScene({ trim: '80f' }), range(0, 13)), [
      ...range(80, 90),
      89,
      89,
      89,
    ]);
    assert.deepEqual(await drawNumbers(createScene({ speed: 2 }), range(0, 6)), [0, 2, 4, 6, 8, 10]);
    assert.deepEqual(await drawNumbers(createScene({ speed: 0.5 }), range(0, 6)), [0, 0, 1, 1, 2, 2]);
    const video = { type: 'video', src: './clip.mp4', speed: 2 };
    const grouped = createScene(
      {},
      { scenes: [{ duration: 8, elements: [{ type: 'group', speed: 1.5, elements: [video] }] }] },
    );
    assert.deepEqual(await drawNumbers(grouped, range(0, 4)), [0, 3, 6, 9]);
    assert.deepEqual(await drawNumbers(createScene({ trim: 5 }), range(0, 2)), [89, 89]);
  });

  it('loop from the end of the clip to the trim', async () => {
    assert.deepEqual(
      await drawNumbers(createScene({ loop: true, trim: '86f' }), range(0, 10)),
      [86, 87, 88, 89, 86, 87, 88, 89, 86, 87],
    );
    const background = createScene(
      { opacity: 0 },
      { background: { type: 'video', src: './clip.mp4', fit: 'fill' } },
    );
    assert.deepEqual(await drawNumbers(background, [88, 89, 90, 91]), [88, 89, 0, 1]);
  });

  it('show the same frame after jumps, steps back and larger steps', async () => {
    const order = [60, 61, 5, 6, 6, 30, 33, 36, 2];
    assert.deepEqual(await drawNumbers(createScene({}), order), order);
  });

  it('have separate times if several elements show the same file', async () => {
    const video = {
      type: 'video',
      src: './clip.mp4',
      fit: 'fill',
      anchor: 'top-left',
      y: 0,
      height: '100%',
    };
    const elements = [0, 1, 2].map(index => ({
      ...video,
      x: index * 96,
      width: 96,
      trim: `${index * 4}f`,
    }));
    const graph = createScene({}, { width: 288, scenes: [{ duration: 3, elements }] });
    const { drawn, warnings } = await drawClips(backend, graph, range(0, 8), clip);
    assert.deepEqual(warnings, []);
    for (const { frame, rgba } of drawn)
      assert.deepEqual(
        [0, 1, 2].map(index => readNumber(cropColumn(rgba, 288, index * 96, 96))),
        [frame, frame + 4, frame + 8],
      );
    const mask = { mode: 'luma', element: { type: 'video', src: './clip.mp4', fit: 'fill' } };
    const graphWithMask = createScene(
      {},
      {
        scenes: [{ duration: 3, elements: [{ type: 'shape', shape: 'rectangle', fill: '#ffffff', mask }] }],
      },
    );
    assert.deepEqual(await drawNumbers(graphWithMask, range(3, 6)), [3, 4, 5]);
  });

  it('are decoded at their visible size', async () => {
    const inset = { width: 48, height: 32, x: 0, y: 0, anchor: 'top-left' };
    const { drawn, warnings } = await drawClips(backend, createScene(inset), range(0, 4), clip);
    assert.deepEqual(warnings, []);
    for (const { frame, rgba } of drawn) {
      const part = cropColumn(rgba, 96, 0, 48).subarray(0, 48 * 32 * 4);
      assert.equal(readNumber(part, 48, 32), frame);
    }
  });

  it('fit their box like images', async () => {
    const drawPixel = async (element: object, x: number, y: number): Promise<readonly number[]> => {
      const graph = createScene(element, { width: 128, background: '#0000ff' });
      const { drawn } = await drawClips(backend, graph, [0], clip);
      return getPixel(drawn[0]?.rgba ?? new Uint8Array(), x, y, 128);
    };
    assert.ok(isNear(await drawPixel({ fit: 'contain' }, 2, 60), [0, 0, 255], 12));
    assert.ok(isNear(await drawPixel({ fit: 'cover' }, 2, 60), RED, 12));
    assert.ok(isNear(await drawPixel({ fit: 'fill', crop: [0, 0.6, 1, 0.4] }, 60, 2), RED, 12));
    const blurredGraph = createScene({ fit: 'contain-blur' }, { width: 192, background: '#0000ff' });
    const { drawn } = await drawClips(backend, blurredGraph, [0, 63], clip);
    // At the top left, 0 is dark and 63 is bright, also when blurred.
    const [dark = 0, bright = 0] = drawn.map(({ rgba }) => getPixel(rgba, 10, 4, 192)[1]);
    assert.ok(dark < 50 && bright > 90, `${dark} ${bright}`);
  });

  it('fill the frame as a background that is darkened, blurred or enlarged', async () => {
    const getPixels = async (
      background: object,
      frames: readonly number[] = [0],
    ): Promise<readonly number[][]> => {
      const graph = {
        ...createScene({ opacity: 0 }),
        background: { type: 'video', src: './clip.mp4', ...background },
      };
      const { drawn, warnings } = await drawClips(backend, graph, frames, clip);
      assert.deepEqual(warnings, []);
      return drawn.map(({ rgba }) => getPixel(rgba, 90, 60));
    };
    const [dim = []] = await getPixels({ dim: 0.5 });
    assert.ok(isNear(dim, [100, 20, 20], 8), String(dim));
    // The bottom is red, and the top of the first frame is black. A wide blur mixes them and shows no edge.
    const [blurredGraph = []] = await getPixels({ blur: 60 });
    assert.ok((blurredGraph[0] ?? 0) > 40 && (blurredGraph[0] ?? 0) < 190, String(blurredGraph));
    const [firstPixel = [], lastPixel = []] = await getPixels({ zoom: 3, focus: [1, 0] }, [0, 239]);
    assert.ok(isNear(firstPixel, RED, 12) && !isNear(lastPixel, RED, 12), `${firstPixel} ${lastPixel}`);
  });

  it('show the content behind a transparent clip', {
    skip: ffmpeg === undefined,
  }, async () => {
    const path = join(folder, 'alpha.webm');
    const half = "format=yuva420p,geq=lum='lum(X,Y)':cb='cb(X,Y)':cr='cr(X,Y)':a='255*gt(X,W/2)'";
    const source = ['-f', 'lavfi', '-i', `color=c=red:s=96x64:r=30:d=1,${half}`];
    const codec = ['-c:v', 'libvpx-vp9', '-g', '10', '-deadline', 'realtime', '-cpu-used', '8'];
    await run(ffmpeg ?? '', ['-v', 'error', ...source, ...codec, path]);
    const file = { path, info: await probeMedia(path, new AbortController().signal) };
    const graph = createScene({ fit: 'fill' }, { background: '#0000ff' });
    const { drawn, warnings } = await drawClips(backend, graph, [0, 1, 25, 40], file);
    assert.deepEqual(warnings, []);
    for (const { frame, rgba } of drawn) {
      assert.ok(isNear(getPixel(rgba, 20, 32), [0, 0, 255], 12), `${frame}: ${getPixel(rgba, 20, 32)}`);
      assert.ok(isNear(getPixel(rgba, 80, 32), [255, 0, 0], 12), `${frame}: ${getPixel(rgba, 80, 32)}`);
    }
  });

  it('report a damaged or truncated clip by pointer', async () => {
    const bytes = await readFile(clip.path);
    const half = Math.floor(bytes.length / 2);
    const cases = { cut: bytes.subarray(0, half), noise: bytes.fill(7, half - 500, half + 500) };
    for (const [name, content] of Object.entries(cases)) {
      const path = join(folder, `${name}.mp4`);
      await writeFile(path, content);
      const { drawn, warnings } = await drawClips(backend, createScene({}), [0, 1, 80, 81], {
        ...clip,
        path,
      });
      assert.equal(drawn.length, 4);
      for (const warning of warnings)
        assert.match(warning, /^\/scenes\/0\/elements\/0 cannot be shown: The .+\.$/, name);
    }
    const noClip = { ...clip, path: join(folder, 'gone.mp4') };
    const { warnings } = await drawClips(backend, createScene({}), [0, 1], noClip);
    assert.equal(warnings.length, 1);
    assert.match(warnings[0] ?? '', /^\/scenes\/0\/elements\/0 cannot be shown: /);
  });
}

/** The probe result of a clip without a file. */
const info = {
  container: 'mp4',
  contentType: 'video/mp4',
  startSeconds: 0,
  durationSeconds: 99,
  video: {
    codec: 'avc',
    width: 96,
    height: 64,
    rotation: 0,
    fps: 30,
    matrix: 'bt709',
    fullRange: false,
  },
} as const;

describe('the decoder of a video element', () => {
  const clip = { path: '/nowhere', info };
  const createBackend = (file: string, ...args: string[]): Backend => ({
    name: 'ffmpeg',
    detail: '',
    encoderId: '',
    toSpawnSpec: () => ({ file, args, env: {} }),
  });

  it('leaves its last frame and a warning when it fails', async () => {
    const script = `process.stdout.write(Buffer.concat([1, 2].flatMap(() => [Buffer.alloc(6144, 235), Buffer.alloc(3072, 128)])), () => process.exit(1))`;
    const backend = createBackend(process.execPath, '-e', script);
    const { drawn, warnings } = await drawClips(backend, createScene({}), range(0, 5), clip);
    for (const { rgba } of drawn) assert.ok(isNear(getPixel(rgba, 5, 5), [255, 255, 255]));
    assert.equal(warnings.length, 1);
    assert.match(warnings[0] ?? '', /^\/scenes\/0\/elements\/0 cannot be shown: The file can.t be decoded/);
  });

  it('is not started for the seventeenth clip of a frame', async () => {
    const elements = Array.from({ length: 18 }, (_, index) => ({
      type: 'video',
      src: './clip.mp4',
      width: 12,
      height: 8,
      trim: index,
    }));
    const graph = createScene({}, { scenes: [{ duration: 3, elements }] });
    const { warnings } = await drawClips(createBackend('/bin/cat', '/dev/zero'), graph, [0, 1], clip);
    assert.deepEqual(
      warnings.map(warning => warning.split(' exceeds the limit')[0]),
      ['/scenes/0/elements/16', '/scenes/0/elements/17'],
    );
  });
});

describe('drawSceneStills with a clip', {
  skip: process.platform === 'win32' && 'the decoder is a shell script',
}, () => {
  const timeline = openScene(createScene({}));
  const files = new Map(
    [...timeline.resources.keys()].map(key => [key, { kind: 'clip', path: '/x', info } as const]),
  );
  const still = { lists: [evaluateFrame(timeline, 0)], files, scale: 1, format: 'png' } as const;

  /** Creates a shell script that acts as ffmpeg. To decode, it runs the command. */
  const withDecoder = (command: string, use: (codecs: CodecSettings, folder: string) => Promise<void>) =>
    withTempFolder(async folder => {
      const path = join(folder, 'ffmpeg');
      const encoders = "printf ' V..... libx264 x\\n A..... aac x\\n'";
      const script = `#!/bin/sh\ncase "$*" in *-encoders*) ${encoders};; *) ${command};; esac\n`;
      await writeFile(path, script, { mode: 0o700 });
      await use({ FFMPEG_PATH: path }, folder);
    });

  it('draws the frame from the decoder', () =>
    withDecoder('exec cat /dev/zero', async codecs => {
      const { frames, warnings } = await drawSceneStills({ ...still, codecs }, new AbortController().signal);
      assert.deepEqual(warnings, []);
      const { at } = await readPixels(frames[0]?.bytes ?? new Uint8Array());
      // Zero in all planes is a dark green.
      assert.ok(isNear(at(48, 32), [0, 77, 0], 12), String(at(48, 32)));
    }));

  it('leaves no decoder running when it is aborted', () =>
    withDecoder('echo $$ > "$0.pid"; exec sleep 600', async (codecs, folder) => {
      const controller = new AbortController();
      const drawing = drawSceneStills({ ...still, codecs }, controller.signal);
      drawing.catch(() => undefined);
      let pid = 0;
      await waitUntil('the decoder to start', async () => {
        pid = Number(await readFile(join(folder, 'ffmpeg.pid'), 'utf8').catch(() => 0));
        return pid > 0;
      });
      controller.abort();
      await assert.rejects(drawing, { name: 'AbortError' });
      await waitUntil('the decoder to end', () => !isRunning(pid));
    }));
});

/** Cuts a vertical strip of the image. */
function cropColumn(rgba: Uint8Array, width: number, from: number, columnWidth: number): Uint8Array {
  const rows = Array.from({ length: rgba.length / width / 4 }, (_, y) =>
    rgba.subarray((y * width + from) * 4, (y * width + from + columnWidth) * 4),
  );
  return Buffer.concat(rows);
}
