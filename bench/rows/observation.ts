// Measures the cost of observability: the processor time per request without metrics and log, with both, and with both and
// 1 % of traces.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startCollector } from '../../test/support/network/collector.ts';
import { createChain } from '../graphs.ts';
import { median } from '../load.ts';
import type { Row } from '../row.ts';
import { type BenchService, makeFolder, removeFolder, startBenchService, storeWorkflow } from '../service.ts';

const CONNECTIONS = 10;
const TICKS_PER_SECOND = 100;

export async function* runObservationRows(isShort: boolean): AsyncGenerator<Row> {
  const collector = await startCollector();
  const unobserved = {
    LOG_LEVEL: 'silent',
    NODE_OPTIONS: `--import=${join(import.meta.dirname, '../no-metrics.ts')}`,
  };
  const traced = {
    LOG_LEVEL: 'info',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.01',
  };
  const folders = [await makeFolder(), await makeFolder(), await makeFolder()] as const;
  const envs = [unobserved, { LOG_LEVEL: 'info' }, traced] as const;
  const services: BenchService[] = [];
  try {
    for (const [index, env] of envs.entries())
      services.push(await startBenchService(folders[index] ?? '', { ...env, HOST: '127.0.0.1' }));
    const paths = await Promise.all(
      services.map(async service => `/api/v1/workflows/${await storeWorkflow(service, createChain(100))}`),
    );
    const count = isShort ? 10 : 1500;
    const timesByService: number[][] = services.map(() => []);
    // The measurements alternate, so that other load affects all of them. The first round is a warm-up.
    for (let round = 0; round < (isShort ? 2 : 10); round++)
      for (const [index, service] of services.entries()) {
        const ms = await measureMsPerRequest(service, paths[index] ?? '', count);
        if (round > 0) timesByService[index]?.push(ms);
      }
    const [unobservedMs, observedMs, tracedMs] = timesByService.map(median) as [number, number, number];
    const formatMs = (ms: number): string => `${ms.toFixed(3)} ms`;
    yield {
      figure:
        'GET of a workflow of 100 nodes with metrics and info log, processor time compared with neither',
      value: observedMs / unobservedMs,
      unit: 'times',
      target: { value: 1.05, is: 'at most' },
      note: `${formatMs(observedMs)} and ${formatMs(unobservedMs)} per request`,
    };
    yield {
      figure:
        'GET of a workflow of 100 nodes with metrics, log and 1 % of traces, processor time compared with no traces',
      value: tracedMs / observedMs,
      unit: 'times',
      target: { value: 1.03, is: 'at most' },
      note: `${formatMs(tracedMs)} and ${formatMs(observedMs)} per request; ${collector.spans.length} spans received`,
    };
  } finally {
    for (const service of services) await service.stop();
    await collector.close();
    for (const folder of folders) await removeFolder(folder);
  }
}

/** Returns the processor time of the service's process per request, which other load changes little. */
async function measureMsPerRequest(service: BenchService, path: string, count: number): Promise<number> {
  const msBefore = await readProcessorMs(service.pid);
  let remainingCount = count;
  const sendRequests = async (): Promise<void> => {
    while (remainingCount-- > 0) {
      const response = await service.fetch(path);
      await response.arrayBuffer();
      if (response.status !== 200) throw new Error(`${path} answered ${response.status}.`);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, sendRequests));
  return ((await readProcessorMs(service.pid)) - msBefore) / count;
}

async function readProcessorMs(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return ((Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND) * 1000;
}
