// Tests videos with both back ends: their content, reused segments, and cleanup after an early end.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import { getBackend } from '../../src/codecs/backend.ts';
import type { Backend } from '../../src/codecs/command.ts';
import { decodeAudio } from '../../src/codecs/decode.ts';
import { encode } from '../../src/codecs/encode.ts';
import { probeMedia } from '../../src/codecs/probe/probe.ts';
import { withTempFolder } from '../../src/lib/files.ts';
import { openScene } from '../../src/render/scene.ts';
import { drawSceneStills } from '../../src/render/stills/stills.ts';
import { evaluateFrame } from '../../src/render/timeline/evaluate.ts';
import { renderVideo } from '../../src/render/video/render-video.ts';
import type { VideoRequest } from '../../src/render/video/video-request.ts';
import { collectSound, generateTone, measurePeak, readFrames, readNumber } from '../codecs/clips.ts';
import { isRunning, waitUntil } from '../support/processes.ts';
import { makeClip, RENDER_BACKENDS } from '../support/render/clips.ts';
import { isNightly } from '../support/tier.ts';

const { signal } = new AbortController();
const FPS = 20;
const PARENT = join(import.meta.dirname, '../support/render/video-parent.ts');
/** Other tests show by day that segments are reused and that no process or file remains after a kill. */
const BY_DAY = isNightly ? false : 'runs at night';
const NEEDS_PROC = process.platform === 'linux' ? false : 'reads /proc';

/** Two scenes of two seconds: a bar that moves with every frame, and static text. */
const GRAPH = {
  fps: FPS,
  width: 320,
  height: 180,
  scenes: ['#20306a', '#6a2030'].map((background, index) => ({
    duration: 2,
    background,
    elements: [
      {
        type: 'shape',
        shape: 'rectangle',
        width: 60,
        height: 60,
        y: 60,
        x: {
          keyframes: [
            { time: 0, value: 30 },
            { time: 2, value: 290, easing: 'linear' },
          ],
        },
        fill: '#f2c14e',
      },
      { type: 'text', text: `Scene ${index + 1}`, y: 140, fontSize: 36 },
    ],
  })),
};

const CHANGED_GRAPH = {
  ...GRAPH,
  scenes: GRAPH.scenes.map((scene, index) => (index === 1 ? { ...scene, background: '#206a30' } : scene)),
};

for (const [name, backend] of RENDER_BACKENDS) {
  describe(`renderVideo with the ${name}`, { skip: typeof backend === 'string' && backend }, () => {
    if (typeof backend !== 'string') testVideos(backend);
  });
}

function createRequest(backend: Backend, folder: string, more: Partial<VideoRequest> = {}): VideoRequest {
  // The path names no program, so the codec host is used.
  const codecs = { FFMPEG_PATH: backend.path ?? join(folder, 'no-ffmpeg') };
  const path = join(folder, 'video.mp4');
  return { graph: GRAPH, files: new Map(), range: [0, 4 * FPS], scale: 1, path, codecs, ...more };
}

function testVideos(backend: Backend): void {
  const render = (folder: string, more: Partial<VideoRequest> = {}, reportedFrames: number[] = []) => {
    const onFrame = (done: number): void => void reportedFrames.push(done);
    return renderVideo(createRequest(backend, folder, more), { onFrame }, signal);
  };

  it('renders the frames of the graph at their times and tags BT.709', () =>
    withTempFolder(async folder => {
      const reportedFrames: number[] = [];
      const result = await render(folder, {}, reportedFrames);
      const path = join(folder, 'video.mp4');
      assert.deepEqual(
        [result.width, result.height, result.frameCount, result.durationSeconds, result.hasAudio],
        [320, 180, 80, 4, false],
      );
      assert.equal(result.backend, backend.name);
      assert.deepEqual(result.warnings, []);
      assert.equal(reportedFrames.at(-1), 80);
      assert.deepEqual(await readdir(folder), ['video.mp4']);
      const { video, durationSeconds } = await probeMedia(path, signal);
      assert.deepEqual(
        [video?.width, video?.height, video?.fps, video?.matrix, video?.fullRange, durationSeconds],
        [320, 180, FPS, 'bt709', false, 4],
      );
      assert.equal((await stat(path)).size, result.bytes);
      const likenesses = await compareFrames(backend, path, [0, 1, 39, 40, 79], { graph: GRAPH });
      assert.ok(
        likenesses.every(likeness => likeness > 33),
        `${likenesses} dB`,
      );
    }));

  it('renders a range at a smaller size with even sides', () =>
    withTempFolder(async folder => {
      const graph = { ...GRAPH, width: 322, height: 183 };
      const result = await render(folder, { graph, range: [30, 50], scale: 0.5 });
      assert.deepEqual([result.width, result.height, result.frameCount], [160, 92, 20]);
      const [likeness = 0] = await compareFrames(backend, join(folder, 'video.mp4'), [15], {
        graph,
        firstFrame: 30,
        scale: 0.5,
      });
      assert.ok(likeness > 28, `${likeness} dB`);
      const wholeVideo = await render(folder, { graph, range: [0, 2] });
      assert.deepEqual([wholeVideo.width, wholeVideo.height, wholeVideo.frameCount], [322, 182, 2]);
    }));

  it('includes clips and sound', () =>
    withTempFolder(async folder => {
      const clip = await makeClip(backend, folder, { fps: FPS, frameCount: 40 });
      const sound = join(folder, 'tone.mp4');
      await writeSound(backend, sound);
      const graph = {
        ...GRAPH,
        scenes: [
          {
            duration: 2,
            elements: [
              { type: 'video', src: 'https://example.com/clip.mp4', width: 320, height: 180, fit: 'fill' },
              { type: 'audio', src: 'https://example.com/tone.mp4' },
            ],
          },
        ],
      };
      const info = await probeMedia(sound, signal);
      const files = new Map(
        [...openScene(graph).resources].map(([key, { kind }]) => [
          key,
          kind === 'video'
            ? { kind: 'clip' as const, ...clip }
            : { kind: 'clip' as const, path: sound, info },
        ]),
      );
      const segmentFolder = join(folder, 'segments');
      for (const segments of isNightly ? [undefined, segmentFolder] : [segmentFolder]) {
        if (segments !== undefined) await mkdir(segments);
        const segmentOptions = segments === undefined ? {} : { segmentFolder: segments };
        const result = await render(folder, { graph, files, range: [10, 40], ...segmentOptions });
        assert.deepEqual([result.hasAudio, result.durationSeconds, result.warnings], [true, 1.5, []]);
        const videoClip = {
          path: join(folder, 'video.mp4'),
          info: await probeMedia(join(folder, 'video.mp4'), signal),
        };
        assert.ok(
          Math.abs(videoClip.info.durationSeconds - 1.5) < 0.03,
          `${videoClip.info.durationSeconds} s`,
        );
        const decodedSound = await collectSound(
          decodeAudio(backend, videoClip, { startSeconds: 0, seconds: 1.5 }, signal),
        );
        assert.ok(measurePeak(decodedSound, 0, 0.1, 0.4) < 0.05, 'The sound is silent in its first second.');
        assert.ok(measurePeak(decodedSound, 0, 0.6, 1.4) > 0.3, 'Then the sound is audible.');
        const [number] = await readNumbers(backend, videoClip.path, [20]);
        assert.equal(number, 30);
      }
    }));

  it('renders only the segments that do not exist', () =>
    withTempFolder(async folder => {
      const segmentFolder = join(folder, 'segments');
      await mkdir(segmentFolder);
      await render(folder, { segmentFolder });
      const first = await readdir(segmentFolder);
      assert.equal(first.length, 2);
      const direct = await readFramesFromStart(backend, join(folder, 'video.mp4'));
      const reportedFrames: number[] = [];
      await render(folder, { segmentFolder, graph: CHANGED_GRAPH }, reportedFrames);
      assert.deepEqual(
        [...new Set(reportedFrames)],
        Array.from({ length: 41 }, (_, index) => index + 40),
        'Only frames of the changed scene were drawn.',
      );
      assert.equal((await readdir(segmentFolder)).length, 3, 'One of the two segments existed.');
      const [likeness = 0] = await compareFrames(backend, join(folder, 'video.mp4'), [60], {
        graph: CHANGED_GRAPH,
      });
      assert.ok(likeness > 33, `${likeness} dB`);
      // An incomplete segment is rendered again.
      const incompletePath = join(segmentFolder, first[0] ?? '');
      await writeFile(incompletePath, (await readFile(incompletePath)).subarray(0, 900));
      const { frameCount } = await render(folder, { segmentFolder });
      assert.equal(frameCount, 80);
      assert.deepEqual(await readFramesFromStart(backend, join(folder, 'video.mp4')), direct);
    }));

  it('resumes after its process was killed', { skip: NEEDS_PROC || BY_DAY }, () =>
    withTempFolder(async folder => {
      const segmentFolder = join(folder, 'segments');
      await mkdir(segmentFolder);
      const clip = await makeClip(backend, folder, { fps: FPS, frameCount: 40 });
      // The second scene reads a pipe without a writer, so its segment cannot end before the render is killed.
      const path = join(folder, 'pipe');
      assert.equal(spawnSync('mkfifo', [path]).status, 0);
      const [first, second] = GRAPH.scenes;
      const video = { type: 'video', src: 'https://example.com/clip.mp4', width: 320, height: 180 };
      const graph = { ...GRAPH, scenes: [first, { ...second, elements: [video] }] };
      const files = new Map(
        [...openScene(graph).resources.keys()].map(key => [
          key,
          { kind: 'clip' as const, path, info: clip.info },
        ]),
      );
      const options = { graph, files, segmentFolder };
      let group: readonly number[] = [];
      const onSegment = (): void => {
        group = listRenderGroup(process.pid);
        for (const pid of group.slice(0, 1)) process.kill(pid, 'SIGKILL');
      };
      await assert.rejects(renderVideo(createRequest(backend, folder, options), { onSegment }, signal), {
        code: 'codec_failed',
      });
      assert.ok(group.length > 0, 'The render process was running when it was killed.');
      await waitUntil('the end of its group', () => !group.some(isRunning));
      assert.equal((await readdir(segmentFolder)).length, 1);
      assert.deepEqual((await readdir(folder)).sort(), [basename(clip.path), 'pipe', 'segments']);
      await rename(clip.path, path);
      const reportedFrames: number[] = [];
      const result = await render(folder, options, reportedFrames);
      assert.equal(reportedFrames[0], 40, 'The finished segment was not rendered again.');
      assert.equal(result.frameCount, 80);
    }),
  );

  it('rejects with the reason of an abort during the render', { skip: NEEDS_PROC }, () =>
    withTempFolder(async folder => {
      const controller = new AbortController();
      let group: readonly number[] = [];
      const onFrame = (done: number): void => {
        if (done < 10 || controller.signal.aborted) return;
        group = listRenderGroup(process.pid);
        controller.abort(new Error('enough'));
      };
      await assert.rejects(renderVideo(createRequest(backend, folder), { onFrame }, controller.signal), {
        message: 'enough',
      });
      await waitUntil('the end of its group', () => !group.some(isRunning));
      assert.deepEqual(await readdir(folder), []);
    }),
  );

  it('rejects with the reason of an abort before the process has started', () =>
    withTempFolder(async folder => {
      const request = createRequest(backend, folder);
      // Caches the back end, so that the search for it does not notice the abort.
      await getBackend(request.codecs ?? {}, signal);
      const controller = new AbortController();
      const video = renderVideo(request, {}, controller.signal);
      controller.abort(new Error('enough'));
      await assert.rejects(video, { message: 'enough' });
      assert.deepEqual(await readdir(folder), []);
    }));

  it('leaves no process and no file if the parent process is killed', { skip: NEEDS_PROC }, () =>
    withTempFolder(async folder => {
      const job = { ...createRequest(backend, folder), files: [] };
      const parent = spawn(process.execPath, [PARENT, JSON.stringify(job)], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      await once(parent.stdout, 'data');
      const group = listRenderGroup(parent.pid ?? 0);
      assert.ok(group.length > 0);
      parent.kill('SIGKILL');
      await waitUntil('the end of its group', () => !group.some(isRunning));
      assert.deepEqual(await readdir(folder), []);
    }),
  );
}

describe('renderVideo', () => {
  const hasCodec = RENDER_BACKENDS.some(([, backend]) => typeof backend !== 'string');

  it('refuses too many frames, invalid ranges and invalid graphs', () =>
    withTempFolder(async folder => {
      const job = { graph: GRAPH, files: new Map(), scale: 1, path: join(folder, 'video.mp4') };
      const long = { ...job, graph: { ...GRAPH, durationInFrames: 100_000 }, range: [0, 100_000] } as const;
      await assert.rejects(renderVideo(long, {}, signal), {
        code: 'invalid_scene_graph',
        message: 'The video would have 100000 frames. The maximum is 36000. Render it in several ranges.',
      });
      for (const range of [
        [5, 5],
        [-1, 4],
        [0.5, 4],
      ] as const)
        await assert.rejects(renderVideo({ ...job, range }, {}, signal), { code: 'invalid_request' });
      if (!hasCodec) return;
      await assert.rejects(renderVideo({ ...job, range: [0, 81] }, {}, signal), { code: 'invalid_request' });
      const invalidGraph = { ...GRAPH, scenes: [{ duration: -1 }] };
      await assert.rejects(
        renderVideo({ ...job, graph: invalidGraph, range: [0, 4] }, {}, signal),
        (err: unknown) => {
          const { code, issues } = err as { code: string; issues: readonly { path: string }[] };
          assert.equal(code, 'invalid_scene_graph');
          assert.equal(issues[0]?.path, '/scenes/0/duration');
          return true;
        },
      );
      assert.deepEqual(await readdir(folder), []);
    }));

  it('renders many elements', { skip: !hasCodec }, () =>
    withTempFolder(async folder => {
      const shape = { type: 'shape', shape: 'circle', width: 4, height: 4 };
      const elements = Array.from({ length: isNightly ? 2000 : 500 }, (_, index) => ({
        ...shape,
        x: index % 160,
        y: Math.floor(index / 20),
      }));
      const scenes = Array.from({ length: 5 }, () => ({ duration: '2f', elements }));
      const graph = { fps: 10, width: 160, height: 100, scenes };
      const path = join(folder, 'video.mp4');
      const result = await renderVideo(
        { graph, files: new Map(), range: [0, 10], scale: 1, path },
        {},
        signal,
      );
      assert.equal(result.frameCount, 10);
    }),
  );
});

interface ProcessInfo {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
}

/** Returns the render process that `parent` started, followed by the other processes of its group. */
function listRenderGroup(parent: number): readonly number[] {
  const processes = readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .flatMap((pid): ProcessInfo[] => {
      try {
        const [, rest = ''] = /\) \S (.*)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
        const [ppid, group] = rest.split(' ').map(Number);
        return [{ pid: Number(pid), parent: ppid ?? 0, group: group ?? 0 }];
      } catch {
        return [];
      }
    });
  const leaders = processes.filter(item => item.parent === parent && item.pid === item.group);
  return leaders.flatMap(({ pid }) => [
    pid,
    ...processes.filter(item => item.group === pid && item.pid !== pid).map(item => item.pid),
  ]);
}

async function writeSound(backend: Backend, path: string): Promise<void> {
  await encode(backend, { path, maxSeconds: 2, audio: generateTone(2, 1) }, signal);
}

async function readFramesFromStart(
  backend: Backend,
  path: string,
  frameCount = 80,
): Promise<readonly Buffer[]> {
  const info = await probeMedia(path, signal);
  const { width = 0, height = 0, fps = 1 } = info.video ?? {};
  return readFrames(backend, { path, info }, { startSeconds: 0, frameCount, fps, width, height });
}

async function readNumbers(
  backend: Backend,
  path: string,
  frames: readonly number[],
): Promise<readonly number[]> {
  const allFrames = await readFramesFromStart(backend, path, Math.max(...frames) + 1);
  return frames.map(frame => readNumber(allFrames[frame] ?? Buffer.alloc(0), 320, 180));
}

/** Returns the PSNR in dB between each of these frames of the file and a still of the graph. */
async function compareFrames(
  backend: Backend,
  path: string,
  fileFrames: readonly number[],
  {
    graph,
    firstFrame = 0,
    scale = 1,
  }: { readonly graph: unknown; readonly firstFrame?: number; readonly scale?: number },
): Promise<readonly number[]> {
  const lists = fileFrames.map(frame => evaluateFrame(openScene(graph), firstFrame + frame));
  const { frames: stills } = await drawSceneStills({ lists, files: new Map(), scale, format: 'png' }, signal);
  const decodedFrames = await readFramesFromStart(backend, path, Math.max(...fileFrames) + 1);
  const info = await probeMedia(path, signal);
  const { width = 0, height = 0 } = info.video ?? {};
  const region = { left: 0, top: 0, width, height };
  return Promise.all(
    fileFrames.map(async (frame, index) => {
      const expected = await sharp(stills[index]?.bytes).extract(region).ensureAlpha().raw().toBuffer();
      const decoded = decodedFrames[frame] ?? Buffer.alloc(0);
      assert.equal(decoded.length, expected.length);
      const sum = expected.reduce((total, value, at) => total + (value - (decoded[at] ?? 0)) ** 2, 0);
      return 10 * Math.log10((255 * 255) / (sum / expected.length));
    }),
  );
}
