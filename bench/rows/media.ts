// Measures uploads compared with plain writes of the same files, the memory of a large upload, and reads compared with
// @fastify/static.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, open, rm, writeFile } from 'node:fs/promises';
import { Agent, type IncomingMessage, type RequestOptions, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { mp4, wav } from '../../test/support/media/files.ts';
import { endProcess } from '../../test/support/processes.ts';
import { type LoadResult, median, runLoad } from '../load.ts';
import type { Row } from '../row.ts';
import {
  API_KEY,
  type BenchService,
  makeFolder,
  readMemoryMb,
  removeFolder,
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
