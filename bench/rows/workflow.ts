// Measures writing a 4 MB workflow, and listing a hundred workflows.
import { openDb } from '../../src/store/db.ts';
import { startEmbedded } from '../../src/store/embedded/embedded.ts';
import { chain, THREE_NODES } from '../graphs.ts';
import { getsPerSecond } from '../http-load.ts';
import { median } from '../load.ts';
import type { Row } from '../row.ts';
import { API_KEY, type BenchService, makeFolder, removeFolder, startPlainService } from '../service.ts';
import { store } from './run.ts';

// n8n 2.41 lists 100 workflows 57 times a second at 10 connections, measured on 2026-11-21.
const N8N_LISTS_PER_SECOND = 57;
const PADDING = 'a lighthouse on a cliff above a stormy sea, '.repeat(860);

export async function* runWorkflowRows(isShort: boolean): AsyncGenerator<Row> {
  const folder = await makeFolder();
  const service = await startPlainService(folder);
  try {
    yield await putRow(service, isShort);
    yield await listRow(service, isShort);
  } finally {
    await service.stop();
    await removeFolder(folder);
  }
}

/** Creates a graph of a hundred nodes that is slightly below the body limit. */
function largeGraph(round: number) {
  const graph = chain(100);
  const nodes = graph.nodes.map((node, index) => ({
    ...node,
    data: { ...node.data, config: { ...node.data.config, note: `${round}/${index} ${PADDING}` } },
  }));
  return { ...graph, nodes };
}

/** The response is uncompressed, like the baseline. */
async function putRow(service: BenchService, isShort: boolean): Promise<Row> {
  const id = await store(service, largeGraph(0));
  const value = await timePuts(service, id, 'identity', isShort);
  const floor = await measureFloor(JSON.stringify(largeGraph(0)), isShort);
  const compressed = await timePuts(service, id, 'gzip', isShort);
  return {
    figure: 'PUT of a 4 MB workflow, 100 nodes',
    value,
    unit: 'ms',
    target: { value: 1.5 * floor, is: 'at most' },
    baseline: { name: 'parse, stringify, read and write one row of the same text', value: floor },
    note: `gzip response: ${compressed.toFixed(1)} ms; uncompressed, 4 MB take 32 ms more at 1 Gbit/s`,
  };
}

/** Returns the median time of many PUT requests in ms. */
async function timePuts(
  service: BenchService,
  id: string,
  coding: 'identity' | 'gzip',
  isShort: boolean,
): Promise<number> {
  const durations: number[] = [];
  for (let round = 1; round <= (isShort ? 2 : 15); round++) {
    const { nodes, edges } = largeGraph(round);
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

async function measureFloor(text: string, isShort: boolean): Promise<number> {
  const folder = await makeFolder();
  const embedded = await startEmbedded({ dataDir: folder });
  const db = openDb({ connection: embedded, maxConnections: 1, onError: () => undefined });
  try {
    await db.query('create table bench_text (id integer primary key, body text not null)');
    const durations: number[] = [];
    for (let round = 0; round < (isShort ? 2 : 15); round++) {
      const startMs = performance.now();
      const written = JSON.stringify(JSON.parse(text));
      await db.query('insert into bench_text values ($1, $2)', [round, written]);
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

async function listRow(service: BenchService, isShort: boolean): Promise<Row> {
  const count = isShort ? 5 : 100;
  for (let index = 0; index < count; index++)
    await store(service, { ...THREE_NODES, name: `workflow ${index}` });
  const url = `${service.url}/api/v1/workflows?limit=100`;
  const perSecond: number[] = [];
  for (let round = 0; round < (isShort ? 1 : 3); round++) {
    const headers = { authorization: `Bearer ${API_KEY}` };
    perSecond.push(await getsPerSecond(url, { connections: 10, isShort, headers }));
  }
  return {
    figure: `list of ${count} workflows, 10 connections`,
    value: median(perSecond),
    unit: 'requests/s',
    target: { value: 20 * N8N_LISTS_PER_SECOND, is: 'at least' },
    note: 'n8n 2.41: 57 per second',
  };
}
