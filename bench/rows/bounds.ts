// Measures another account's runs during an attack: a free account starts 50 runs whose output exceeds the limit.
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { createJoinGraph } from '../../test/support/workflows.ts';
import { THREE_NODES } from '../graphs.ts';
import { type LoadResult, median, quantile, runLoad } from '../load.ts';
import type { Row } from '../row.ts';
import {
  type Account,
  type BenchService,
  createAccount,
  execute,
  makeFolder,
  readMemoryMb,
  removeFolder,
  startBenchService,
  storeWorkflow,
} from '../service.ts';

const HOSTILE_RUNS = 50;
const HEAP_MB = 1000;
/** The number of connections of the other account. */
const CONNECTIONS = 4;
const SAMPLE_MS = 20;
const POLL_MS = 100;

/** A graph with 40 nodes, each of which outputs 99 MB of text. */
const HUGE_GRAPH = { name: 'huge', ...createJoinGraph(100, 40) };

export async function* runBoundsRows(isShort: boolean): AsyncGenerator<Row> {
  const folder = await makeFolder();
  const service = await startBenchService(folder, {
    MAX_CONCURRENT_RUNS: undefined,
    // V8 aborts the process above this limit.
    NODE_OPTIONS: `--max-old-space-size=${HEAP_MB}`,
  });
  const pool = new Pool(service.url, { connections: CONNECTIONS, pipelining: 1 });
  try {
    const workflowId = await storeWorkflow(service, THREE_NODES);
    const attacker = await createAccount(service, 'attacker');
    const hugeWorkflowId = await storeWorkflow(attacker, HUGE_GRAPH);
    const runOne = async (): Promise<void> => {
      const status = await execute(pool, workflowId);
      if (status !== 200) throw new Error(`A run of the other account did not end: status ${status}.`);
    };
    await runLoad(CONNECTIONS, { count: isShort ? 8 : 500 }, runOne);
    const rounds: Round[] = [];
    // The measurements alternate, so that other load affects both.
    for (let round = 0; round < (isShort ? 1 : 3); round++)
      rounds.push(await measureRound(service, { attacker, hugeWorkflowId, runOne, isShort }));
    yield* createRows(rounds);
  } finally {
    await pool.close();
    await service.stop();
    await removeFolder(folder);
  }
}

interface Round {
  /** The other account's runs before the attack. */
  readonly before: Pace;
  readonly duringAttack: Pace;
  /** The time from the first hostile run to the end of the last one. */
  readonly attackMs: number;
  readonly peakMb: number;
}

interface Pace {
  readonly perSecond: number;
  readonly p95: number;
}

interface RoundOptions {
  readonly attacker: Account;
  readonly hugeWorkflowId: string;
  readonly runOne: () => Promise<void>;
  readonly isShort: boolean;
}

async function measureRound(
  service: BenchService,
  { attacker, hugeWorkflowId, runOne, isShort }: RoundOptions,
): Promise<Round> {
  const before = await runLoad(CONNECTIONS, { ms: isShort ? 200 : 3000 }, runOne);
  const memory = watchMemory(service.pid);
  const stop = new AbortController();
  const startMs = performance.now();
  const hugeRunIds = startHugeRuns(attacker, hugeWorkflowId, isShort ? 3 : HOSTILE_RUNS);
  const attackMs = hugeRunIds
    .then(ids => waitUntilFailed(attacker, ids))
    .then(() => performance.now() - startMs)
    .finally(() => stop.abort());
  const duringAttack = await runLoad(CONNECTIONS, { signal: stop.signal }, runOne);
  const round = {
    before: toPace(before),
    duringAttack: toPace(duringAttack),
    attackMs: await attackMs,
    peakMb: await memory.stop(),
  };
  for (const id of await hugeRunIds) await requireTooLarge(attacker, id);
  return round;
}

const toPace = ({ callCount, seconds, latencies }: LoadResult): Pace => ({
  perSecond: callCount / seconds,
  p95: quantile(latencies, 0.95),
});

function startHugeRuns(attacker: Account, workflowId: string, count: number): Promise<readonly string[]> {
  const start = async (): Promise<string> => {
    const path = `/api/v1/workflows/${workflowId}/run`;
    const response = await attacker.fetch(path, { method: 'POST', body: '{}' });
    if (response.status !== 202) throw new Error(`A hostile run was refused: ${await response.text()}`);
    return ((await response.json()) as { executionId: string }).executionId;
  };
  return Promise.all(Array.from({ length: count }, start));
}

async function waitUntilFailed(attacker: Account, ids: readonly string[]): Promise<void> {
  for (;;) {
    const response = await attacker.fetch(`/api/v1/executions?limit=200&status=FAILED`);
    const { data } = (await response.json()) as { data: readonly { id: string }[] };
    const failedIds = new Set(data.map(({ id }) => id));
    if (ids.every(id => failedIds.has(id))) return;
    await sleep(POLL_MS);
  }
}

/** Throws if the run did not fail with the expected error, or if its record cannot be read. */
async function requireTooLarge(attacker: Account, id: string): Promise<void> {
  const response = await attacker.fetch(`/api/v1/executions/${id}`);
  const record = (await response.json()) as { error?: { code: string }; nodeStates?: readonly unknown[] };
  if (record.error?.code !== 'run_output_too_large' || record.nodeStates?.length !== HUGE_GRAPH.nodes.length)
    throw new Error(`The record of a hostile run: ${response.status} ${JSON.stringify(record.error)}`);
}

/** Samples the resident memory of the process, without PostgreSQL. `stop` returns the peak in MB. */
function watchMemory(pid: number): { stop(): Promise<number> } {
  let peakMb = 0;
  const stop = new AbortController();
  const watch = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      peakMb = Math.max(peakMb, await readMemoryMb(pid));
      await sleep(SAMPLE_MS);
    }
  };
  const watching = watch();
  return {
    async stop() {
      stop.abort();
      await watching;
      return peakMb;
    },
  };
}

function* createRows(rounds: readonly Round[]): Generator<Row> {
  const ratio = median(rounds.map(({ before, duringAttack }) => duringAttack.perSecond / before.perSecond));
  const list = (getValue: (round: Round) => number): string =>
    rounds.map(round => getValue(round).toFixed(0)).join(', ');
  yield {
    figure: `runs of one account while a free account starts ${HOSTILE_RUNS} that exceed their limit, as a share of its pace before`,
    value: ratio,
    unit: 'of 1',
    target: { value: 0.8, is: 'at least' },
    note: `runs/s before ${list(round => round.before.perSecond)}; during ${list(round => round.duringAttack.perSecond)}; p95 in ms before ${list(round => round.before.p95)}; during ${list(round => round.duringAttack.p95)}; the attack took ${list(round => round.attackMs)} ms; all ended as run_output_too_large, with readable records`,
  };
  yield {
    figure: `peak memory of the process during these runs (RSS), with a heap limit of ${HEAP_MB} MB`,
    value: Math.max(...rounds.map(({ peakMb }) => peakMb)),
    unit: 'MB',
    target: { value: 1000, is: 'at most' },
  };
}
