// Measures reading a workflow of 100 nodes against a plain Fastify route that sends the same text column.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { openDb } from '../../src/store/db.ts';
import { startEmbedded } from '../../src/store/embedded/embedded.ts';
import { chain } from '../graphs.ts';
import { getsPerSecond } from '../http-load.ts';
import { median } from '../load.ts';
import type { Row } from '../row.ts';
import { API_KEY, makeFolder, removeFolder, startPlainService } from '../service.ts';
import { store } from './run.ts';

const CONNECTIONS = 50;
const KEY = { authorization: `Bearer ${API_KEY}` };

export async function* runReadRows(isShort: boolean): AsyncGenerator<Row> {
  const folder = await makeFolder();
  const service = await startPlainService(folder);
  const id = await store(service, chain(100));
  const path = `/api/v1/workflows/${id}`;
  const text = await (await service.fetch(path)).text();
  const bare = await startBare(id, text);
  try {
    const load = { connections: CONNECTIONS, isShort };
    const ours: number[] = [];
    const compressed: number[] = [];
    const floor: number[] = [];
    // The measurements alternate, so that a slower machine affects both.
    for (let round = 0; round < (isShort ? 1 : 3); round++) {
      ours.push(await getsPerSecond(service.url + path, { ...load, headers: KEY }));
      compressed.push(
        await getsPerSecond(service.url + path, {
          ...load,
          headers: { ...KEY, 'accept-encoding': 'zstd, br, gzip' },
        }),
      );
      floor.push(await getsPerSecond(`${bare.url}/${id}`, { ...load, headers: KEY }));
    }
    const value = median(ours);
    const limit = median(floor);
    yield {
      figure: 'GET /workflows/{id}, 100 nodes, 50 connections',
      value,
      unit: 'requests/s',
      target: { value: limit / 2, is: 'at least' },
      baseline: { name: 'bare Fastify route, same text column', value: limit },
      note: `${text.length} bytes; rounds ${ours.map(Math.round).join(', ')} against ${floor.map(Math.round).join(', ')}`,
    };
    yield {
      figure: 'GET /workflows/{id}, 100 nodes, 50 connections, compressed',
      value: median(compressed),
      unit: 'requests/s',
      target: { value: value * 0.95, is: 'at least' },
      baseline: { name: 'the same, not compressed', value },
      note: `rounds ${compressed.map(Math.round).join(', ')}`,
    };
  } finally {
    await bare.stop();
    await service.stop();
    await removeFolder(folder);
  }
}

async function startBare(id: string, text: string): Promise<{ readonly url: string; stop(): Promise<void> }> {
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
      child.kill();
      await once(child, 'exit');
      await embedded.stop();
      await removeFolder(folder);
    },
  };
}
