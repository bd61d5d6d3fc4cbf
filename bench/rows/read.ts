// Measures reads of a workflow of 100 nodes, compared with a plain Fastify route that sends the same text column.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { openDb } from '../../src/store/db.ts';
import { startEmbedded } from '../../src/store/embedded/embedded.ts';
import { endProcess } from '../../test/support/processes.ts';
import { createChain } from '../graphs.ts';
import { measureGetsPerSecond } from '../http-load.ts';
import { median } from '../load.ts';
import type { Row } from '../row.ts';
import { API_KEY, makeFolder, removeFolder, startPlainService, storeWorkflow } from '../service.ts';

const CONNECTIONS = 50;
const HEADERS = { authorization: `Bearer ${API_KEY}` };

export async function* runReadRows(isShort: boolean): AsyncGenerator<Row> {
  const folder = await makeFolder();
  const service = await startPlainService(folder);
  const id = await storeWorkflow(service, createChain(100));
  const path = `/api/v1/workflows/${id}`;
  const text = await (await service.fetch(path)).text();
  const baselineServer = await startBaselineServer(id, text);
  try {
    const options = { connections: CONNECTIONS, isShort };
    const rates: number[] = [];
    const compressedRates: number[] = [];
    const baselineRates: number[] = [];
    // The measurements alternate, so that other load affects all of them.
    for (let round = 0; round < (isShort ? 1 : 3); round++) {
      rates.push(await measureGetsPerSecond(service.url + path, { ...options, headers: HEADERS }));
      compressedRates.push(
        await measureGetsPerSecond(service.url + path, {
          ...options,
          headers: { ...HEADERS, 'accept-encoding': 'zstd, br, gzip' },
        }),
      );
      baselineRates.push(
        await measureGetsPerSecond(`${baselineServer.url}/${id}`, { ...options, headers: HEADERS }),
      );
    }
    const value = median(rates);
    const baseline = median(baselineRates);
    yield {
      figure: 'GET /workflows/{id}, 100 nodes, 50 connections',
      value,
      unit: 'requests/s',
      target: { value: baseline / 2, is: 'at least' },
      baseline: { name: 'bare Fastify route, same text column', value: baseline },
      note: `${text.length} bytes; rounds ${rates.map(Math.round).join(', ')} against ${baselineRates.map(Math.round).join(', ')}`,
    };
    yield {
      figure: 'GET /workflows/{id}, 100 nodes, 50 connections, compressed',
      value: median(compressedRates),
      unit: 'requests/s',
      target: { value: value * 0.95, is: 'at least' },
      baseline: { name: 'without compression', value },
      note: `rounds ${compressedRates.map(Math.round).join(', ')}`,
    };
  } finally {
    await baselineServer.stop();
    await service.stop();
    await removeFolder(folder);
  }
}

async function startBaselineServer(
  id: string,
  text: string,
): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const folder = await makeFolder();
  const embedded = await startEmbedded({ dataDir: folder });
  const db = openDb({ connection: embedded, maxConnections: 1, onError: () => undefined });
  await db.query('create table bench_text (id text primary key, body text not null)');
  await db.query('insert into bench_text values ($1, $2)', [id, text]);
  await db.close();
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, '../bare-server.ts'), embedded.socketDir],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return {
    url: line.toString().trim(),
    async stop() {
      await endProcess(child);
      await embedded.stop();
      await removeFolder(folder);
    },
  };
}
