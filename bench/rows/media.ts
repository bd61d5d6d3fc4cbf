// Measures uploads compared with plain writes of the same files, the memory of a large upload, reads compared with
// @fastify/static, and the search of a large library.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, open, rm, writeFile } from 'node:fs/promises';
import { Agent, type IncomingMessage, type RequestOptions, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { mp4, wav } from '../../test/support/media/files.ts';
import { endProcess } from '../../test/support/processes.ts';
import { type LoadResult, median, runLoad } from '../load.ts';
import { startBenchPostgres } from '../postgres.ts';
import type { Row } from '../row.ts';
import {
  API_KEY,
  type BenchService,
  makeFolder,
  readMemoryMb,
  removeFolder,
  startBenchService,
  startPlainService,
} from '../service.ts';

const MB = 1_048_576;
const INLINE_BYTES = 4 * MB;
const UPLOADERS = 20;
const LARGE_BYTES = 100 * MB;
const READERS = 50;
const SETTLE_MS = 2000;

export async function* runMediaRows(isShort: boolean): AsyncGenerator<Row> {
  const folder = await makeFolder();
  const service = await startPlainService(folder);
  try {
    // This comes first, because memory that the other measurements allocate would hide the growth.
    yield await measureUploadMemory(service, isShort);
    yield await measureInlineUpload(service, folder, isShort);
    yield await measureReads(service, folder, isShort);
    yield* measureSearch(isShort);
  } finally {
    await service.stop();
    await removeFolder(folder);
  }
}

async function measureInlineUpload(service: BenchService, folder: string, isShort: boolean): Promise<Row> {
  const file = wav(INLINE_BYTES);
  const uploadRates: number[] = [];
  const writeRates: number[] = [];
  // The measurements alternate, so that a slower machine affects both.
  for (let round = 0; round < (isShort ? 1 : 3); round++) {
    uploadRates.push(await measureUploadMbPerSecond(service, file, isShort));
    writeRates.push(await measureWriteMbPerSecond(join(folder, 'bare'), file, isShort));
  }
  const baseline = median(writeRates);
  return {
    figure: 'inline upload of 4 MB by form, 20 connections',
    value: median(uploadRates),
    unit: 'MB/s',
    target: { value: baseline / 2, is: 'at least' },
    baseline: { name: 'bare write and fsync, 20 concurrently', value: baseline },
    note: `rounds ${uploadRates.map(Math.round).join(', ')} against ${writeRates.map(Math.round).join(', ')}`,
  };
}

async function measureUploadMbPerSecond(
  service: BenchService,
  file: Buffer,
  isShort: boolean,
): Promise<number> {
  const head =
    '--x\r\ncontent-disposition: form-data; name="file"; filename="a.wav"\r\ncontent-type: audio/wav\r\n\r\n';
  const body = Buffer.concat([Buffer.from(head), file, Buffer.from('\r\n--x--\r\n')]);
  const options = {
    method: 'POST',
    headers: {
      authorization: `Bearer ${API_KEY}`,
      'content-type': 'multipart/form-data; boundary=x',
      'content-length': body.length,
    },
  };
  const url = `${service.url}/api/v1/media/upload`;
  const { callCount, seconds } = await callMany(UPLOADERS, isShort, agent =>
    sendRequest(url, { ...options, agent }, body),
  );
  return (callCount * (file.length / MB)) / seconds;
}

async function measureWriteMbPerSecond(folder: string, file: Buffer, isShort: boolean): Promise<number> {
  await mkdir(folder);
  const { callCount, seconds } = await runLoad(UPLOADERS, { ms: isShort ? 100 : 4000 }, async index => {
    const handle = await open(join(folder, String(index)), 'wx');
    await handle.writeFile(file);
    await handle.sync();
    await handle.close();
  });
  await rm(folder, { recursive: true });
  return (callCount * (file.length / MB)) / seconds;
}

async function measureUploadMemory(service: BenchService, isShort: boolean): Promise<Row> {
  // The first upload loads code, whose memory is not a cost of a large upload.
  await uploadPresigned(service, MB);
  await sleep(isShort ? 0 : SETTLE_MS);
  const idleMb = await readMemoryMb(service.pid);
  // Resets the peak that VmHWM has to the current size (proc(5)).
  await writeFile(`/proc/${service.pid}/clear_refs`, '5');
  const { seconds } = await uploadPresigned(service, LARGE_BYTES);
  const peakMb = await readMemoryMb(service.pid, 'VmHWM');
  return {
    figure: 'presigned PUT of 100 MB with completion: peak memory above idle',
    value: peakMb - idleMb,
    unit: 'MB',
    target: { value: 40, is: 'at most' },
    note: `idle ${Math.round(idleMb)} MB, peak ${Math.round(peakMb)} MB, PUT at ${Math.round(LARGE_BYTES / MB / seconds)} MB/s`,
  };
}

async function uploadPresigned(service: BenchService, bytes: number): Promise<{ readonly seconds: number }> {
  const uploadRequest = JSON.stringify({ contentType: 'video/mp4', bytes, filename: 'a.mp4' });
  const response = await service.fetch('/api/v1/media/upload-url', { method: 'POST', body: uploadRequest });
  const { uploadUrl, headers, mediaId } = (await response.json()) as {
    uploadUrl: string;
    headers: Record<string, string>;
    mediaId: string;
  };
  const file = mp4(bytes);
  const startMs = performance.now();
  const put = await fetch(uploadUrl, { method: 'PUT', headers, body: file });
  const seconds = (performance.now() - startMs) / 1000;
  const completed = await service.fetch('/api/v1/media/upload-url/complete', {
    method: 'POST',
    body: JSON.stringify({ mediaId }),
  });
  if (!put.ok || !completed.ok) throw new Error(`PUT ${put.status}, completion ${completed.status}.`);
  return { seconds };
}

async function measureReads(service: BenchService, folder: string, isShort: boolean): Promise<Row> {
  const file = wav(MB);
  const dataUrl = `data:audio/wav;base64,${file.toString('base64')}`;
  const response = await service.fetch('/api/v1/media/upload', {
    method: 'POST',
    body: JSON.stringify({ dataUrl }),
  });
  const { url } = (await response.json()) as { url: string };
  const root = join(folder, 'static');
  await mkdir(root);
  await writeFile(join(root, 'a.wav'), file);
  const baselineServer = await startStaticServer(root);
  try {
    const readRates: number[] = [];
    const baselineRates: number[] = [];
    for (let round = 0; round < (isShort ? 1 : 3); round++) {
      readRates.push(await measureReadsPerSecond(service.url + new URL(url).pathname, isShort));
      baselineRates.push(await measureReadsPerSecond(`${baselineServer.url}/a.wav`, isShort));
    }
    const baseline = median(baselineRates);
    return {
      figure: 'CDN read of a 1 MB file, 50 connections',
      value: median(readRates),
      unit: 'reads/s',
      target: { value: baseline * 0.7, is: 'at least' },
      baseline: { name: '@fastify/static bare, same file', value: baseline },
      note: `rounds ${readRates.map(Math.round).join(', ')} against ${baselineRates.map(Math.round).join(', ')}`,
    };
  } finally {
    await endProcess(baselineServer.child);
  }
}

async function startStaticServer(
  root: string,
): Promise<{ readonly url: string; readonly child: ChildProcess }> {
  const child = spawn(process.execPath, [join(import.meta.dirname, '../bare-static.ts'), root], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return { url: line.toString().trim(), child };
}

async function measureReadsPerSecond(url: string, isShort: boolean): Promise<number> {
  const { callCount, seconds } = await callMany(READERS, isShort, agent => sendRequest(url, { agent }));
  return callCount / seconds;
}

/** Sends requests over connections that stay open. Uses `node:http`, because other clients parse bodies too slowly. */
async function callMany(
  connections: number,
  isShort: boolean,
  call: (agent: Agent) => Promise<void>,
): Promise<LoadResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  try {
    return await runLoad(connections, { ms: isShort ? 100 : 4000 }, () => call(agent));
  } finally {
    agent.destroy();
  }
}

async function sendRequest(url: string, options: RequestOptions, body?: Buffer): Promise<void> {
  const req = request(url, options);
  req.end(body);
  const [response] = (await once(req, 'response')) as [IncomingMessage];
  response.resume();
  await once(response, 'end');
  if (response.statusCode !== 200) throw new Error(`${url} answered ${response.statusCode}.`);
}

const SEARCH_TARGET_MS = 100;
/** Pairs of words. All files have the common words, one in a hundred the rare one; two words never occur together. */
const SEARCHES: Readonly<Record<string, string>> = {
  'common words': 'portrait lighting',
  'a common and a rare word': 'lighting volcano',
  'rare words': 'volcano glacier',
  'words of a half each that are never together': 'violet orange',
  'words that only old files have': 'vintage sepia',
  'the beginnings of words': 'lig volc',
  Japanese: '火山 夜景',
};

/** Searches a library of 100,000 results with prompts of 300 characters, by two words. */
async function* measureSearch(isShort: boolean): AsyncGenerator<Row> {
  const count = isShort ? 1000 : 100_000;
  const folder = await makeFolder();
  const postgres = await startBenchPostgres(2);
  const service = await startBenchService(folder, { DATABASE_URL: postgres.url });
  try {
    const { userId } = (await (await service.fetch('/api/v1/me')).json()) as { userId: number };
    await postgres.db.withOwnConnection(client => client.query(INSERT_LIBRARY, [count, userId]));
    await postgres.db.query('vacuum analyze media');
    const times = new Map<string, number>();
    for (const [name, q] of Object.entries(SEARCHES)) {
      const path = `/api/v1/media?${new URLSearchParams({ origin: 'all', limit: '60', q })}`;
      const rounds: number[] = [];
      for (let round = 0; round < (isShort ? 1 : 15); round++) {
        const startMs = performance.now();
        const response = await service.fetch(path);
        await response.text();
        if (response.status !== 200) throw new Error(`${path} returned ${response.status}.`);
        rounds.push(performance.now() - startMs);
      }
      times.set(name, median(rounds));
    }
    const [slowest, value] = [...times].toSorted(([, a], [, b]) => b - a)[0] ?? ['', Number.NaN];
    yield {
      figure: `search of ${count} media by two words: the slowest of ${times.size} pairs, p50`,
      value,
      unit: 'ms',
      target: { value: SEARCH_TARGET_MS, is: 'at most' },
      baseline: { name: 'the median pair', value: median([...times.values()]) },
      note: `${slowest}; ${[...times].map(([name, ms]) => `${name} ${ms.toFixed(1)}`).join(', ')}`,
    };
  } finally {
    await service.stop();
    await postgres.stop();
    await removeFolder(folder);
  }
}

const INSERT_LIBRARY = `
  insert into media (id, user_id, workspace, name, content_type, bytes, sha256, width, height, origin, prompt, node_type)
  select 'med_' || lpad(n::text, 26, '0'), $2::int, 'user:' || $2::int, 'result-' || n || '.png', 'image/png', 1, '', 64, 64,
    'output', concat_ws(' ', 'a portrait of a friend in soft lighting,', case when n % 2 = 0 then 'violet' else 'orange' end,
      case when n % 100 = 0 then 'volcano 火山の夜景' end, case when n % 150 = 0 then 'glacier' end,
      case when n < $1::int / 2 then 'vintage sepia' end, repeat(md5(n::text) || ' ', 6)), 'generate:sandbox'
  from generate_series(1, $1::int) n`;
