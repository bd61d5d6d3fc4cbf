// Measures 1,500 installed models: size and time of the catalog response, startup cost, and lint time.
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
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
import { type BenchService, makeFolder, readMemoryMb, removeFolder, startBenchService } from '../service.ts';

const MODELS = 1_500;
const LINTED_NODES = 250;
/** The options of src/http/compression/compression.ts. */
const COMPRESSION = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };
const SETTINGS = {
  SANDBOX_MODELS: true,
  FAL_KEY: 'k',
  REPLICATE_API_TOKEN: 'k',
  OPENAI_API_KEY: 'k',
  ELEVENLABS_API_KEY: 'k',
};

const { SANDBOX_MODELS: _, ...SERVICE_ENV } = SETTINGS;

export async function* runModelRows(isShort: boolean): AsyncIterable<Row> {
  const shippedTypes = createNodeTypes(SETTINGS);
  yield {
    figure: 'GET /nodes, shipped models, brotli',
    value: (await getResponseSize(shippedTypes)) / 1024,
    unit: 'KB',
    target: { value: 60, is: 'at most' },
  };
  const allTypes = createNodeTypes(SETTINGS);
  const models = createModels();
  const heapBefore = process.memoryUsage().heapUsed;
  const start = performance.now();
  allTypes.install(models);
  yield createRow('install 1,500 models', performance.now() - start, 'ms', 50);
  yield createRow(
    'heap of 1,500 models',
    (process.memoryUsage().heapUsed - heapBefore) / 1_048_576,
    'MB',
    15,
  );
  yield createRow('GET /nodes, 1,500 models, brotli', (await getResponseSize(allTypes)) / 1024, 'KB', 150);
  yield createRow('lint 250 nodes, 1,500 models', measureLintMs(allTypes, isShort ? 5 : 200), 'ms', 2.5);
  yield* measureServices(isShort);
}

interface ServiceResult {
  readonly readyMs: number;
  readonly memoryMb: number;
}

/** Measures a service with the shipped models and a service with all models alternately, to compare them. */
async function* measureServices(isShort: boolean): AsyncIterable<Row> {
  const folder = await makeFolder();
  const file = join(folder, 'models.json');
  await writeFile(file, JSON.stringify({ models: createModels() }));
  const shippedResults: ServiceResult[] = [];
  const allResults: ServiceResult[] = [];
  const responseTimes: number[] = [];
  try {
    // The first start in a folder creates its database.
    if (!isShort) await (await startBenchService(folder, SERVICE_ENV)).stop();
    for (let round = 0; round < (isShort ? 1 : 5); round++) {
      const shipped = await startBenchService(folder, SERVICE_ENV);
      shippedResults.push({ readyMs: shipped.readyMs, memoryMb: await readMemoryMb(shipped.pid) });
      await shipped.stop();
      const all = await startBenchService(folder, { ...SERVICE_ENV, MODELS_FILE: file });
      allResults.push({ readyMs: all.readyMs, memoryMb: await readMemoryMb(all.pid) });
      responseTimes.push(await measureResponseMs(all, isShort ? 5 : 200));
      await all.stop();
    }
  } finally {
    await removeFolder(folder);
  }
  const getIncrease = (name: keyof ServiceResult): number =>
    median(allResults.map(result => result[name])) - median(shippedResults.map(result => result[name]));
  yield createRow('GET /nodes, 1,500 models, brotli, p50 warm', median(responseTimes), 'ms', 5);
  yield createRow('start with 1,500 models, on top of the shipped', getIncrease('readyMs'), 'ms', 50);
  yield createRow('memory with 1,500 models, on top of the shipped', getIncrease('memoryMb'), 'MB', 15);
}

/** Returns the median time of sequential responses, which are not decompressed, because that is the client's work. */
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

const createRow = (figure: string, value: number, unit: string, max: number): Row => ({
  figure,
  value,
  unit,
  target: { value: max, is: 'at most' },
});

/** Repeats the shipped models with different names and endpoints. */
function createModels(): readonly Model[] {
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

async function getResponseSize({ catalog }: NodeTypes): Promise<number> {
  const visible = catalog.entries.filter(({ hidden, deprecated }) => hidden !== true && deprecated !== true);
  return (await promisify(brotliCompress)(Buffer.from(JSON.stringify({ nodes: visible })), COMPRESSION))
    .length;
}

function measureLintMs({ catalog }: NodeTypes, rounds: number): number {
  const types = catalog.entries.filter(({ source }) => source === 'vendor');
  const nodes = Array.from({ length: LINTED_NODES }, (_, index) => {
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
  return median(times);
}
