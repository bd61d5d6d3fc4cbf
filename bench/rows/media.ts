// Measures uploads against plain writes of the same files, the memory of a large upload, and reads against
// @fastify/static.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, open, readFile, rm, writeFile } from 'node:fs/promises';
import { Agent, type IncomingMessage, type RequestOptions, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { mp4, wav } from '../../test/support/media/files.ts';
import { type Load, load, median } from '../load.ts';
import type { Row } from '../row.ts';
import { API_KEY, type BenchService, makeFolder, removeFolder, startPlainService } from '../service.ts';

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
    // Memory is measured before the other rows, because memory that they claimed would hide its growth.
    yield await measureMemory(service, isShort);
    yield await measureInline(service, folder, isShort);
    yield await measureReads(service, folder, isShort);
  } finally {
    await service.stop();
    await removeFolder(folder);
  }
}

async function measureInline(service: BenchService, folder: string, isShort: boolean): Promise<Row> {
  const file = wav(INLINE_BYTES);
  const ours: number[] = [];
  const floor: number[] = [];
  // The measurements alternate, so that a slower machine affects both.
  for (let round = 0; round < (isShort ? 1 : 3); round++) {
    ours.push(await uploadMbPerSecond(service, file, isShort));
    floor.push(await writeMbPerSecond(join(folder, 'bare'), file, isShort));
  }
  const limit = median(floor);
  return {
    figure: 'inline upload of 4 MB by form, 20 connections',
    value: median(ours),
    unit: 'MB/s',
    target: { value: limit / 2, is: 'at least' },
    baseline: { name: 'bare write and fsync, 20 at once', value: limit },
    note: `rounds ${ours.map(Math.round).join(', ')} against ${floor.map(Math.round).join(', ')}`,
  };
}

async function uploadMbPerSecond(service: BenchService, file: Buffer, isShort: boolean): Promise<number> {
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
  const { done, seconds } = await callMany(UPLOADERS, isShort, agent =>
    exchange(url, { ...options, agent }, body),
  );
  return (done * (file.length / MB)) / seconds;
}

async function writeMbPerSecond(folder: string, file: Buffer, isShort: boolean): Promise<number> {
  await mkdir(folder);
  const { done, seconds } = await load(UPLOADERS, { ms: isShort ? 100 : 4000 }, async index => {
    const handle = await open(join(folder, String(index)), 'wx');
    await handle.writeFile(file);
    await handle.sync();
    await handle.close();
  });
  await rm(folder, { recursive: true });
  return (done * (file.length / MB)) / seconds;
}

async function measureMemory(service: BenchService, isShort: boolean): Promise<Row> {
  // Code loaded at the first upload is not a cost of a large one.
  await putPresigned(service, MB);
  await sleep(isShort ? 0 : SETTLE_MS);
  const idle = await readMb(service.pid, 'VmRSS');
  // This resets the peak that VmHWM has (proc(5)).
  await writeFile(`/proc/${service.pid}/clear_refs`, '5');
  const { seconds } = await putPresigned(service, LARGE_BYTES);
  const peak = await readMb(service.pid, 'VmHWM');
  return {
    figure: 'presigned PUT of 100 MB with completion: peak memory above idle',
    value: peak - idle,
    unit: 'MB',
    target: { value: 40, is: 'at most' },
    note: `idle ${Math.round(idle)} MB, peak ${Math.round(peak)} MB, PUT at ${Math.round(LARGE_BYTES / MB / seconds)} MB/s`,
  };
}

async function putPresigned(service: BenchService, bytes: number): Promise<{ readonly seconds: number }> {
  const minting = JSON.stringify({ contentType: 'video/mp4', bytes, filename: 'a.mp4' });
  const response = await service.fetch('/api/v1/media/upload-url', { method: 'POST', body: minting });
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

async function readMb(pid: number, field: string): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1024;
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
  const bare = await startStatic(root);
  try {
    const ours: number[] = [];
    const floor: number[] = [];
    for (let round = 0; round < (isShort ? 1 : 3); round++) {
      ours.push(await readsPerSecond(service.url + new URL(url).pathname, isShort));
      floor.push(await readsPerSecond(`${bare.url}/a.wav`, isShort));
    }
    const limit = median(floor);
    return {
      figure: 'CDN read of a 1 MB file, 50 connections',
      value: median(ours),
      unit: 'reads/s',
      target: { value: limit * 0.7, is: 'at least' },
      baseline: { name: '@fastify/static bare, same file', value: limit },
      note: `rounds ${ours.map(Math.round).join(', ')} against ${floor.map(Math.round).join(', ')}`,
    };
  } finally {
    bare.child.kill();
    await once(bare.child, 'exit');
  }
}

async function startStatic(root: string): Promise<{ readonly url: string; readonly child: ChildProcess }> {
  const child = spawn(process.execPath, [join(import.meta.dirname, '../bare-static.ts'), root], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return { url: line.toString().trim(), child };
}

async function readsPerSecond(url: string, isShort: boolean): Promise<number> {
  const { done, seconds } = await callMany(READERS, isShort, agent => exchange(url, { agent }));
  return done / seconds;
}

/** Reads over connections that stay open. The clients of other rows parse bodies too slowly for these. */
async function callMany(
  connections: number,
  isShort: boolean,
  call: (agent: Agent) => Promise<void>,
): Promise<Load> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  try {
    return await load(connections, { ms: isShort ? 100 : 4000 }, () => call(agent));
  } finally {
    agent.destroy();
  }
}

async function exchange(url: string, options: RequestOptions, body?: Buffer): Promise<void> {
  const req = request(url, options);
  req.end(body);
  const [response] = (await once(req, 'response')) as [IncomingMessage];
  response.resume();
  await once(response, 'end');
  if (response.statusCode !== 200) throw new Error(`${url} answered ${response.statusCode}.`);
}
