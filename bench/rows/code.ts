// Measures programs of code nodes: an empty program, a transform of 100 KB of JSON compared with Node, harmless programs next
// to hostile ones, and the service's latency while many accounts run programs.
import { subscribe } from 'node:diagnostics_channel';
import { setTimeout as sleep } from 'node:timers/promises';
import { runProgram } from '../../src/sandbox/run-program.ts';
import { HOSTILE_PROGRAMS } from '../../test/sandbox/hostile-programs.ts';
import { edge, node } from '../../test/support/workflows.ts';
import { load, median, quantile } from '../load.ts';
import type { Row } from '../row.ts';
import {
  type Account,
  createAccount,
  makeFolder,
  memoryOfTree,
  removeFolder,
  startPlainService,
} from '../service.ts';
import { store } from './run.ts';

const signal = new AbortController().signal;
const LIMITS = { timeoutMs: 5000, memoryMb: 64 };

/** Maps, filters, sorts and groups. The benchmark runs this function directly, and its source as a program. */
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
  // The first program starts the process.
  await runProgram(EMPTY, { account: 'bench', signal });
  const emptyMs = await measure(
    rounds,
    async () => void (await runProgram(EMPTY, { account: 'bench', signal })),
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
  yield* measureHostile(isShort);
  yield* measureHealth(isShort);
}

const EMPTY = { ...LIMITS, code: 'export default () => ({})', input: '{}' };
const HOSTILE_LIMITS = { timeoutMs: 100, memoryMb: 32 };
const HOSTILE_CODES = Object.values(HOSTILE_PROGRAMS).map(([code]) => code);
/** Longer than the 20 s after which the pool ends idle processes. */
const AT_REST_MS = 25_000;

/** Runs harmless programs next to the hostile ones of another account, and then hostile programs of two accounts. */
async function* measureHostile(isShort: boolean): AsyncGenerator<Row> {
  const count = isShort ? 12 : 10_000;
  const honest = {
    ...LIMITS,
    code: `export default ${transform.toString()}`,
    input: JSON.stringify({ rows: makeRows(100_000) }),
  };
  const runHonest = () => runProgram(honest, { account: 'honest', signal });
  const before = await memoryOfTree(process.pid);
  let next = 0;
  let overLimitMs = 0;
  let timed = 0;
  let processes = 0;
  subscribe('child_process', () => processes++);
  const runHostile = async (account: string): Promise<void> => {
    const code = HOSTILE_CODES[next++ % HOSTILE_CODES.length] ?? '';
    // Starts a process if the last program ended one, and shows that the last program left nothing behind.
    const empty = await runProgram(EMPTY, { account, signal });
    if ('error' in empty) throw new Error(`A program after a hostile one failed: ${empty.error.message}`);
    const startMs = performance.now();
    const processesBefore = processes;
    const result = await runProgram({ ...HOSTILE_LIMITS, code, input: '{}' }, { account, signal });
    // The start of a process, which is replaced after 200 programs, does not count.
    if (processes === processesBefore) {
      timed++;
      overLimitMs = Math.max(overLimitMs, performance.now() - startMs - HOSTILE_LIMITS.timeoutMs);
    }
    if (!('error' in result)) throw new Error(`A hostile program returned: ${code}`);
  };
  const alone: number[] = [];
  const beside: number[] = [];
  // The first programs start both processes.
  await Promise.all([runHonest(), runHostile('hostile-0')]);
  // The measurements alternate, so that other load affects both.
  for (let round = 0; round < (isShort ? 1 : 10); round++) {
    alone.push(...(await load(1, { count: isShort ? 4 : 100 }, runHonest)).latencies);
    const isOver = new AbortController();
    const attack = load(1, { signal: isOver.signal }, () => runHostile('hostile-0'));
    beside.push(...(await load(1, { count: isShort ? 4 : 100 }, runHonest)).latencies);
    isOver.abort();
    await attack;
  }
  const [aloneP95, besideP95] = [alone, beside].map(times =>
    quantile(
      times.toSorted((a, b) => a - b),
      0.95,
    ),
  ) as [number, number];
  yield {
    figure: 'code node, p95 of a transform while another account runs hostile programs',
    value: besideP95 / aloneP95,
    unit: 'of its p95 alone',
    target: { value: 1.5, is: 'at most' },
    note: `alone ${aloneP95.toFixed(1)} ms, beside ${besideP95.toFixed(1)} ms; p50 ${median(alone).toFixed(1)} and ${median(beside).toFixed(1)} ms`,
  };
  await load(2, { count: Math.max(0, count - next) }, index => runHostile(`hostile-${index % 2}`));
  yield {
    figure: `code node, the longest of ${next} hostile programs past its limit`,
    value: overLimitMs,
    unit: 'ms',
    target: { value: 1000, is: 'at most' },
    note: `${HOSTILE_CODES.length} kinds; an empty program completed before each of them; timed: the ${timed} during which no process started`,
  };
  if (!isShort) await sleep(AT_REST_MS);
  yield {
    figure: `code node, memory of the service with its processes ${isShort ? 'right' : 'at rest'} after ${next} hostile programs`,
    value: (await memoryOfTree(process.pid)) - before,
    unit: 'MB',
    target: { value: isShort ? 500 : 20, is: 'at most' },
  };
}

const ACCOUNTS = 16;
/** Computes for about half a second, and returns a megabyte. */
const BUSY =
  'export default () => { let n = 0; for (let i = 0; i < 6e6; i++) n = (n * 31 + i) % 65_521; return { out: [n, "x".repeat(1e6)] } }';

/** Measures the latency of /healthz while 16 accounts run a code node each. */
async function* measureHealth(isShort: boolean): AsyncGenerator<Row> {
  const folder = await makeFolder();
  const service = await startPlainService(folder);
  try {
    const graph = {
      name: 'busy',
      nodes: [
        node('code', 'utility:code', {
          code: BUSY,
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
    const runs = await Promise.all(
      accounts.map(async account => ({ account, id: await store(account, graph) })),
    );
    const latencies: number[] = [];
    const runAll = () => Promise.all(runs.map(({ account, id }) => runToEnd(account, id)));
    await runAll();
    for (let round = 0; round < (isShort ? 1 : 5); round++) {
      const isOver = new AbortController();
      const health = load(1, { signal: isOver.signal }, async () => {
        const startMs = performance.now();
        await (await service.fetch('/healthz')).text();
        latencies.push(performance.now() - startMs);
        await sleep(5);
      });
      await runAll();
      isOver.abort();
      await health;
    }
    const sorted = latencies.toSorted((a, b) => a - b);
    yield {
      figure: `GET /healthz while ${runs.length} accounts run a code node at once, slowest`,
      value: sorted.at(-1) ?? Number.NaN,
      unit: 'ms',
      target: { value: 50, is: 'at most' },
      note: `of ${sorted.length}; p50 ${quantile(sorted, 0.5).toFixed(1)}, p99 ${quantile(sorted, 0.99).toFixed(1)} ms`,
    };
  } finally {
    await service.stop();
    await removeFolder(folder);
  }
}

async function runToEnd(account: Account, workflowId: string): Promise<void> {
  const response = await account.fetch(`/api/v1/workflows/${workflowId}/run`, {
    method: 'POST',
    headers: { prefer: 'wait=60' },
    body: JSON.stringify({ useCache: false }),
  });
  const { status } = (await response.json()) as { status?: string };
  if (status !== 'COMPLETED') throw new Error(`A run of a code node ended as ${status ?? response.status}.`);
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
