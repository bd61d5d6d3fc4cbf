// Measures the time and memory of video renders, compared with Remotion and with only encoding the same frames.
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
import { BODY, createCaptionScene, createMovingScene, FPS, TITLE } from '../render-scenes.ts';
import type { RenderTask } from '../render-task.ts';
import type { Row } from '../row.ts';
import { readTreeMemoryMb } from '../service.ts';

const ROUNDS = 3;
/** Two thirds of Remotion's memory on the reference machine. */
const MAX_PEAK_MB = 515;
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
  /** Creates a task for Remotion. Undefined if Remotion is skipped. */
  readonly createRemotionTask:
    | ((id: string) => Omit<Extract<RenderTask, { kind: 'remotion' }>, 'path' | 'frameCount'>)
    | undefined;
}

export async function* runRenderRows(isShort: boolean): AsyncGenerator<Row> {
  const folder = await mkdtemp(join(tmpdir(), 'graphwright-bench-'));
  try {
    const bench = await prepareBench(folder, isShort);
    if (bench.createRemotionTask === undefined)
      process.stdout.write(
        'Remotion was skipped, because it needs Chromium on the PATH and does not run with --short.\n',
      );
    yield* measureMotion(bench);
    yield* measureCaptions(bench);
    yield* measureSlideshow(bench);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function prepareBench(folder: string, isShort: boolean): Promise<Bench> {
  const ffmpeg = findOnPath('ffmpeg');
  const photo = await createPhoto();
  const browser = isShort ? undefined : findOnPath('chromium');
  return {
    folder,
    isShort,
    photo: `data:image/jpeg;base64,${photo.toString('base64')}`,
    backends: [
      ['codec host', join(folder, 'no-ffmpeg')],
      ...(ffmpeg === undefined ? [] : [['x264 veryfast', ffmpeg] as const]),
    ],
    createRemotionTask: browser === undefined ? undefined : await bundleRemotion(folder, photo, browser),
  };
}

/** Creates a picture with photographic grain, which is costly to encode. */
async function createPhoto(): Promise<Buffer> {
  const createNoise = (sigma: number) => ({ type: 'gaussian' as const, mean: 128, sigma });
  const size = { width: 1000, height: 700, channels: 3 as const, background: '#808080' };
  const coarse = await sharp({ create: { ...size, width: 20, height: 14, noise: createNoise(50) } })
    .resize(size.width, size.height, { kernel: 'cubic' })
    .png()
    .toBuffer();
  const grain = await sharp({ create: { ...size, noise: createNoise(10) } })
    .png()
    .toBuffer();
  return sharp(coarse)
    .composite([{ input: grain, blend: 'soft-light' }])
    .jpeg({ quality: 90 })
    .toBuffer();
}

/** Bundles the compositions once. The bundling is not measured, because Graphwright's sources are loaded before a render too. */
async function bundleRemotion(
  folder: string,
  photo: Buffer,
  browser: string,
): Promise<Bench['createRemotionTask']> {
  const publicDir = join(folder, 'public');
  await mkdir(publicDir);
  await writeFile(join(publicDir, 'photo.jpg'), photo);
  for (const weight of [400, 800]) {
    const font = import.meta.resolve(`@fontsource/inter/files/inter-latin-${weight}-normal.woff2`);
    await copyFile(fileURLToPath(font), join(publicDir, `inter-${weight}.woff2`));
  }
  const entryPoint = join(import.meta.dirname, '../remotion/index.js');
  const bundler = createRequire(entryPoint)('@remotion/bundler') as {
    bundle(options: object): Promise<string>;
  };
  const bundle = await bundler.bundle({ entryPoint, publicDir, outDir: join(folder, 'bundle') });
  const inputProps = { title: TITLE, body: BODY };
  return id => ({ kind: 'remotion', id, bundle, inputProps, browser });
}

async function* measureMotion(bench: Bench): AsyncGenerator<Row> {
  const { folder, isShort, backends, createRemotionTask } = bench;
  const frameCount = isShort ? SHORT_FRAMES : 10 * FPS;
  const graph = createMovingScene(bench.photo);
  const frames = join(folder, 'frames.yuv');
  await measure({ kind: 'draw', graph, path: frames, frameCount });
  const output = { path: join(folder, 'video.mp4'), frameCount };
  const tasks: Record<string, RenderTask> = {};
  for (const [name, ffmpegPath] of backends) {
    tasks[name] = { ...output, kind: 'graphwright', graph, ffmpegPath };
    tasks[`${name}, encode`] = { ...output, kind: 'encode', frames, ffmpegPath };
  }
  if (createRemotionTask !== undefined) tasks.Remotion = { ...output, ...createRemotionTask('moving') };
  const results = await measureAlternately(tasks, isShort);
  await rm(frames);
  const description = `scene S, ${frameCount / FPS} s at 1080p30`;
  for (const [name] of backends) {
    const [ours, encode, theirs] = [results[name], results[`${name}, encode`], results.Remotion];
    if (ours === undefined || encode === undefined) continue;
    if (theirs !== undefined)
      yield createRemotionRow(`${description}, ${name}`, ours, theirs, name === 'codec host' ? 7 : 6);
    yield {
      figure: `${description}, ${name}, compared with only encoding its frames`,
      value: ours.seconds,
      unit: 's',
      target: { value: 1.6 * encode.seconds, is: 'at most' },
      baseline: { name: 'only encoding', value: encode.seconds },
    };
    yield {
      figure: `${description}, ${name}, peak memory of all processes`,
      value: ours.peakMb,
      unit: 'MB',
      target: { value: MAX_PEAK_MB, is: 'at most' },
      ...(theirs && { baseline: { name: 'Remotion', value: theirs.peakMb } }),
    };
  }
}

async function* measureCaptions({
  folder,
  isShort,
  photo,
  backends,
  createRemotionTask,
}: Bench): AsyncGenerator<Row> {
  if (createRemotionTask === undefined) return;
  const output = { path: join(folder, 'video.mp4'), frameCount: 10 * FPS };
  const graph = createCaptionScene(photo);
  const tasks: Record<string, RenderTask> = { Remotion: { ...output, ...createRemotionTask('captions') } };
  for (const [name, ffmpegPath] of backends)
    tasks[name] = { ...output, kind: 'graphwright', graph, ffmpegPath };
  const results = await measureAlternately(tasks, isShort);
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
  for (const [name, ffmpegPath] of backends)
    tasks[name] = { ...output, kind: 'graphwright', graph, ffmpegPath };
  const results = await measureAlternately(tasks, isShort);
  for (const [name, { seconds, peakMb }] of Object.entries(results))
    yield {
      figure: `slideshow template, ${frameCount / FPS} s at 1080p30, ${name}`,
      value: seconds,
      unit: 's',
      target: { value: frameCount / FPS, is: 'at most' },
      note: `peak ${peakMb.toFixed(0)} MB`,
    };
}

function createRemotionRow(figure: string, ours: Measurement, theirs: Measurement, minRatio: number): Row {
  return {
    figure,
    value: ours.seconds,
    unit: 's',
    target: { value: theirs.seconds / minRatio, is: 'at most' },
    baseline: { name: 'Remotion', value: theirs.seconds },
    note: `${(theirs.seconds / ours.seconds).toFixed(1)} times as fast, target ${minRatio}`,
  };
}

/** Returns the medians of each task. The tasks alternate, so that other load affects all of them. */
async function measureAlternately(
  tasks: Readonly<Record<string, RenderTask>>,
  isShort: boolean,
): Promise<Readonly<Record<string, Measurement>>> {
  const measurements = new Map<string, Measurement[]>();
  for (let round = 0; round < (isShort ? 1 : ROUNDS); round++)
    for (const [name, task] of Object.entries(tasks))
      measurements.set(name, [...(measurements.get(name) ?? []), await measure(task)]);
  return Object.fromEntries(
    [...measurements].map(([name, runs]) => [
      name,
      { seconds: median(runs.map(run => run.seconds)), peakMb: median(runs.map(run => run.peakMb)) },
    ]),
  );
}

async function measure(task: RenderTask): Promise<Measurement> {
  const file = join(import.meta.dirname, '../render-task.ts');
  const child = spawn(process.execPath, [file], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(JSON.stringify(task));
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  let exitCode: number | null | undefined;
  child.once('close', code => {
    exitCode = code;
  });
  let peakMb = 0;
  for (; exitCode === undefined; await sleep(SAMPLE_MS))
    peakMb = Math.max(peakMb, await readTreeMemoryMb(child.pid ?? 0).catch(() => 0));
  if (exitCode !== 0) throw new Error(`The task ${task.kind} failed.`);
  const { seconds } = JSON.parse(output.trim().split('\n').at(-1) ?? '') as { seconds: number };
  return { seconds, peakMb };
}
