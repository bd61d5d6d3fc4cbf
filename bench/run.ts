// npm run bench: every figure that is claimed, beside the limit or peer measured in the same run.
// `--short` only proves that each row runs.
import { runEngineRows } from './engine-rows.ts';
import { runReadRows } from './read-rows.ts';
import type { Row } from './row.ts';
import { printRow, printTable } from './row.ts';
import { runRunRows } from './run-rows.ts';
import { runStartRows } from './start-rows.ts';

const isShort = process.argv.includes('--short');
const only = process.argv.find(arg => arg.startsWith('--only='))?.slice('--only='.length);

const SECTIONS: Readonly<Record<string, (isShort: boolean) => AsyncIterable<Row>>> = {
  engine: runEngineRows,
  start: runStartRows,
  runs: runRunRows,
  reads: runReadRows,
};

process.stdout.write(
  'Rate limits and MAX_CONCURRENT_RUNS are raised by settings (PLANS_FILE); nothing else is bypassed.\n',
);
process.stdout.write(
  'Load generator, service and PostgreSQL share this machine; read ratios, not absolutes.\n\n',
);
const rows: Row[] = [];
for (const [name, section] of Object.entries(SECTIONS)) {
  if (only !== undefined && only !== name) continue;
  for await (const row of section(isShort)) {
    rows.push(row);
    printRow(row);
  }
}
printTable(rows);
