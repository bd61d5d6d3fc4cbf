// Measures the time until a service is ready, on first and later starts, and the memory of an idle service.
import { setTimeout as sleep } from 'node:timers/promises';
import { median } from '../load.ts';
import type { Row } from '../row.ts';
import { EMBEDDED, makeFolder, readTreeMemoryMb, removeFolder, startBenchService } from '../service.ts';

const SETTLE_MS = 5000;

export async function* runStartRows(isShort: boolean): AsyncGenerator<Row> {
  const firstStartTimes: number[] = [];
  const laterStartTimes: number[] = [];
  const memoryMb: number[] = [];
  for (let round = 0; round < (isShort ? 1 : 3); round++) {
    const folder = await makeFolder();
    const firstStart = await startBenchService(folder, EMBEDDED);
    firstStartTimes.push(firstStart.readyMs);
    await firstStart.stop();
    const laterStart = await startBenchService(folder, EMBEDDED);
    laterStartTimes.push(laterStart.readyMs);
    await sleep(isShort ? 0 : SETTLE_MS);
    memoryMb.push(await readTreeMemoryMb(laterStart.pid));
    await laterStart.stop();
    await removeFolder(folder);
  }
  yield {
    figure: 'time to ready, first start in an empty folder',
    value: median(firstStartTimes),
    unit: 'ms',
    target: { value: 2500, is: 'at most' },
    note: 'n8n: 14.2 s',
  };
  yield {
    figure: 'time to ready, later starts',
    value: median(laterStartTimes),
    unit: 'ms',
    target: { value: 900, is: 'at most' },
    note: 'n8n: 4.8 s',
  };
  yield {
    figure: 'idle memory with PostgreSQL and worker',
    value: median(memoryMb),
    unit: 'MB',
    target: { value: 200, is: 'at most' },
    note: 'proportional set size of the process tree; n8n: 450',
  };
}
