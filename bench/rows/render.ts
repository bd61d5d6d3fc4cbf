// Measures videos against Remotion, and against encoding the same frames alone: time, and memory of the process tree.
import { spawn } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { findOnPath } from '../../src/lib/settings.ts';
import { openScene } from '../../src/render/scene.ts';
import { TEMPLATES } from '../../src/render/templates/catalog.ts';
import { fillTemplate, type Template } from '../../src/render/templates/template.ts';
import { median } from '../load.ts';
import { BODY, captionScene, FPS, sceneS, TITLE } from '../render-scenes.ts';
import type { RenderTask } from '../render-task.ts';
import type { Row } from '../row.ts';
import { memoryOfTree } from '../service.ts';

const ROUNDS = 3;
/** The target: two thirds of Remotion's memory on the reference machine. */
const MAX_MB = 515;
const SLIDESHOW_SECONDS = 60;
const SAMPLE_MS = 250;
const SHORT_FRAMES = 6;

interface Measurement {
  readonly seconds: number;
  readonly peakMb: number;
}

interface Bench {
  readonly folder: string;
  readonly isShort: boolean;
  readonly photo: string;
  readonly backends: readonly (readonly [name: string, ffmpegPath: string])[];
  readonly remotion:
    | ((id: string) => Omit<Extract<RenderTask, { kind: 'remotion' }>, 'path' | 'frameCount'>)
    | undefined;
}

export async function* runRenderRows(isShort: boolean): AsyncGenerator<Row> {
  const folder = await mkdtemp(join(tmpdir(), 'graphwright-bench-'));
  try {
    const bench = await prepare(folder, isShort);
    if (bench.remotion === undefined)
      process.stdout.write(
        'Remotion was skipped: it needs Chromium on the PATH and does not run with --short.\n',
      );
    yield* measureMoving(bench);
    yield* measureCaptions(bench);
    yield* measureSlideshow(bench);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function prepare(folder: string, isShort: boolean): Promise<Bench> {
  const ffmpeg = findOnPath('ffmpeg');
  const photo = await makePhoto();
  const browser = isShort ? undefined : findOnPath('chromium');
  return {
    folder,
    isShort,
    photo: `data:image/jpeg;base64,${photo.toString('base64')}`,
    backends: [
      ['codec host', join(folder, 'no-ffmpeg')],
      ...(ffmpeg === undefined ? [] : [['x264 veryfast', ffmpeg] as const]),
    ],
    remotion: browser === undefined ? undefined : await bundleRemotion(folder, photo, browser),
  };
}

/** Creates a picture with photographic grain, which is costly to encode. */
async function makePhoto(): Promise<Buffer> {
  const noise = (sigma: number) => ({ type: 'gaussian' as const, mean: 128, sigma });
  const size = { width: 1000, height: 700, channels: 3 as const, background: '#808080' };
  const coarse = await sharp({ create: { ...size, width: 20, height: 14, noise: noise(50) } })
    .resize(size.width, size.height, { kernel: 'cubic' })
    .png()
    .toBuffer();
  const grain = await sharp({ create: { ...size, noise: noise(10) } })
    .png()
    .toBuffer();
  return sharp(coarse)
    .composite([{ input: grain, blend: 'soft-light' }])
    .jpeg({ quality: 90 })
    .toBuffer();
}

/** Once and not measured, since our own sources are also read before a render. */
async function bundleRemotion(folder: string, photo: Buffer, browser: string): Promise<Bench['remotion']> {
  const publicDir = join(folder, 'public');
  await mkdir(publicDir);
  await writeFile(join(publicDir, 'photo.jpg'), photo);
  for (const weight of [400, 800]) {
    const font = import.meta.resolve(`@fontsource/inter/files/inter-latin-${weight}-normal.woff2`);
    await copyFile(fileURLToPath(font), join(publicDir, `inter-${weight}.woff2`));
  }
  const entryPoint = join(import.meta.dirname, '../remotion/index.js');
  const { bundle: makeBundle } = createRequire(entryPoint)('@remotion/bundler') as {
    bundle(options: object): Promise<string>;
  };
  const bundle = await makeBundle({ entryPoint, publicDir, outDir: join(folder, 'bundle') });
  const inputProps = { title: TITLE, body: BODY };
  return id => ({ kind: 'remotion', id, bundle, inputProps, browser });
}

async function* measureMoving(bench: Bench): AsyncGenerator<Row> {
  const { folder, isShort, backends, remotion } = bench;
  const frameCount = isShort ? SHORT_FRAMES : 10 * FPS;
  const graph = sceneS(bench.photo);
  const frames = join(folder, 'frames.yuv');
  await measure({ kind: 'draw', graph, path: frames, frameCount });
  const output = { path: join(folder, 'video.mp4'), frameCount };
  const tasks: Record<string, RenderTask> = {};
  for (const [name, ffmpegPath] of backends) {
    tasks[name] = { ...output, kind: 'ours', graph, ffmpegPath };
    tasks[`${name} alone`] = { ...output, kind: 'encode', frames, ffmpegPath };
  }
  if (remotion !== undefined) tasks.Remotion = { ...output, ...remotion('moving') };
  const results = await measureInTurn(tasks, isShort);
  await rm(frames);
  const description = `scene S, ${frameCount / FPS} s at 1080p30`;
  for (const [name] of backends) {
    const [ours, alone, theirs] = [results[name], results[`${name} alone`], results.Remotion];
    if (ours === undefined || alone === undefined) continue;
    if (theirs !== undefined)
      yield createRemotionRow(`${description}, ${name}`, ours, theirs, name === 'codec host' ? 7 : 6);
    yield {
      figure: `${description}, ${name}, compared with only encoding its frames`,
      value: ours.seconds,
      unit: 's',
      target: { value: 1.6 * alone.seconds, is: 'at most' },
      baseline: { name: 'encode alone', value: alone.seconds },
    };
    yield {
      figure: `${description}, ${name}, peak memory of all processes`,
      value: ours.peakMb,
      unit: 'MB',
      target: { value: MAX_MB, is: 'at most' },
      ...(theirs && { baseline: { name: 'Remotion', value: theirs.peakMb } }),
    };
  }
}

async function* measureCaptions({ folder, isShort, photo, backends, remotion }: Bench): AsyncGenerator<Row> {
  if (remotion === undefined) return;
  const output = { path: join(folder, 'video.mp4'), frameCount: 10 * FPS };
  const graph = captionScene(photo);
  const tasks: Record<string, RenderTask> = { Remotion: { ...output, ...remotion('captions') } };
  for (const [name, ffmpegPath] of backends) tasks[name] = { ...output, kind: 'ours', graph, ffmpegPath };
  const results = await measureInTurn(tasks, isShort);
  for (const [name] of backends) {
    const [ours, theirs] = [results[name], results.Remotion];
    if (ours !== undefined && theirs !== undefined)
      yield createRemotionRow(`still scene with changing captions, 10 s, ${name}`, ours, theirs, 15);
  }
}

async function* measureSlideshow({ folder, isShort, backends }: Bench): AsyncGenerator<Row> {
  const words = ['ocean', 'forest', 'desert', 'harbour', 'mountain', 'city'];
  const photos = Array.from({ length: 20 }, (_, index) => ({
    image: `sample:${words[index % words.length]} ${index}`,
    caption: `Photo ${index + 1}`,
  }));
  const slideshow = TEMPLATES.find(({ id }) => id === 'photo-slideshow') as Template;
  const graph = fillTemplate(slideshow, { photos });
  const frameCount = Math.min(
    openScene(graph).durationInFrames,
    isShort ? SHORT_FRAMES : SLIDESHOW_SECONDS * FPS,
  );
  const output = { path: join(folder, 'video.mp4'), frameCount };
  const tasks: Record<string, RenderTask> = {};
  for (const [name, ffmpegPath] of backends) tasks[name] = { ...output, kind: 'ours', graph, ffmpegPath };
  const results = await measureInTurn(tasks, isShort);
  for (const [name, { seconds, peakMb }] of Object.entries(results))
    yield {
      figure: `slideshow template, ${frameCount / FPS} s at 1080p30, ${name}`,
      value: seconds,
      unit: 's',
      target: { value: frameCount / FPS, is: 'at most' },
      note: `peak ${peakMb.toFixed(0)} MB`,
    };
}

function createRemotionRow(figure: string, ours: Measurement, theirs: Measurement, times: number): Row {
  return {
    figure,
    value: ours.seconds,
    unit: 's',
    target: { value: theirs.seconds / times, is: 'at most' },
    baseline: { name: 'Remotion', value: theirs.seconds },
    note: `${(theirs.seconds / ours.seconds).toFixed(1)} times as fast, target ${times}`,
  };
}

/** Returns the medians of each task, round by round, so that a slower machine affects all of them. */
async function measureInTurn(
  tasks: Readonly<Record<string, RenderTask>>,
  isShort: boolean,
): Promise<Readonly<Record<string, Measurement>>> {
  const all = new Map<string, Measurement[]>();
  for (let round = 0; round < (isShort ? 1 : ROUNDS); round++)
    for (const [name, task] of Object.entries(tasks))
      all.set(name, [...(all.get(name) ?? []), await measure(task)]);
  return Object.fromEntries(
    [...all].map(([name, runs]) => [
      name,
      { seconds: median(runs.map(run => run.seconds)), peakMb: median(runs.map(run => run.peakMb)) },
    ]),
  );
}

async function measure(task: RenderTask): Promise<Measurement> {
  const file = join(import.meta.dirname, '../render-task.ts');
  const child = spawn(process.execPath, [file], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(JSON.stringify(task));
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  let code: number | null | undefined;
  child.once('close', ended => {
    code = ended;
  });
  let peakMb = 0;
  for (; code === undefined; await sleep(SAMPLE_MS))
    peakMb = Math.max(peakMb, await memoryOfTree(child.pid ?? 0).catch(() => 0));
  if (code !== 0) throw new Error(`The task ${task.kind} failed.`);
  const { seconds } = JSON.parse(printed.trim().split('\n').at(-1) ?? '') as { seconds: number };
  return { seconds, peakMb };
}
