// What a service asks of PostgreSQL while nobody asks anything of it.
import { setTimeout as sleep } from 'node:timers/promises';
import { startOwnPostgres } from '../postgres.ts';
import type { Row } from '../row.ts';
import { makeFolder, removeFolder, startBenchService } from '../service.ts';

// What a start leaves to do is done by then.
const SETTLE_MS = 8000;
// A whole number of heartbeats and polls.
const COUNT_MS = 60_000;

// Lines of log_statement: `begin` and its like are queries too.
const QUERY = /LOG: +(?:statement|execute [^:]*): *(?<text>.*)/;

export async function* runIdleRows(isShort: boolean): AsyncGenerator<Row> {
  const seen = new Map<string, number>();
  const postgres = await startOwnPostgres(1, line => {
    const text = QUERY.exec(line)?.groups?.text;
    if (text !== undefined) seen.set(text, (seen.get(text) ?? 0) + 1);
  });
  const folder = await makeFolder();
  try {
    await postgres.db.query(`alter database postgres set log_statement = 'all'`);
    const service = await startBenchService(folder, { DATABASE_URL: postgres.url });
    await sleep(isShort ? 0 : SETTLE_MS);
    seen.clear();
    const countMs = isShort ? 500 : COUNT_MS;
    await sleep(countMs);
    const counts = [...seen].toSorted(([, a], [, b]) => b - a);
    const total = counts.reduce((sum, [, count]) => sum + count, 0);
    yield {
      figure: 'queries a second with nothing to do',
      value: (total / countMs) * 1000,
      unit: '/s',
      reach: { value: 2, is: 'at most' },
      note: `from the log of every statement; ${counts.map(([text, count]) => `${count} ${text.slice(0, 30).trim()}`).join(', ')}`,
    };
    await service.stop();
  } finally {
    await postgres.stop();
    await removeFolder(folder);
  }
}
