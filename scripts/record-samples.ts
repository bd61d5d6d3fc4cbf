// Records the samples of workflow templates: `node scripts/record-samples.ts [slug…]`.
//
// A template's folder in scripts/samples/ holds art.json and the drawings that replace paid nodes and inputs. They
// become provisional results; a service then runs the template with useSample, so that every other node really runs. All
// results are stored small in templates/workflows/<slug>/sample/, the graph is laid out, and the card is drawn.
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
import { readWholeSteps } from '../src/runs/executed-graph.ts';
import { startService } from './demo-service.ts';

const run = promisify(execFile);
const ROOT = dirname(import.meta.dirname);
const TEMPLATES = join(ROOT, 'templates', 'workflows');
const DRAWINGS = join(import.meta.dirname, 'samples');
const API_KEY = 'sk-record-samples-of-templates';
const MAX_SIDE = 960;
const TYPES: Readonly<Record<string, string>> = {
  '.webp': 'image/webp',
  '.mp4': 'video/mp4',
  '.mp3': 'audio/mpeg',
};
const CARD = { width: 640, height: 360 } as const;

type Outputs = Record<string, Record<string, unknown>>;
interface Art {
  /** By node id: the results of nodes that cannot run here. */
  readonly outputs?: Outputs;
  /** Values of input nodes, by id, for the recording. */
  readonly inputs?: Record<string, unknown>;
}

const slugs = process.argv.length > 2 ? process.argv.slice(2) : (await readdir(DRAWINGS)).sort();
const folder = await mkdtemp(join(tmpdir(), 'graphwright-samples-'));

/** Writes the drawn results as a provisional sample. */
async function prepare(slug: string): Promise<void> {
  const sample = join(TEMPLATES, slug, 'sample');
  await rm(sample, { recursive: true, force: true });
  await mkdir(sample, { recursive: true });
  const art = await readArt(slug);
  // A copy, so that scenes find the sound of speech beside them.
  const drawings = join(folder, slug);
  await cp(join(DRAWINGS, slug), drawings, { recursive: true });
  const names = (await readdir(drawings)).filter(name => name !== 'art.json' && !name.startsWith('card.'));
  for (const name of names.filter(isSpeech)) await draw(join(drawings, name), sample);
  for (const name of names.filter(name => !isSpeech(name))) await draw(join(drawings, name), sample);
  if (!existsSync(join(TEMPLATES, slug, 'card.webp')))
    await sharp({ create: { ...CARD, channels: 3, background: '#777' } })
      .webp()
      .toFile(join(TEMPLATES, slug, 'card.webp'));
  await writeResults(slug, art.outputs ?? {});
}

async function readArt(slug: string): Promise<Art> {
  return JSON.parse(await readFile(join(DRAWINGS, slug, 'art.json'), 'utf8')) as Art;
}

const isSpeech = (name: string): boolean => name.endsWith('.speech.txt');

/** picture.svg → picture.webp, clip.scene.json → clip.mp4, voice.speech.txt or voice.es.speech.txt → voice.mp3 */
async function draw(path: string, to: string): Promise<void> {
  const name = basename(path);
  const base = name.slice(0, name.indexOf('.'));
  if (name.endsWith('.svg'))
    await sharp(path, { density: 144 })
      .resize({ width: MAX_SIDE, height: MAX_SIDE, fit: 'inside' })
      .webp({ quality: 80 })
      .toFile(join(to, `${base}.webp`));
  else if (name.endsWith('.scene.json')) {
    const whole = join(folder, `${base}.mp4`);
    await graphwright('render', path, '-o', whole);
    await shrinkVideo(whole, join(to, `${base}.mp4`));
  } else if (isSpeech(name)) {
    const wave = join(dirname(path), `${base}.wav`);
    const voice = name.slice(base.length, -'.speech.txt'.length).slice(1);
    await run('espeak-ng', ['-v', voice === '' ? 'en-us' : voice, '-s', '150', '-f', path, '-w', wave]);
    await shrinkAudio(wave, join(to, `${base}.mp3`));
  } else throw new Error(`${path} is not a drawing: .svg, .scene.json or .speech.txt.`);
}

const graphwright = (...args: readonly string[]) =>
  run(process.execPath, [join(ROOT, 'bin', 'graphwright.js'), ...args], { maxBuffer: 1e8 });

const shrinkVideo = (from: string, to: string) =>
  run('ffmpeg', [
    ...[
      '-v',
      'error',
      '-y',
      '-i',
      from,
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
    ...['-map_metadata', '-1', '-movflags', '+faststart', to],
  ]);

const shrinkAudio = (from: string, to: string) =>
  run('ffmpeg', ['-v', 'error', '-y', '-i', from, '-ac', '1', '-b:a', '40k', '-map_metadata', '-1', to]);

/** Runs every template; returns the executions by slug. */
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
    const answer = (await response.json()) as Record<string, unknown>;
    if (!response.ok) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`);
    return answer;
  };
  for (const slug of slugs) {
    const { inputs = {} } = await readArt(slug);
    const { id } = await call('POST', `/templates/tpl_${slug}/duplicate`, {});
    await layOut(
      slug,
      await call('POST', `/workflows/${id}/layout`, {}),
      await call('GET', `/workflows/${id}`),
    );
    const { executionId } = await call('POST', `/workflows/${id}/run`, { useSample: true, inputs });
    const ended = await follow(call, String(executionId));
    if (ended.status !== 'COMPLETED') throw new Error(`${slug}: ${JSON.stringify(ended, null, 1)}`);
    process.stdout.write(`${slug}: ran\n`);
    executions.set(slug, String(executionId));
  }
  return executions;
}

type Call = (method: string, path: string, body?: unknown) => Promise<Record<string, unknown>>;

/** Waits for the run to finish and approves every node that waits for approval. */
async function follow(call: Call, id: string): Promise<Record<string, unknown>> {
  for (;;) {
    const state = await call('GET', `/executions/${id}`);
    if (['COMPLETED', 'FAILED', 'CANCELLED', 'TIMEOUT'].includes(String(state.status))) return state;
    const waiting = (state.nodeStates as { nodeId: string; status: string }[]).find(
      node => node.status === 'WAITING',
    );
    if (state.status === 'WAITING' && waiting !== undefined)
      await call('POST', `/executions/${id}/resume`, {
        decision: { nodeId: waiting.nodeId, approved: true },
      });
    await sleep(200);
  }
}

/** Keeps the positions that the service's layout chose. Files of the sample stay named by `sample:`. */
async function layOut(slug: string, _layout: unknown, workflow: Record<string, unknown>): Promise<void> {
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
  const written = { ...template, workflow: { nodes, edges: workflow.edges } };
  await writeFile(path, `${JSON.stringify(written, null, 2)}\n`);
}

/** Stores the results of the run as the sample, and draws the card. */
async function record(slug: string, executionId: string): Promise<void> {
  const sample = join(TEMPLATES, slug, 'sample');
  const settings = readSettings({ DATA_DIR: join(folder, 'data') });
  const steps = await withDatabase(settings, db => readWholeSteps(db, executionId));
  const storage = await openStorage(settings, createGuardedFetch({ allowPrivate: false, trustedUrls: [] }));
  const drawn = new Map<string, string>();
  for (const name of await readdir(sample)) {
    if (name === 'results.json') continue;
    drawn.set(sha256(await readFile(join(sample, name))), name);
  }
  const outputs: Outputs = {};
  for (const { nodeId, outputs: values, status } of steps.values()) {
    if (status !== 'COMPLETED' || values === undefined) continue;
    let count = 0;
    const store = async (value: unknown): Promise<unknown> => {
      if (Array.isArray(value)) return await Promise.all(value.map(store));
      if (typeof value !== 'object' || value === null) return value;
      const { type, media, items } = value as {
        type?: string;
        media?: { mediaId: string; sha256: string };
        items?: unknown[];
      };
      if (items !== undefined) {
        const stored: unknown[] = [];
        for (const item of items) stored.push(await store(item));
        return { ...value, items: stored };
      }
      if (media === undefined) return value;
      const known = drawn.get(media.sha256);
      if (known !== undefined) return { type, media: { file: known } };
      count++;
      const base = `${nodeId}${count === 1 ? '' : `-${count}`}`;
      const bytes = await buffer((await storage.read(media.mediaId)).stream);
      const name = await shrink(String(type), bytes, base, sample);
      drawn.set(media.sha256, name);
      return { type, media: { file: name } };
    };
    const node: Record<string, unknown> = {};
    for (const [port, value] of Object.entries(values)) node[port] = await store(value);
    outputs[nodeId] = node;
  }
  await drawCard(slug);
  await removeUnused(slug, outputs);
  await writeResults(slug, outputs);
  const sizes = await Promise.all(
    (await readdir(sample)).map(async name => (await readFile(join(sample, name))).length),
  );
  process.stdout.write(`${slug}: sample ${Math.round(sizes.reduce((a, b) => a + b, 0) / 1024)} KB\n`);
}

/** Removes the files that neither the template nor a result names: layers of scenes, and their sound. */
async function removeUnused(slug: string, outputs: Outputs): Promise<void> {
  const template = await readFile(join(TEMPLATES, slug, 'template.json'), 'utf8');
  const results = JSON.stringify(outputs);
  const sample = join(TEMPLATES, slug, 'sample');
  for (const name of await readdir(sample))
    if (!template.includes(`"sample:${name}"`) && !results.includes(`"file":"${name}"`))
      await rm(join(sample, name));
}

async function shrink(type: string, bytes: Buffer, base: string, to: string): Promise<string> {
  const raw = join(folder, base);
  await writeFile(raw, bytes);
  const name = `${base}${type === 'IMAGE' ? '.webp' : type === 'VIDEO' ? '.mp4' : '.mp3'}`;
  const path = join(to, name);
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
    const contentType = TYPES[extname(name)];
    if (contentType === undefined) continue;
    const path = join(sample, name);
    const bytes = await readFile(path);
    files[name] = {
      contentType,
      bytes: bytes.length,
      sha256: sha256(bytes),
      ...(await measure(path, contentType)),
    };
  }
  await writeFile(join(sample, 'results.json'), `${JSON.stringify({ files, outputs }, null, 2)}\n`);
}

async function measure(path: string, contentType: string) {
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

async function readPicture(path: string, at: string | undefined): Promise<Buffer> {
  if (at === undefined) return sharp(path).png().toBuffer();
  const frame = join(folder, 'frame.png');
  await run('ffmpeg', ['-v', 'error', '-y', '-ss', at, '-i', path, '-frames:v', '1', frame]);
  return readFile(frame);
}

/** Draws card.svg, in which `sample:NAME` is an image of the sample, and `sample:NAME@2` the frame of a video at 2 s. */
async function drawCard(slug: string): Promise<void> {
  const path = join(DRAWINGS, slug, 'card.svg');
  const sample = join(TEMPLATES, slug, 'sample');
  const svg = await readFile(path, 'utf8');
  const uses = [...new Set(Array.from(svg.matchAll(/sample:[\w.-]+(?:@[\d.]+)?/g), ([use]) => use))];
  let whole = svg;
  for (const use of uses.toSorted((one, other) => other.length - one.length)) {
    const [name = '', at] = use.slice('sample:'.length).split('@');
    const png = await readPicture(join(sample, name), at);
    whole = whole.replaceAll(`"${use}"`, `"data:image/png;base64,${png.toString('base64')}"`);
  }
  for (let quality = 86; ; quality -= 6) {
    const card = await sharp(Buffer.from(whole), { unlimited: true })
      .resize({ ...CARD, fit: 'cover' })
      .webp({ quality })
      .toBuffer();
    if (card.length > 40_960 && quality > 20) continue;
    await writeFile(join(TEMPLATES, slug, 'card.webp'), card);
    return;
  }
}

try {
  for (const slug of slugs) await prepare(slug);
  const executions = await runAll();
  for (const [slug, executionId] of executions) await record(slug, executionId);
} finally {
  await rm(folder, { recursive: true, force: true });
}
