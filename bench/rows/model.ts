// Measures 1,500 installed models: size and time of the catalog response, startup cost, and lint time.
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import { lintGraph } from '../../src/graph/lint/lint.ts';
import type { Graph } from '../../src/graph/types.ts';
import { createNodeTypes, type NodeTypes } from '../../src/nodes/catalog.ts';
import type { Model } from '../../src/nodes/models/model.ts';
import { readShippedModels } from '../../src/nodes/models/shipped.ts';
import { median } from '../load.ts';
import type { Row } from '../row.ts';
import { type BenchService, makeFolder, removeFolder, startBenchService } from '../service.ts';

const MODELS = 1_500;
const NODES = 250;
// The same as in src/http/compression.ts.
const QUALITY = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };
const KEYS = {
  SANDBOX_MODELS: true,
  FAL_KEY: 'k',
  REPLICATE_API_TOKEN: 'k',
  OPENAI_API_KEY: 'k',
  ELEVENLABS_API_KEY: 'k',
};

const { SANDBOX_MODELS: _, ...KEYS_OF_SERVICE } = KEYS;

export async function* runModelRows(isShort: boolean): AsyncIterable<Row> {
  const shipped = createNodeTypes(KEYS);
  yield {
    figure: 'GET /nodes, shipped models, brotli',
    value: (await measureSize(shipped)) / 1024,
    unit: 'KB',
    target: { value: 60, is: 'at most' },
  };
  const many = createNodeTypes(KEYS);
  const models = makeModels();
  const heapBefore = process.memoryUsage().heapUsed;
  const start = performance.now();
  many.install(models);
  yield row('install 1,500 models', performance.now() - start, 'ms', 50);
  yield row('heap of 1,500 models', (process.memoryUsage().heapUsed - heapBefore) / 1_048_576, 'MB', 15);
  yield row('GET /nodes, 1,500 models, brotli', (await measureSize(many)) / 1024, 'KB', 150);
  yield row('lint 250 nodes, 1,500 models', lintMs(many, isShort ? 5 : 200), 'ms', 2.5);
  yield* runServiceRows(isShort);
}

/**
 * Measures a service with the shipped models and one with all models alternately, because the difference is what
 * counts.
 */
async function* runServiceRows(isShort: boolean): AsyncIterable<Row> {
  const folder = await makeFolder();
  const file = join(folder, 'models.json');
  await writeFile(file, JSON.stringify({ models: makeModels() }));
  const few: number[][] = [];
  const many: number[][] = [];
  const responses: number[] = [];
  try {
    // The first start in a folder creates its database.
    if (!isShort) await (await startBenchService(folder, KEYS_OF_SERVICE)).stop();
    for (let round = 0; round < (isShort ? 1 : 5); round++) {
      const shipped = await startBenchService(folder, KEYS_OF_SERVICE);
      few.push([shipped.readyMs, await measureMemory(shipped)]);
      await shipped.stop();
      const all = await startBenchService(folder, { ...KEYS_OF_SERVICE, MODELS_FILE: file });
      many.push([all.readyMs, await measureMemory(all)]);
      responses.push(await measureResponseMs(all, isShort ? 5 : 200));
      await all.stop();
    }
  } finally {
    await removeFolder(folder);
  }
  const getIncrease = (index: number): number =>
    median(many.map(values => values[index] ?? 0)) - median(few.map(values => values[index] ?? 0));
  yield row('GET /nodes, 1,500 models, brotli, p50 warm', median(responses), 'ms', 5);
  yield row('start with 1,500 models, on top of the shipped', getIncrease(0), 'ms', 50);
  yield row('memory with 1,500 models, on top of the shipped', getIncrease(1), 'MB', 15);
}

async function measureMemory({ pid }: BenchService): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
}

/**
 * Returns the median time of that many responses in sequence, without decompressing them: that is the client's work.
 */
async function measureResponseMs(service: BenchService, count: number): Promise<number> {
  const request = async (): Promise<number> => {
    const start = performance.now();
    const request = get(`${service.url}/api/v1/nodes`, { headers: { 'accept-encoding': 'br' } });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    await buffer(response);
    return performance.now() - start;
  };
  await request();
  const times: number[] = [];
  for (let index = 0; index < count; index++) times.push(await request());
  return median(times);
}

const row = (figure: string, value: number, unit: string, max: number): Row => ({
  figure,
  value,
  unit,
  target: { value: max, is: 'at most' },
});

/** Repeats the shipped models, each with its own name and endpoint. */
function makeModels(): readonly Model[] {
  const shipped = readShippedModels();
  return Array.from({ length: MODELS }, (_, index) => {
    const model = shipped[index % shipped.length] as Model;
    const round = Math.floor(index / shipped.length);
    const { nodeType, endpoint, label } = model;
    return round === 0
      ? model
      : {
          ...model,
          nodeType: `${nodeType}_${round}`,
          endpoint: `${endpoint}/v${round}`,
          label: `${label} ${round}`,
        };
  });
}

async function measureSize({ catalog }: NodeTypes): Promise<number> {
  const visible = catalog.entries.filter(({ hidden, deprecated }) => hidden !== true && deprecated !== true);
  return (await promisify(brotliCompress)(Buffer.from(JSON.stringify({ nodes: visible })), QUALITY)).length;
}

function lintMs({ catalog }: NodeTypes, rounds: number): number {
  const types = catalog.entries.filter(({ source }) => source === 'vendor');
  const nodes = Array.from({ length: NODES }, (_, index) => {
    const nodeType = types[(index * 7) % types.length]?.nodeType ?? '';
    const data = { label: 'n', category: 'model', nodeType, config: { seed: index } };
    return { id: `n${index}`, type: 'basedNode', position: { x: index * 300, y: 0 }, data };
  });
  const graph: Graph = { nodes, edges: [] };
  const times = Array.from({ length: rounds }, () => {
    const start = performance.now();
    lintGraph(graph, catalog);
    return performance.now() - start;
  });
  return times.sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
}
