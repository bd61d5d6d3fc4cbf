// Measures how soon a service is ready, on first and later starts, and its memory at rest.
import { setTimeout as sleep } from 'node:timers/promises';
import { median } from '../load.ts';
import type { Row } from '../row.ts';
import { EMBEDDED, makeFolder, memoryOfTree, removeFolder, startBenchService } from '../service.ts';

const REST_MS = 5000;

export async function* runStartRows(isShort: boolean): AsyncGenerator<Row> {
  const first: number[] = [];
  const later: number[] = [];
  const memory: number[] = [];
  for (let round = 0; round < (isShort ? 1 : 3); round++) {
    const folder = await makeFolder();
    const fresh = await startBenchService(folder, EMBEDDED);
    first.push(fresh.readyMs);
    await fresh.stop();
    const again = await startBenchService(folder, EMBEDDED);
    later.push(again.readyMs);
    await sleep(isShort ? 0 : REST_MS);
    memory.push(await memoryOfTree(again.pid));
    await again.stop();
    await removeFolder(folder);
  }
  yield {
    figure: 'time to ready, first start in an empty folder',
    value: median(first),
    unit: 'ms',
    target: { value: 2500, is: 'at most' },
    note: 'n8n: 14.2 s',
  };
  yield {
    figure: 'time to ready, later starts',
    value: median(later),
    unit: 'ms',
    target: { value: 900, is: 'at most' },
    note: 'n8n: 4.8 s',
  };
  yield {
    figure: 'idle memory with PostgreSQL and worker',
    value: median(memory),
    unit: 'MB',
    target: { value: 200, is: 'at most' },
    note: 'proportional set size of the process tree; n8n: 450',
  };
}
