// Measures programs of code nodes: an empty program, a transform of JSON compared with Node, a transform next to hostile
// programs, and the service's latency while many accounts run programs.

import { subscribe } from 'node:diagnostics_channel';
import { setTimeout as sleep } from 'node:timers/promises';
import { runAccepted } from '../../src/lib/work.ts';
import { runProgram } from '../../src/sandbox/run-program.ts';
import { HOSTILE_PROGRAMS } from '../../test/sandbox/hostile-programs.ts';
import { edge, node } from '../../test/support/workflows.ts';
import { median, quantile, runLoad } from '../load.ts';
import type { Row } from '../row.ts';
import {
  createAccount,
  makeFolder,
  readTreeMemoryMb,
  removeFolder,
  runToEnd,
  startPlainService,
  storeWorkflow,
} from '../service.ts';

const signal = new AbortController().signal;
const LIMITS = { timeoutMs: 5000, memoryMb: 64 };

interface InputRow {
  readonly id: number;
  readonly name: string;
}

/** Maps, filters, sorts and groups. The benchmark runs this function in Node, and the function's source as a program. */
const transform = ({ rows }: { readonly rows: readonly InputRow[] }) => {
  const groups: Record<string, InputRow[]> = {};
  const selectedRows = rows
    .map(row => ({ ...row, name: row.name.toUpperCase() }))
    .filter(({ id }) => id % 5 < 3);
  for (const row of selectedRows.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const group = `g${row.id % 7}`;
    groups[group] ??= [];
    groups[group].push(row);
  }
  return { groups };
};

export async function* runCodeRows(isShort: boolean): AsyncGenerator<Row> {
  const rounds = isShort ? 20 : 500;
  const program = createTransformProgram(isShort);
  // The first program starts the process.
  await runProgram(EMPTY, { signal });
  const emptyMs = await measure(rounds, async () => void (await runProgram(EMPTY, { signal })));
  yield {
    figure: 'code node, an empty program, p50',
    value: median(emptyMs),
    unit: 'ms',
    target: { value: 8, is: 'at most' },
  };
  const transformMs = await measure(rounds, async () => {
    const result = await runProgram(program, { signal });
    if ('error' in result) throw new Error(result.error.message);
  });
  const nodeMs = await measure(rounds, async () => void JSON.stringify(transform(JSON.parse(program.input))));
  yield {
    figure: `code node, a transform of ${Math.round(program.input.length / 1000)} KB of JSON, p50`,
    value: median(transformMs),
    unit: 'ms',
    target: { value: 12, is: 'at most' },
    baseline: { name: 'this transform in Node', value: median(nodeMs) },
  };
  yield* measureHostile(isShort);
  yield* measureHealth(isShort);
}

const EMPTY = { ...LIMITS, code: 'export default () => ({})', input: '{}' };
const HOSTILE_LIMITS = { timeoutMs: 100, memoryMb: 32 };
const HOSTILE_CODES = Object.values(HOSTILE_PROGRAMS).map(([code]) => code);
/** A time longer than the 20 s after which the pool ends idle processes. */
const IDLE_MS = 25_000;

/** Runs a transform while another account runs hostile programs, and then hostile programs of two accounts. */
async function* measureHostile(isShort: boolean): AsyncGenerator<Row> {
  const count = isShort ? 12 : 10_000;
  const program = createTransformProgram(isShort);
  const runTransform = () => runAccepted('harmless', () => runProgram(program, { signal }));
  const mbBefore = await readTreeMemoryMb(process.pid);
  let hostileCount = 0;
  let maxOverrunMs = 0;
  let timedCount = 0;
  let processCount = 0;
  subscribe('child_process', () => processCount++);
  const runHostile = async (account: string): Promise<void> => {
    const code = HOSTILE_CODES[hostileCount++ % HOSTILE_CODES.length] ?? '';
    // Starts a process if the previous program ended the last one, and shows that the sandbox still works.
    const emptyResult = await runAccepted(account, () => runProgram(EMPTY, { signal }));
    if ('error' in emptyResult)
      throw new Error(`A program after a hostile one failed: ${emptyResult.error.message}`);
    const startMs = performance.now();
    const processCountBefore = processCount;
    const result = await runAccepted(account, () =>
      runProgram({ ...HOSTILE_LIMITS, code, input: '{}' }, { signal }),
    );
    // A program during which a process started does not count. Processes are replaced after 200 programs.
    if (processCount === processCountBefore) {
      timedCount++;
      maxOverrunMs = Math.max(maxOverrunMs, performance.now() - startMs - HOSTILE_LIMITS.timeoutMs);
    }
    if (!('error' in result)) throw new Error(`A hostile program returned: ${code}`);
  };
  const timesWithoutAttack: number[] = [];
  const timesDuringAttack: number[] = [];
  // Both processes start before the measurements.
  await Promise.all([runTransform(), runHostile('hostile-0')]);
  // The measurements alternate, so that other load affects both.
  for (let round = 0; round < (isShort ? 1 : 10); round++) {
    timesWithoutAttack.push(...(await runLoad(1, { count: isShort ? 4 : 100 }, runTransform)).latencies);
    const stop = new AbortController();
    const attack = runLoad(1, { signal: stop.signal }, () => runHostile('hostile-0'));
    timesDuringAttack.push(...(await runLoad(1, { count: isShort ? 4 : 100 }, runTransform)).latencies);
    stop.abort();
    await attack;
  }
  const p95WithoutAttack = quantile(timesWithoutAttack, 0.95);
  const p95DuringAttack = quantile(timesDuringAttack, 0.95);
  yield {
    figure: 'code node, p95 of a transform while another account runs hostile programs',
    value: p95DuringAttack / p95WithoutAttack,
    unit: 'of its p95 without the attack',
    target: { value: 1.5, is: 'at most' },
    note: `without the attack ${p95WithoutAttack.toFixed(1)} ms, during ${p95DuringAttack.toFixed(1)} ms; p50 ${median(timesWithoutAttack).toFixed(1)} and ${median(timesDuringAttack).toFixed(1)} ms`,
  };
  await runLoad(2, { count: Math.max(0, count - hostileCount) }, index => runHostile(`hostile-${index % 2}`));
  yield {
    figure: `code node, the longest of ${hostileCount} hostile programs past its limit`,
    value: maxOverrunMs,
    unit: 'ms',
    target: { value: 1000, is: 'at most' },
    note: `${HOSTILE_CODES.length} kinds; an empty program completed before each of them; timed: the ${timedCount} during which no process started`,
  };
  if (!isShort) await sleep(IDLE_MS);
  yield {
    figure: `code node, memory of the service with its processes ${isShort ? 'right' : 'at rest'} after ${hostileCount} hostile programs`,
    value: (await readTreeMemoryMb(process.pid)) - mbBefore,
    unit: 'MB',
    target: { value: isShort ? 500 : 20, is: 'at most' },
  };
}

const ACCOUNTS = 16;
/** Computes for about half a second, and returns a megabyte. */
const BUSY_CODE =
  'export default () => { let n = 0; for (let i = 0; i < 6e6; i++) n = (n * 31 + i) % 65_521; return { out: [n, "x".repeat(1e6)] } }';

/** Measures the latency of /healthz while each account runs a code node. */
async function* measureHealth(isShort: boolean): AsyncGenerator<Row> {
  const folder = await makeFolder();
  const service = await startPlainService(folder);
  try {
    const graph = {
      name: 'busy',
      nodes: [
        node('code', 'utility:code', {
          code: BUSY_CODE,
          inputs: [],
          outputs: [{ id: 'out', type: 'JSON' }],
          timeoutMs: 30_000,
        }),
        node('out', 'output:preview'),
      ],
      edges: [edge('code.out > out.input')],
    };
    const accounts = await Promise.all(
      Array.from({ length: isShort ? 4 : ACCOUNTS }, (_, index) => createAccount(service, `code-${index}`)),
    );
    const workflows = await Promise.all(
      accounts.map(async account => ({ account, workflowId: await storeWorkflow(account, graph) })),
    );
    const healthTimes: number[] = [];
    const runAll = () =>
      Promise.all(
        workflows.map(({ account, workflowId }) => runToEnd(account, workflowId, { useCache: false })),
      );
    await runAll();
    for (let round = 0; round < (isShort ? 1 : 5); round++) {
      const stop = new AbortController();
      const health = runLoad(1, { signal: stop.signal }, async () => {
        const startMs = performance.now();
        await (await service.fetch('/healthz')).text();
        healthTimes.push(performance.now() - startMs);
        await sleep(5);
      });
      await runAll();
      stop.abort();
      await health;
    }
    yield {
      figure: `GET /healthz while ${workflows.length} accounts run a code node concurrently, slowest`,
      value: Math.max(...healthTimes),
      unit: 'ms',
      target: { value: 50, is: 'at most' },
      note: `of ${healthTimes.length}; p50 ${median(healthTimes).toFixed(1)}, p99 ${quantile(healthTimes, 0.99).toFixed(1)} ms`,
    };
  } finally {
    await service.stop();
    await removeFolder(folder);
  }
}

const createTransformProgram = (isShort: boolean) => ({
  ...LIMITS,
  code: `export default ${transform.toString()}`,
  // Short mode only proves that the program runs.
  input: JSON.stringify({ rows: makeRows(isShort ? 1000 : 100_000) }),
});

function makeRows(bytes: number): readonly InputRow[] {
  const rows: InputRow[] = [];
  for (let size = 0; size < bytes; ) {
    const row = { id: rows.length, name: `name ${(rows.length * 7919) % 10_007} of a row` };
    size += JSON.stringify(row).length + 1;
    rows.push(row);
  }
  return rows;
}

async function measure(rounds: number, call: () => Promise<void>): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const startMs = performance.now();
    await call();
    times.push(performance.now() - startMs);
  }
  return times;
}
