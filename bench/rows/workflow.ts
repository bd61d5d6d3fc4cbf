// Measures writing a 4 MB workflow, and listing a hundred workflows.
import { openDb } from '../../src/store/db.ts';
import { startEmbedded } from '../../src/store/embedded/embedded.ts';
import { createChain, THREE_NODES } from '../graphs.ts';
import { measureGetsPerSecond } from '../http-load.ts';
import { median } from '../load.ts';
import type { Row } from '../row.ts';
import {
  API_KEY,
  type BenchService,
  makeFolder,
  removeFolder,
  startPlainService,
  storeWorkflow,
} from '../service.ts';

// n8n 2.41 lists 100 workflows 57 times a second at 10 connections, measured on 2026-11-21.
const N8N_LISTS_PER_SECOND = 57;
const PADDING = 'a lighthouse on a cliff above a stormy sea, '.repeat(860);

export async function* runWorkflowRows(isShort: boolean): AsyncGenerator<Row> {
  const folder = await makeFolder();
  const service = await startPlainService(folder);
  try {
    yield await measurePut(service, isShort);
    yield await measureList(service, isShort);
  } finally {
    await service.stop();
    await removeFolder(folder);
  }
}

/** Creates a graph of a hundred nodes that is slightly below the body limit. */
function createLargeGraph(round: number) {
  const graph = createChain(100);
  const nodes = graph.nodes.map((node, index) => ({
    ...node,
    data: { ...node.data, config: { ...node.data.config, note: `${round}/${index} ${PADDING}` } },
  }));
  return { ...graph, nodes };
}

/** The measured response is uncompressed, because the baseline compresses nothing. */
async function measurePut(service: BenchService, isShort: boolean): Promise<Row> {
  const id = await storeWorkflow(service, createLargeGraph(0));
  const value = await measurePutMs(service, id, 'identity', isShort);
  const baselineMs = await measureBaselineMs(JSON.stringify(createLargeGraph(0)), isShort);
  const gzipMs = await measurePutMs(service, id, 'gzip', isShort);
  return {
    figure: 'PUT of a 4 MB workflow, 100 nodes',
    value,
    unit: 'ms',
    target: { value: 1.5 * baselineMs, is: 'at most' },
    baseline: { name: 'parse, stringify, read and write one row of the same text', value: baselineMs },
    note: `gzip response: ${gzipMs.toFixed(1)} ms; uncompressed, 4 MB take 32 ms more at 1 Gbit/s`,
  };
}

/** Returns the median time of many PUT requests in ms. */
async function measurePutMs(
  service: BenchService,
  id: string,
  coding: 'identity' | 'gzip',
  isShort: boolean,
): Promise<number> {
  const durations: number[] = [];
  for (let round = 1; round <= (isShort ? 2 : 15); round++) {
    const { nodes, edges } = createLargeGraph(round);
    const body = JSON.stringify({ nodes, edges });
    const startMs = performance.now();
    const response = await service.fetch(`/api/v1/workflows/${id}`, {
      method: 'PUT',
      body,
      headers: { 'accept-encoding': coding },
    });
    await response.text();
    durations.push(performance.now() - startMs);
    if (response.status !== 200) throw new Error(`The graph was refused with status ${response.status}.`);
  }
  return median(durations);
}

async function measureBaselineMs(text: string, isShort: boolean): Promise<number> {
  const folder = await makeFolder();
  const embedded = await startEmbedded({ dataDir: folder });
  const db = openDb({ connection: embedded, maxConnections: 1, onError: () => undefined });
  try {
    await db.query('create table bench_text (id integer primary key, body text not null)');
    const durations: number[] = [];
    for (let round = 0; round < (isShort ? 2 : 15); round++) {
      const startMs = performance.now();
      const rewrittenText = JSON.stringify(JSON.parse(text));
      await db.query('insert into bench_text values ($1, $2)', [round, rewrittenText]);
      await db.query('select body from bench_text where id = $1', [round]);
      durations.push(performance.now() - startMs);
    }
    return median(durations);
  } finally {
    await db.close();
    await embedded.stop();
    await removeFolder(folder);
  }
}

async function measureList(service: BenchService, isShort: boolean): Promise<Row> {
  const count = isShort ? 5 : 100;
  for (let index = 0; index < count; index++)
    await storeWorkflow(service, { ...THREE_NODES, name: `workflow ${index}` });
  const url = `${service.url}/api/v1/workflows?limit=100`;
  const rates: number[] = [];
  for (let round = 0; round < (isShort ? 1 : 3); round++) {
    const headers = { authorization: `Bearer ${API_KEY}` };
    rates.push(await measureGetsPerSecond(url, { connections: 10, isShort, headers }));
  }
  return {
    figure: `list of ${count} workflows, 10 connections`,
    value: median(rates),
    unit: 'requests/s',
    target: { value: 20 * N8N_LISTS_PER_SECOND, is: 'at least' },
    note: 'n8n 2.41: 57 per second',
  };
}
