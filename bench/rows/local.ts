// Measures the nodes that run models on this machine, next to plain scaling, Tesseract's own command and RNNoise alone, and what
// they leave to others: the latency of the service meanwhile, and the time until a cancelled call is gone.
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import sharp, { type Sharp } from 'sharp';
import type { MediaRef } from '../../src/graph/types.ts';
import { createSeededRandom } from '../../src/lib/seeded-random.ts';
import { findOnPath, readSettings } from '../../src/lib/settings.ts';
import { findPackage, LOCAL_FEATURES, listMissing } from '../../src/local/packages.ts';
import { makeContext, runNode } from '../../test/support/engine/node-context.ts';
import { synthesizeSpeech, toWav } from '../../test/support/local/speech.ts';
import { median } from '../load.ts';
import type { Row } from '../row.ts';
import { API_KEY, makeFolder, removeFolder, startBenchService, storeWorkflow } from '../service.ts';

const ROUNDS = 3;
const HEALTH_REQUESTS = 400;
const PARALLEL_RUNS = 4;
const [PAGE_LINES, WORDS_PER_LINE] = [40, 12];
const WORDS =
  'the graph of every node is stored, then it runs; a picture becomes a card and its text can be read again by people who sign in with their own keys'.split(
    ' ',
  );

interface Bench {
  readonly isShort: boolean;
  readonly folder: string;
  readonly context: ReturnType<typeof makeContext>;
}

export async function* runLocalRows(isShort: boolean): AsyncGenerator<Row> {
  const missing = LOCAL_FEATURES.flatMap(listMissing);
  if (missing.length > 0) {
    process.stdout.write(`Local nodes were skipped, because packages are missing: ${missing.join(', ')}.\n`);
    return;
  }
  const folder = await makeFolder();
  // Drawn first, because the program allows no SVG once it has loaded sharp.
  const page = await drawPage();
  const context = { ...makeContext(), settings: readSettings({ DATA_DIR: folder }) };
  const bench: Bench = { isShort, folder, context };
  try {
    yield* measureFirstCall(bench);
    yield* measureUpscale(bench);
    yield* measureSimilarity(bench);
    yield* measurePeople(bench);
    yield* measureText(bench, page);
    yield* measureSpeech(bench);
    yield* measureCancel(bench);
    yield* measureLatency(bench);
  } finally {
    await removeFolder(folder);
  }
}

/** Draws a page of text of 8.27 × 11.7 inches at 150 dpi. */
async function drawPage(): Promise<Buffer> {
  const random = createSeededRandom(1);
  const words = Array.from(
    { length: PAGE_LINES * WORDS_PER_LINE },
    () => WORDS[Math.floor(random() * WORDS.length)],
  );
  const lines = Array.from({ length: PAGE_LINES }, (_, index) => {
    const line = words.slice(index * WORDS_PER_LINE, (index + 1) * WORDS_PER_LINE).join(' ');
    return `<text x="120" y="${130 + index * 40}">${line}</text>`;
  });
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="1240" height="1754"><rect width="1240" height="1754" fill="#fff"/><g font-family="DejaVu Serif, serif" font-size="22">${lines.join('')}</g></svg>`;
  return sharp(Buffer.from(svg)).png().toBuffer();
}

/** A photo of people, from the package with the model of faces. */
const openPhoto = (): Sharp =>
  sharp(join(findPackage('@vladmandic/human') ?? '', 'assets/samples.jpg')).extract({
    left: 0,
    top: 196,
    width: 960,
    height: 960,
  });

async function run({ context }: Bench, nodeType: string, values: Readonly<Record<string, unknown>>) {
  return runNode(nodeType, values, context);
}

const upload = ({ context }: Bench, bytes: Buffer, type = 'image/png'): Promise<MediaRef> =>
  context.upload(bytes, type);

/** Returns the median of the seconds of a few rounds. */
async function measure(isShort: boolean, work: () => Promise<unknown>): Promise<number> {
  const seconds: number[] = [];
  for (let round = 0; round < (isShort ? 1 : ROUNDS); round++) {
    const startMs = performance.now();
    await work();
    seconds.push((performance.now() - startMs) / 1000);
  }
  return median(seconds);
}

async function* measureFirstCall(bench: Bench): AsyncGenerator<Row> {
  const image = await upload(bench, await openPhoto().resize(64, 64).png().toBuffer());
  const work = () => run(bench, 'edit:upscale_local', { image });
  const first = await measure(true, work);
  const later = await measure(bench.isShort, work);
  yield {
    figure: 'first call of a local model after a start, compared with later ones',
    value: first - later,
    unit: 's',
    target: { value: 1.5, is: 'at most' },
    note: 'with the conversion of the model',
  };
}

async function* measureUpscale(bench: Bench): AsyncGenerator<Row> {
  const side = bench.isShort ? 64 : 512;
  const bytes = await openPhoto().resize(side, side).png().toBuffer();
  const image = await upload(bench, bytes);
  const seconds = await measure(bench.isShort, () => run(bench, 'edit:upscale_local', { image, scale: 4 }));
  const plain = await measure(bench.isShort, () =>
    sharp(bytes)
      .resize(4 * side, 4 * side, { kernel: 'lanczos3' })
      .png()
      .toBuffer(),
  );
  yield {
    figure: `upscale ${side} × ${side} by 4, slim`,
    value: seconds,
    unit: 's',
    target: { value: 12, is: 'at most' },
    baseline: { name: "sharp's Lanczos", value: plain },
  };
  yield {
    figure: `upscale ${side} × ${side} by 4, slim: peak memory of the process`,
    value: await readPeakMb(),
    unit: 'MB',
    target: { value: 450, is: 'at most' },
  };
}

/** Lists the child processes that run models. */
async function listProcesses(): Promise<readonly number[]> {
  const children = await readFile(`/proc/self/task/${process.pid}/children`, 'utf8').catch(() => '');
  const pids = children.split(' ').map(Number).filter(Boolean);
  const commands = await Promise.all(
    pids.map(pid => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')),
  );
  return pids.filter((_, index) => commands[index]?.includes('local/process/process'));
}

async function readPeakMb(): Promise<number> {
  const peaks = await Promise.all(
    (await listProcesses()).map(async pid => {
      const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
      return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1024;
    }),
  );
  return Math.max(0, ...peaks);
}

/** Compares reduced and enlarged photos with their originals. */
async function* measureSimilarity(bench: Bench): AsyncGenerator<Row> {
  const side = bench.isShort ? 128 : 384;
  const original = await openPhoto().resize(side, side).removeAlpha().png().toBuffer();
  const reduced = await sharp(original)
    .resize(side / 4, side / 4, { kernel: 'lanczos3' })
    .png()
    .toBuffer();
  const image = await upload(bench, reduced);
  const similarities: number[] = [];
  for (const model of ['slim', 'thick']) {
    const result = await run(bench, 'edit:upscale_local', { image, scale: 4, model });
    similarities.push(await compare(bench.context.bytesOf(result.image as MediaRef), original));
  }
  const plain = await sharp(reduced).resize(side, side, { kernel: 'lanczos3' }).png().toBuffer();
  const lanczos = await compare(plain, original);
  for (const [index, [model, target]] of (
    [
      ['slim', 0.2],
      ['thick', 0.5],
    ] as const
  ).entries())
    yield {
      figure: `photo reduced and enlarged by 4, ${model}: similarity to the original`,
      value: similarities[index] ?? 0,
      unit: 'dB',
      target: { value: lanczos + target, is: 'at least' },
      baseline: { name: "sharp's Lanczos", value: lanczos },
    };
}

async function compare(a: Buffer, b: Buffer): Promise<number> {
  const [first, second] = await Promise.all([a, b].map(bytes => sharp(bytes).removeAlpha().raw().toBuffer()));
  const sum = (first ?? Buffer.alloc(1)).reduce(
    (total, value, at) => total + (value - (second?.[at] ?? 0)) ** 2,
    0,
  );
  return 10 * Math.log10(255 ** 2 / (sum / (first?.length ?? 1)));
}

async function* measurePeople(bench: Bench): AsyncGenerator<Row> {
  const portrait = await upload(bench, await openPhoto().resize(1024, 1024).png().toBuffer());
  const cutout = await measure(bench.isShort, () =>
    run(bench, 'edit:cutout_person_local', { image: portrait }),
  );
  yield {
    figure: 'cut out a person, 1,024 × 1,024',
    value: cutout,
    unit: 's',
    target: { value: 0.8, is: 'at most' },
  };
  const large = await openPhoto().resize(4000, 3000, { fit: 'fill' }).jpeg({ quality: 90 }).toBuffer();
  const photo = await upload(bench, large, 'image/jpeg');
  const faces = await measure(bench.isShort, () => run(bench, 'edit:blur_faces_local', { image: photo }));
  const copy = await measure(bench.isShort, () => sharp(large).jpeg({ quality: 90 }).toBuffer());
  yield {
    figure: 'blur faces, 12 MP',
    value: faces,
    unit: 's',
    target: { value: 0.3 + copy, is: 'at most' },
    baseline: { name: 'reading and writing the JPEG', value: copy },
  };
}

async function* measureText(bench: Bench, page: Buffer): AsyncGenerator<Row> {
  const image = await upload(bench, page);
  const seconds = await measure(bench.isShort, () => run(bench, 'text:ocr_local', { image }));
  const tesseract = findOnPath('tesseract');
  const path = join(bench.folder, 'page.png');
  await writeFile(path, page);
  const own =
    tesseract === undefined
      ? undefined
      : await measure(bench.isShort, () => promisify(execFile)(tesseract, [path, '-', '-l', 'eng']));
  yield {
    figure: 'read a page at 150 dpi',
    value: seconds,
    unit: 's',
    target: { value: 1, is: 'at most' },
    ...(own === undefined ? {} : { baseline: { name: "Tesseract's own command", value: own } }),
  };
}

interface RnnoiseModule {
  readonly Rnnoise: {
    load(): Promise<{
      readonly frameSize: number;
      createDenoiseState(): { processFrame(frame: Float32Array): number; destroy(): void };
    }>;
  };
}

async function* measureSpeech(bench: Bench): AsyncGenerator<Row> {
  const length = bench.isShort ? 4 : 60;
  const samples = synthesizeSpeech(length, [[1, length - 1]], 0.02);
  const audio = await upload(bench, toWav(samples), 'audio/wav');
  const seconds = await measure(bench.isShort, () =>
    run(bench, 'audio:clean_speech_local', { audio, format: 'wav' }),
  );
  Object.assign(globalThis, { WorkerGlobalScope: class {} });
  const name = '@shiguredo/rnnoise-wasm';
  const { Rnnoise } = (await import(name)) as RnnoiseModule;
  const rnnoise = await Rnnoise.load();
  const alone = await measure(bench.isShort, async () => {
    const state = rnnoise.createDenoiseState();
    for (let at = 0; at + rnnoise.frameSize <= samples.length; at += rnnoise.frameSize)
      state.processFrame(samples.slice(at, at + rnnoise.frameSize).map(sample => sample * 32_768));
    state.destroy();
  });
  yield {
    figure: `clean ${length} s of speech`,
    value: seconds,
    unit: 's',
    target: { value: 8, is: 'at most' },
    baseline: { name: 'RNNoise alone', value: alone },
  };
}

async function* measureCancel(bench: Bench): AsyncGenerator<Row> {
  const image = await upload(bench, await openPhoto().resize(512, 512).png().toBuffer());
  const milliseconds: number[] = [];
  for (let round = 0; round < (bench.isShort ? 1 : 5); round++) {
    const abort = new AbortController();
    const context = { ...bench.context, signal: abort.signal };
    const work = runNode('edit:upscale_local', { image, scale: 4, model: 'thick' }, context).catch(
      () => undefined,
    );
    await sleep(1500);
    const pids = await listProcesses();
    const startMs = performance.now();
    abort.abort('cancelled');
    await work;
    while ((await listProcesses()).some(pid => pids.includes(pid))) await sleep(2);
    milliseconds.push(performance.now() - startMs);
  }
  yield {
    figure: 'cancel during a call of a model: until its process is gone',
    value: Math.max(...milliseconds),
    unit: 'ms',
    target: { value: 300, is: 'at most' },
    note: 'the slowest',
  };
}

/** Measures `GET /healthz` while runs upscale on all cores. */
async function* measureLatency({ isShort, folder }: Bench): AsyncGenerator<Row> {
  const service = await startBenchService(folder, { LOCAL_PROCESSES: '2' });
  try {
    const bytes = await openPhoto().resize(640, 640).png().toBuffer();
    const headers = { authorization: `Bearer ${API_KEY}`, 'content-type': 'image/png' };
    const form = new FormData();
    form.set('file', new Blob([new Uint8Array(bytes)], { type: 'image/png' }), 'photo.png');
    const uploaded = await service.fetch('/api/v1/media/upload', {
      method: 'POST',
      headers: { authorization: headers.authorization },
      body: form,
    });
    const { mediaId } = (await uploaded.json()) as { readonly mediaId: string };
    const id = await storeWorkflow(service, createUpscaleGraph(mediaId));
    const alone = await measureHealth(service.url, isShort);
    for (let index = 0; index < (isShort ? 1 : PARALLEL_RUNS); index++)
      await service.fetch(`/api/v1/workflows/${id}/run`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify({ useCache: false }),
      });
    await sleep(isShort ? 200 : 2000);
    const meanwhile = await measureHealth(service.url, isShort);
    yield {
      figure: 'GET /healthz while local nodes run on all cores, p99',
      value: meanwhile,
      unit: 'ms',
      target: { value: 50, is: 'at most' },
      baseline: { name: 'the same, idle', value: alone },
    };
  } finally {
    await service.stop();
  }
}

async function measureHealth(url: string, isShort: boolean): Promise<number> {
  const milliseconds: number[] = [];
  for (let index = 0; index < (isShort ? 20 : HEALTH_REQUESTS); index++) {
    const startMs = performance.now();
    await (await fetch(`${url}/healthz`)).text();
    milliseconds.push(performance.now() - startMs);
    await sleep(10);
  }
  return milliseconds.toSorted((a, b) => a - b)[Math.floor(milliseconds.length * 0.99)] ?? 0;
}

function createUpscaleGraph(mediaId: string) {
  const node = (id: string, category: string, nodeType: string, config: object) => ({
    id,
    type: 'basedNode',
    position: { x: 0, y: 0 },
    data: { label: id, category, nodeType, config },
  });
  return {
    name: 'Upscale',
    nodes: [
      node('picture', 'input', 'input:image', { mediaId }),
      node('large', 'utility', 'edit:upscale_local', { scale: 4 }),
    ],
    edges: [
      {
        id: 'e',
        source: 'picture',
        sourceHandle: 'out-image',
        target: 'large',
        targetHandle: 'in-image',
      },
    ],
  };
}
