// Records the samples of workflow templates: `node scripts/record-samples.ts [slug…]`.
//
// A template's folder in scripts/samples/ contains art.json and drawings, which are converted to the results of paid nodes
// and the files of input nodes. A service then runs the template with useSample, which executes all other nodes. The script
// stores small versions of all results in templates/workflows/<slug>/sample/, lays out the graph, and draws the card.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, extname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { withDatabase } from '../src/cli/database.ts';
import { createGuardedFetch } from '../src/lib/fetch.ts';
import { readSettings } from '../src/lib/settings.ts';
import { openStorage } from '../src/media/open-storage.ts';
import { readWholeSteps } from '../src/runs/prepare/stored-run.ts';
import { startService } from './demo-service.ts';

const run = promisify(execFile);
const ROOT = dirname(import.meta.dirname);
const TEMPLATES = join(ROOT, 'templates', 'workflows');
const DRAWING_FOLDER = join(import.meta.dirname, 'samples');
const API_KEY = 'sk-record-samples-of-templates';
const MAX_SIDE = 960;
const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.webp': 'image/webp',
  '.mp4': 'video/mp4',
  '.mp3': 'audio/mpeg',
};
const CARD = { width: 640, height: 360 } as const;

type Outputs = Record<string, Record<string, unknown>>;
interface Art {
  /** The results of paid nodes, by node id. */
  readonly outputs?: Outputs;
  /** The inputs of the recorded run, by node id. */
  readonly inputs?: Record<string, unknown>;
}

const slugs = process.argv.length > 2 ? process.argv.slice(2) : (await readdir(DRAWING_FOLDER)).sort();
const folder = await mkdtemp(join(tmpdir(), 'graphwright-samples-'));

/** Stores the drawings as a sample for the run, which replaces the sample later. */
async function prepareSample(slug: string): Promise<void> {
  const sample = join(TEMPLATES, slug, 'sample');
  await rm(sample, { recursive: true, force: true });
  await mkdir(sample, { recursive: true });
  const art = await readArt(slug);
  // The drawings are copied, because the sound of speech is created in their folder, where scenes read it.
  const drawings = join(folder, slug);
  await cp(join(DRAWING_FOLDER, slug), drawings, { recursive: true });
  const names = (await readdir(drawings)).filter(name => name !== 'art.json' && !name.startsWith('card.'));
  for (const name of names.filter(isSpeech)) await convertDrawing(join(drawings, name), sample);
  for (const name of names.filter(name => !isSpeech(name)))
    await convertDrawing(join(drawings, name), sample);
  if (!existsSync(join(TEMPLATES, slug, 'card.webp')))
    await sharp({ create: { ...CARD, channels: 3, background: '#777' } })
      .webp()
      .toFile(join(TEMPLATES, slug, 'card.webp'));
  await writeResults(slug, art.outputs ?? {});
}

async function readArt(slug: string): Promise<Art> {
  return JSON.parse(await readFile(join(DRAWING_FOLDER, slug, 'art.json'), 'utf8')) as Art;
}

const isSpeech = (name: string): boolean => name.endsWith('.speech.txt');

/**
 * Converts a drawing to a file of the sample: picture.svg or picture.480.svg (at most 480 pixels wide and high) to
 * picture.webp, clip.scene.json to clip.mp4, and voice.speech.txt or voice.es.speech.txt to voice.mp3. voice.en-us.noisy.speech.txt has noise.
 */
async function convertDrawing(path: string, targetFolder: string): Promise<void> {
  const name = basename(path);
  const base = name.slice(0, name.indexOf('.'));
  if (name.endsWith('.svg')) {
    const side = Number(/\.(\d+)\.svg$/.exec(name)?.[1] ?? MAX_SIDE);
    await sharp(path, { density: 144 })
      .resize({ width: side, height: side, fit: 'inside' })
      .webp({ quality: 80 })
      .toFile(join(targetFolder, `${base}.webp`));
  } else if (name.endsWith('.scene.json')) {
    const rendered = join(folder, `${base}.mp4`);
    await runCommand('render', path, '-o', rendered);
    await shrinkVideo(rendered, join(targetFolder, `${base}.mp4`));
  } else if (isSpeech(name)) {
    const wave = join(dirname(path), `${base}.wav`);
    const [, voice = 'en-us', noise] = name.slice(0, -'.speech.txt'.length).split('.');
    await run('espeak-ng', ['-v', voice, '-s', '150', '-f', path, '-w', wave]);
    if (noise === 'noisy') await addNoise(wave);
    await shrinkAudio(wave, join(targetFolder, `${base}.mp3`));
  } else throw new Error(`${path} is not a drawing: .svg, .scene.json or .speech.txt.`);
}

/** Adds pauses at both ends, and the noise of a fan. */
async function addNoise(wave: string): Promise<void> {
  const filter =
    '[0]aresample=48000,adelay=1500,apad=pad_dur=2[voice];[1][voice]amix=inputs=2:duration=shortest:normalize=0';
  const noise = 'anoisesrc=color=pink:amplitude=0.06:sample_rate=48000:seed=1:duration=120';
  const noisy = `${wave}.noisy.wav`;
  await run('ffmpeg', [
    '-v',
    'error',
    '-y',
    '-i',
    wave,
    '-f',
    'lavfi',
    '-i',
    noise,
    '-filter_complex',
    filter,
    noisy,
  ]);
  await cp(noisy, wave);
}

const runCommand = (...args: readonly string[]) =>
  run(process.execPath, [join(ROOT, 'bin', 'graphwright.js'), ...args], { maxBuffer: 1e8 });

const shrinkVideo = (source: string, target: string) =>
  run('ffmpeg', [
    ...[
      '-v',
      'error',
      '-y',
      '-i',
      source,
      '-t',
      '4',
      '-vf',
      "scale='min(854,iw)':'min(480,ih)':force_original_aspect_ratio=decrease:force_divisible_by=2",
    ],
    ...[
      '-c:v',
      'libx264',
      '-preset',
      'veryslow',
      '-crf',
      '30',
      '-pix_fmt',
      'yuv420p',
      '-c:a',
      'aac',
      '-b:a',
      '48k',
    ],
    ...['-map_metadata', '-1', '-movflags', '+faststart', target],
  ]);

const shrinkAudio = (source: string, target: string) =>
  run('ffmpeg', [
    '-v',
    'error',
    '-y',
    '-i',
    source,
    '-ac',
    '1',
    '-b:a',
    '40k',
    '-map_metadata',
    '-1',
    target,
  ]);

/** Runs the templates. Returns the ids of the executions by slug. */
async function runAll(): Promise<ReadonlyMap<string, string>> {
  const executions = new Map<string, string>();
  const signal = AbortSignal.timeout(1_200_000);
  await using service = await startService({ folder, apiKey: API_KEY, signal });
  const call = async (method: string, path: string, body?: unknown): Promise<Record<string, unknown>> => {
    const response = await fetch(`${service.url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal,
    });
    const responseBody = (await response.json()) as Record<string, unknown>;
    if (!response.ok) throw new Error(`${method} ${path}: ${JSON.stringify(responseBody)}`);
    return responseBody;
  };
  for (const slug of slugs) {
    const { inputs = {} } = await readArt(slug);
    const { id } = await call('POST', `/templates/tpl_${slug}/duplicate`, {});
    await call('POST', `/workflows/${id}/layout`, {});
    await storeLayout(slug, await call('GET', `/workflows/${id}`));
    const { executionId } = await call('POST', `/workflows/${id}/run`, { useSample: true, inputs });
    const execution = await waitForEnd(call, String(executionId));
    if (execution.status !== 'COMPLETED') throw new Error(`${slug}: ${JSON.stringify(execution, null, 1)}`);
    process.stdout.write(`${slug}: run completed\n`);
    executions.set(slug, String(executionId));
  }
  return executions;
}

type Call = (method: string, path: string, body?: unknown) => Promise<Record<string, unknown>>;

/** Waits for the run to finish and approves every node that waits for approval. */
async function waitForEnd(call: Call, id: string): Promise<Record<string, unknown>> {
  for (;;) {
    const execution = await call('GET', `/executions/${id}`);
    if (['COMPLETED', 'FAILED', 'CANCELLED', 'TIMEOUT'].includes(String(execution.status))) return execution;
    const waitingNode = (execution.nodeStates as { nodeId: string; status: string }[]).find(
      node => node.status === 'WAITING',
    );
    if (execution.status === 'WAITING' && waitingNode !== undefined)
      await call('POST', `/executions/${id}/resume`, {
        decision: { nodeId: waitingNode.nodeId, approved: true },
      });
    await sleep(200);
  }
}

/** Stores the laid-out graph in the template, but keeps the template's configs, which name files by `sample:`. */
async function storeLayout(slug: string, workflow: Record<string, unknown>): Promise<void> {
  const path = join(TEMPLATES, slug, 'template.json');
  const template = JSON.parse(await readFile(path, 'utf8')) as {
    workflow: { nodes: { id: string; data: { config?: unknown } }[]; edges: unknown };
  };
  const configs = new Map(template.workflow.nodes.map(({ id, data }) => [id, data.config]));
  const nodes = (workflow.nodes as { id: string; dims?: unknown; data: object }[]).map(
    ({ dims: _, ...node }) => {
      const config = configs.get(node.id);
      return { ...node, data: { ...node.data, ...(config === undefined ? {} : { config }) } };
    },
  );
  const updated = { ...template, workflow: { nodes, edges: workflow.edges } };
  await writeFile(path, `${JSON.stringify(updated, null, 2)}\n`);
}

/** Stores the results of the run as the sample, and draws the card. */
async function recordSample(slug: string, executionId: string): Promise<void> {
  const sample = join(TEMPLATES, slug, 'sample');
  const settings = readSettings({ DATA_DIR: join(folder, 'data') });
  const steps = await withDatabase(settings, db => readWholeSteps(db, executionId));
  const storage = await openStorage(settings, createGuardedFetch({ allowPrivate: false, trustedUrls: [] }));
  /** The names of the sample's files by hash. */
  const fileNames = new Map<string, string>();
  for (const name of await readdir(sample)) {
    if (name === 'results.json') continue;
    fileNames.set(sha256(await readFile(join(sample, name))), name);
  }
  const outputs: Outputs = {};
  for (const { nodeId, outputs: values, status } of steps.values()) {
    if (status !== 'COMPLETED' || values === undefined) continue;
    let fileCount = 0;
    const toSampleValue = async (value: unknown): Promise<unknown> => {
      if (Array.isArray(value)) return await Promise.all(value.map(toSampleValue));
      if (typeof value !== 'object' || value === null) return value;
      const { type, media, items } = value as {
        type?: string;
        media?: { mediaId: string; sha256: string };
        items?: unknown[];
      };
      if (items !== undefined) {
        const sampleItems: unknown[] = [];
        for (const item of items) sampleItems.push(await toSampleValue(item));
        return { ...value, items: sampleItems };
      }
      if (media === undefined) return value;
      const existingName = fileNames.get(media.sha256);
      if (existingName !== undefined) return { type, media: { file: existingName } };
      fileCount++;
      const base = `${nodeId}${fileCount === 1 ? '' : `-${fileCount}`}`;
      const bytes = await buffer((await storage.read(media.mediaId)).stream);
      const name = await shrinkFile(String(type), bytes, base, sample);
      fileNames.set(media.sha256, name);
      return { type, media: { file: name } };
    };
    const nodeOutputs: Record<string, unknown> = {};
    for (const [port, value] of Object.entries(values)) nodeOutputs[port] = await toSampleValue(value);
    outputs[nodeId] = nodeOutputs;
  }
  await drawCard(slug);
  await removeUnusedFiles(slug, outputs);
  await writeResults(slug, outputs);
  const sizes = await Promise.all(
    (await readdir(sample)).map(async name => (await readFile(join(sample, name))).length),
  );
  process.stdout.write(`${slug}: sample ${Math.round(sizes.reduce((a, b) => a + b, 0) / 1024)} KB\n`);
}

/** Removes files that neither the template nor a result names, such as the layers and sounds of scenes. */
async function removeUnusedFiles(slug: string, outputs: Outputs): Promise<void> {
  const template = await readFile(join(TEMPLATES, slug, 'template.json'), 'utf8');
  const results = JSON.stringify(outputs);
  const sample = join(TEMPLATES, slug, 'sample');
  for (const name of await readdir(sample))
    if (!template.includes(`"sample:${name}"`) && !results.includes(`"file":"${name}"`))
      await rm(join(sample, name));
}

async function shrinkFile(type: string, bytes: Buffer, base: string, targetFolder: string): Promise<string> {
  const raw = join(folder, base);
  await writeFile(raw, bytes);
  const name = `${base}${type === 'IMAGE' ? '.webp' : type === 'VIDEO' ? '.mp4' : '.mp3'}`;
  const path = join(targetFolder, name);
  if (type === 'IMAGE')
    await sharp(raw)
      .resize({ width: MAX_SIDE, height: MAX_SIDE, fit: 'inside', withoutEnlargement: true })
      .webp({ quality: 78 })
      .toFile(path);
  else if (type === 'VIDEO') await shrinkVideo(raw, path);
  else await shrinkAudio(raw, path);
  return name;
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

async function writeResults(slug: string, outputs: Outputs): Promise<void> {
  const sample = join(TEMPLATES, slug, 'sample');
  const files: Record<string, unknown> = {};
  for (const name of (await readdir(sample)).sort()) {
    const contentType = CONTENT_TYPES[extname(name)];
    if (contentType === undefined) continue;
    const path = join(sample, name);
    const bytes = await readFile(path);
    files[name] = {
      contentType,
      bytes: bytes.length,
      sha256: sha256(bytes),
      ...(await measureFile(path, contentType)),
    };
  }
  await writeFile(join(sample, 'results.json'), `${JSON.stringify({ files, outputs }, null, 2)}\n`);
}

async function measureFile(path: string, contentType: string) {
  if (contentType === 'image/webp') {
    const { width, height } = await sharp(path).metadata();
    return { width, height, duration: null };
  }
  const { stdout } = await run('ffprobe', [
    '-v',
    'error',
    '-show_streams',
    '-show_format',
    '-of',
    'json',
    path,
  ]);
  const probe = JSON.parse(stdout) as {
    streams: { codec_type: string; width?: number; height?: number }[];
    format: { duration: string };
  };
  const video = probe.streams.find(stream => stream.codec_type === 'video');
  const duration = Number(Number(probe.format.duration).toFixed(3));
  return { width: video?.width ?? null, height: video?.height ?? null, duration };
}

async function readPicture(path: string, seconds: string | undefined): Promise<Buffer> {
  if (seconds === undefined) return sharp(path).png().toBuffer();
  const frame = join(folder, 'frame.png');
  await run('ffmpeg', ['-v', 'error', '-y', '-ss', seconds, '-i', path, '-frames:v', '1', frame]);
  return readFile(frame);
}

/** Draws card.svg, in which `sample:NAME` is an image of the sample and `sample:NAME@2` a video's frame at 2 s. */
async function drawCard(slug: string): Promise<void> {
  const path = join(DRAWING_FOLDER, slug, 'card.svg');
  const sample = join(TEMPLATES, slug, 'sample');
  const svg = await readFile(path, 'utf8');
  const references = new Set(Array.from(svg.matchAll(/sample:[\w.-]+(?:@[\d.]+)?/g), ([text]) => text));
  let svgWithImages = svg;
  for (const reference of references) {
    const [name = '', seconds] = reference.slice('sample:'.length).split('@');
    const png = await readPicture(join(sample, name), seconds);
    svgWithImages = svgWithImages.replaceAll(
      `"${reference}"`,
      `"data:image/png;base64,${png.toString('base64')}"`,
    );
  }
  for (let quality = 86; ; quality -= 6) {
    const card = await sharp(Buffer.from(svgWithImages), { unlimited: true })
      .resize({ ...CARD, fit: 'cover' })
      .webp({ quality })
      .toBuffer();
    if (card.length > 40_960 && quality > 20) continue;
    await writeFile(join(TEMPLATES, slug, 'card.webp'), card);
    return;
  }
}

try {
  for (const slug of slugs) await prepareSample(slug);
  const executions = await runAll();
  for (const [slug, executionId] of executions) await recordSample(slug, executionId);
} finally {
  await rm(folder, { recursive: true, force: true });
}
