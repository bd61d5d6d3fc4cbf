// Counts the queries that an idle service sends to PostgreSQL.
import { setTimeout as sleep } from 'node:timers/promises';
import { startOwnPostgres } from '../postgres.ts';
import type { Row } from '../row.ts';
import { makeFolder, removeFolder, startBenchService } from '../service.ts';

/** The time after which the service has finished its startup work. */
const SETTLE_MS = 8000;
/** The duration of the measurement, in which a whole number of heartbeats and polls fit. */
const MEASURE_MS = 60_000;

/** Matches a line of PostgreSQL's log of statements, which includes `begin` and `commit`. */
const STATEMENT = /LOG: +(?:statement|execute [^:]*): *(?<text>.*)/;

export async function* runIdleRows(isShort: boolean): AsyncGenerator<Row> {
  const countByStatement = new Map<string, number>();
  const postgres = await startOwnPostgres(1, line => {
    const text = STATEMENT.exec(line)?.groups?.text;
    if (text !== undefined) countByStatement.set(text, (countByStatement.get(text) ?? 0) + 1);
  });
  const folder = await makeFolder();
  try {
    await postgres.db.query(`alter database postgres set log_statement = 'all'`);
    const service = await startBenchService(folder, { DATABASE_URL: postgres.url });
    await sleep(isShort ? 0 : SETTLE_MS);
    countByStatement.clear();
    const measureMs = isShort ? 500 : MEASURE_MS;
    await sleep(measureMs);
    const counts = [...countByStatement].toSorted(([, a], [, b]) => b - a);
    const total = counts.reduce((sum, [, count]) => sum + count, 0);
    yield {
      figure: 'queries per second when idle',
      value: (total / measureMs) * 1000,
      unit: '/s',
      target: { value: 2, is: 'at most' },
      note: `counted in the statement log; ${counts.map(([text, count]) => `${count} ${text.slice(0, 30).trim()}`).join(', ')}`,
    };
    await service.stop();
  } finally {
    await postgres.stop();
    await removeFolder(folder);
  }
}
