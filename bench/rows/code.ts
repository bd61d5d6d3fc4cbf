// Measures programs of code nodes: an empty one, a transform of 100 KB of JSON beside the same in Node, and the memory
// that hostile programs leave behind.

import { runProgram } from '../../src/sandbox/run-program.ts';
import { HOSTILE } from '../../test/sandbox/hostile-programs.ts';
import { median } from '../load.ts';
import type { Row } from '../row.ts';

const signal = new AbortController().signal;
const LIMITS = { timeoutMs: 5000, memoryMb: 64 };

/** Maps, filters, sorts and groups. Used as a program's source, and directly. */
const transform = ({
  rows,
}: {
  readonly rows: readonly { readonly id: number; readonly name: string }[];
}) => {
  const groups: Record<string, { readonly id: number; readonly name: string }[]> = {};
  const chosen = rows.map(row => ({ ...row, name: row.name.toUpperCase() })).filter(({ id }) => id % 5 < 3);
  for (const row of chosen.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const group = `g${row.id % 7}`;
    groups[group] ??= [];
    groups[group].push(row);
  }
  return { groups };
};

export async function* runCodeRows(isShort: boolean): AsyncGenerator<Row> {
  const rounds = isShort ? 20 : 500;
  const input = JSON.stringify({ rows: makeRows(100_000) });
  const program = { ...LIMITS, code: `export default ${transform.toString()}`, input };
  const empty = { ...LIMITS, code: 'export default () => ({})', input: '{}' };
  // Starts the process.
  await runProgram(empty, { account: 'bench', signal });
  const emptyMs = await measure(
    rounds,
    async () => void (await runProgram(empty, { account: 'bench', signal })),
  );
  yield {
    figure: 'code node, an empty program, p50',
    value: median(emptyMs),
    unit: 'ms',
    target: { value: 8, is: 'at most' },
  };
  const transformMs = await measure(rounds, async () => {
    const result = await runProgram(program, { account: 'bench', signal });
    if ('error' in result) throw new Error(result.error.message);
  });
  const nativeMs = await measure(rounds, async () => void JSON.stringify(transform(JSON.parse(input))));
  yield {
    figure: `code node, a transform of ${Math.round(input.length / 1000)} KB of JSON, p50`,
    value: median(transformMs),
    unit: 'ms',
    target: { value: 12, is: 'at most' },
    baseline: { name: 'the same in Node', value: median(nativeMs) },
  };
  const hostileCount = isShort ? 10 : 1000;
  const codes = Object.values(HOSTILE).map(([code]) => code);
  const before = process.memoryUsage().rss;
  let overLimitMs = 0;
  for (let index = 0; index < hostileCount; index++) {
    const code = codes[index % codes.length] ?? '';
    const startMs = performance.now();
    const result = await runProgram(
      { code, input: '{}', timeoutMs: 100, memoryMb: 32 },
      { account: 'bench', signal },
    );
    overLimitMs = Math.max(overLimitMs, performance.now() - startMs - 100);
    if (!('error' in result)) throw new Error(`A hostile program returned: ${code}`);
  }
  yield {
    figure: `code node, the longest of ${hostileCount} hostile programs past its limit`,
    value: overLimitMs,
    unit: 'ms',
    target: { value: 1000, is: 'at most' },
    note: 'with the start of a process where the last program ended one',
  };
  yield {
    figure: `code node, memory of the service after ${hostileCount} hostile programs`,
    value: (process.memoryUsage().rss - before) / 1e6,
    unit: 'MB',
    target: { value: 20, is: 'at most' },
  };
}

function makeRows(bytes: number): readonly { readonly id: number; readonly name: string }[] {
  const rows: { readonly id: number; readonly name: string }[] = [];
  for (let size = 0; size < bytes; ) {
    const row = { id: rows.length, name: `name ${(rows.length * 7919) % 10_007} of a row` };
    size += JSON.stringify(row).length + 1;
    rows.push(row);
  }
  return rows;
}

async function measure(rounds: number, work: () => Promise<void>): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const startMs = performance.now();
    await work();
    times.push(performance.now() - startMs);
  }
  return times;
}
