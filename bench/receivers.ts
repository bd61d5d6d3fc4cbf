// Starts webhook receivers in a separate thread. Each receiver has its own address and responds immediately.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

export interface Receivers {
  readonly urls: readonly string[];
  /** Returns the delay of each event since the last call, in ms from the end of the run to the arrival. */
  takeDelaysMs(): Promise<readonly number[]>;
  /** Returns the number of arrivals since the last call of `takeDelaysMs`. */
  countArrivals(): number;
  stop(): Promise<void>;
}

export async function startReceivers(count: number): Promise<Receivers> {
  const arrivals = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(new URL(import.meta.url), { workerData: { count, arrivals } });
  const [urls] = (await once(worker, 'message')) as [string[]];
  return {
    urls,
    async takeDelaysMs() {
      worker.postMessage('take');
      const [delaysMs] = (await once(worker, 'message')) as [number[]];
      return delaysMs;
    },
    countArrivals: () => Atomics.load(arrivals, 0),
    stop: async () => void (await worker.terminate()),
  };
}

async function runReceivers(count: number, arrivals: Int32Array): Promise<void> {
  let delaysMs: number[] = [];
  const createReceiver = () =>
    createServer((req, res) => {
      const receivedAtMs = Date.now();
      let body = '';
      req.setEncoding('utf8').on('data', (text: string) => {
        body += text;
      });
      req.on('end', () => {
        res.writeHead(204).end();
        delaysMs.push(receivedAtMs - Date.parse((JSON.parse(body) as { createdAt: string }).createdAt));
        Atomics.add(arrivals, 0, 1);
      });
    });
  const urls: string[] = [];
  for (let index = 0; index < count; index++) {
    const server = createReceiver().listen(0, '127.0.0.1');
    await once(server, 'listening');
    urls.push(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  }
  parentPort?.on('message', () => {
    parentPort?.postMessage(delaysMs);
    delaysMs = [];
    Atomics.store(arrivals, 0, 0);
  });
  parentPort?.postMessage(urls);
}

if (!isMainThread) await runReceivers(workerData.count as number, workerData.arrivals as Int32Array);
