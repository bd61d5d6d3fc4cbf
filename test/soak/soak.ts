// Runs one soak: starts the processes, applies runs and faults as planned, waits for recovery, then checks every
// guarantee.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { applyFault } from './apply-fault.ts';
import { CHECKS, type Check, DUE_JOBS, type SoakResult } from './audit.ts';
import { createMediaCheck } from './audit-media.ts';
import { type Fleet, startFleet } from './fleet.ts';
import { type Hooks, startHooks } from './hooks.ts';
import { createPlan, type Plan, type SoakOptions } from './plan.ts';
import { type Providers, startProviders } from './providers.ts';
import { createShapes, type Shape } from './shapes.ts';
import { type Account, openAccounts, performRun, repeatStarts, type StartedRun } from './traffic.ts';

/** Counts by name. */
export type Counts = Readonly<Record<string, number>>;

export interface SoakReport {
  readonly accepted: number;
  readonly refused: Counts;
  /** The number of accepted runs whose response was received by a retry. */
  readonly replayed: number;
  readonly statuses: Counts;
  readonly errors: Counts;
  readonly faults: Counts;
  /** The retries of callers, by error. */
  readonly retries: Counts;
  readonly takeovers: Counts;
  readonly submissions: Counts;
  readonly deliveries: Counts;
  /** The number of requests with an event that the receiver had already accepted. */
  readonly duplicates: number;
  readonly logged: Counts;
  readonly loadMs: number;
  readonly settleMs: number;
  /** The violations by check. Checks without violations are absent. */
  readonly violations: Readonly<Record<string, readonly string[]>>;
}

/** Settings with which retries take seconds instead of an hour. */
const ENV = { WEBHOOK_BACKOFF_BASE_MS: '5', WEBHOOK_TIMEOUT_MS: '1000', MAX_CONCURRENT_RUNS: '60' } as const;
const SETTLE_MS = 180_000;
const POLL_MS = 200;

/** Runs the soak. The folder, which the caller removes, receives PostgreSQL's files, media and one log per process. */
export async function soak(
  options: SoakOptions & { readonly folder: string },
  print: (line: string) => void,
): Promise<SoakReport> {
  await using stack = new AsyncDisposableStack();
  const hooks = await startHooks();
  stack.defer(() => hooks.close());
  const providers = await startProviders();
  stack.defer(() => providers.close());
  const { folder, workers } = options;
  const apiRole = options.seed % 2 === 0 ? 'api' : 'all';
  const fleet = await startFleet({ folder, workers, apiRole, env: { ...ENV, ...providers.env } });
  stack.defer(() => fleet.close());
  const shapes = createShapes(hooks.url);
  const plan = createPlan(options, shapes);
  const retries = new Map<string, number>();
  const accounts = await openAccounts(fleet.url, shapes, retries);
  const startMs = performance.now();
  const [{ started, unanswered }, faults] = await Promise.all([
    startRuns(plan, accounts, shapes, hooks),
    applyFaults(plan, { fleet, providers }, print),
    changeResponseModes(plan, hooks),
  ]);
  const loadMs = performance.now() - startMs;
  print(`${started.length} runs started, ${faults.length} faults applied; waiting for open work`);
  const openWork = await settle(fleet);
  const settleMs = performance.now() - startMs - loadMs;
  const keyMismatches = await repeatStarts(started, accounts, hooks.url);
  await fleet.drain();
  const result = { fleet, providers, hooks, shapes, started };
  const postgresKills = faults.filter(kind => kind.startsWith('postgres') && kind.endsWith('kill')).length;
  const violations = await findViolations(result, {
    'all work ends': async () => openWork,
    'callers get final answers': async () => unanswered,
    'the same key finds the same run': async () => keyMismatches,
    ...CHECKS,
    'media and files match': createMediaCheck(postgresKills),
  });
  return {
    ...(await countResults(result, folder)),
    faults: countByName(faults),
    retries: Object.fromEntries(retries),
    loadMs,
    settleMs,
    violations,
  };
}

/** Returns the violations by check, without checks that found none. */
export async function findViolations(
  result: SoakResult,
  checks: Readonly<Record<string, Check>>,
): Promise<SoakReport['violations']> {
  const violations: Record<string, readonly string[]> = {};
  for (const [name, check] of Object.entries(checks)) {
    const checkViolations = await check(result);
    if (checkViolations.length > 0) violations[name] = checkViolations;
  }
  return violations;
}

export async function startRuns(
  { runs }: Plan,
  accounts: readonly Account[],
  shapes: Readonly<Record<string, Shape>>,
  hooks: Hooks,
): Promise<{ readonly started: readonly StartedRun[]; readonly unanswered: readonly string[] }> {
  const unanswered: string[] = [];
  const started = await Promise.all(
    runs.map(async plan => {
      await sleep(plan.atMs);
      const account = accounts[plan.account] as Account;
      return performRun(plan, account, shapes[plan.shape] as Shape, hooks.url).catch((err: Error) => {
        unanswered.push(`run ${plan.run}: ${err.message}`);
        return [];
      });
    }),
  );
  return { started: started.flat(), unanswered };
}

async function applyFaults(
  { faults }: Plan,
  target: { readonly fleet: Fleet; readonly providers: Providers },
  print: (line: string) => void,
): Promise<readonly string[]> {
  const applied = await Promise.all(
    faults.map(async fault => {
      await sleep(fault.atMs);
      const problem = await applyFault(target, fault);
      print(
        `${(fault.atMs / 1000).toFixed(1)} s  ${fault.kind}${problem === undefined ? '' : ` missed: ${problem}`}`,
      );
      return problem === undefined ? [fault.kind] : [];
    }),
  );
  return applied.flat();
}

async function changeResponseModes({ responseModes }: Plan, hooks: Hooks): Promise<void> {
  const startMs = performance.now();
  for (const { atMs, responseMode } of responseModes) {
    await sleep(Math.max(0, atMs - (performance.now() - startMs)));
    hooks.responseMode = responseMode;
  }
}

/** Waits until no run, provider call, event or job is open. After three minutes, returns what is still open. */
export async function settle({ db }: Pick<Fleet, 'db'>): Promise<readonly string[]> {
  const endMs = performance.now() + SETTLE_MS;
  for (;;) {
    const openWork = await db
      .query<{ kind: string; count: number }>(COUNT_OPEN_WORK)
      .then(({ rows }) => rows.filter(row => row.count > 0))
      .catch((err: Error) => [{ kind: err.message, count: 1 }]);
    if (openWork.length === 0) return [];
    if (performance.now() > endMs) return openWork.map(row => `${row.count} ${row.kind} are still open`);
    await sleep(POLL_MS);
  }
}

const COUNT_OPEN_WORK = `
select 'runs' as kind, count(*)::int as count from executions where finished_at is null
union all select 'calls', count(*)::int from calls
union all select 'events', count(*)::int from deliveries where state in ('pending', 'attempting')
union all select 'jobs', count(*)::int from ${DUE_JOBS}`;

type ResultCounts = Omit<SoakReport, 'faults' | 'retries' | 'loadMs' | 'settleMs' | 'violations'>;

async function countResults(
  { fleet, providers, hooks, started }: SoakResult,
  folder: string,
): Promise<ResultCounts> {
  const queryCounts = async (statement: string): Promise<Counts> => {
    const { rows } = await fleet.db.query<{ name: string; count: number }>(statement);
    return Object.fromEntries(rows.map(row => [row.name, row.count]));
  };
  const logged = await readLogs(folder);
  const submissions = [...providers.submissions().values()].flat();
  const duplicateCounts = [...hooks.received.values()].map(events => {
    const acceptedIndex = events.findIndex(({ isAccepted }) => isAccepted);
    return acceptedIndex < 0 ? 0 : events.length - 1 - acceptedIndex;
  });
  return {
    accepted: started.filter(({ id }) => id !== undefined).length,
    refused: countByName(started.flatMap(({ refusal }) => refusal ?? [])),
    replayed: started.filter(({ isReplayed }) => isReplayed).length,
    statuses: await queryCounts('select status as name, count(*)::int from executions group by 1 order by 1'),
    errors: await queryCounts(
      `select error::json->>'code' as name, count(*)::int from executions where error is not null group by 1 order by 1`,
    ),
    takeovers: {
      'workers considered dead': logged['a worker died; its runs were queued again'] ?? 0,
      'workers that noticed': logged['this worker was declared dead; other workers continue its runs'] ?? 0,
      ...(await queryCounts(
        `select 'nodes started again' as name, count(*)::int from execution_steps s, json_array_elements(s.steps::json) as step
         where step->>'status' = 'COMPLETED' and (step->>'attempt')::int > 1`,
      )),
    },
    submissions: countByName(submissions.map(({ provider }) => provider)),
    deliveries: {
      ...(await queryCounts('select state as name, count(*)::int from deliveries group by 1 order by 1')),
      attempts: [...hooks.received.values()].flat().length,
    },
    duplicates: duplicateCounts.reduce((sum, count) => sum + count, 0),
    logged,
  };
}

/** Counts lines of the services' logs by message. */
async function readLogs(folder: string): Promise<Counts> {
  const names = await readdir(join(folder, 'logs'));
  const texts = await Promise.all(names.map(name => readFile(join(folder, 'logs', name), 'utf8')));
  const lines = texts.flatMap(text => text.split('\n')).filter(line => line.startsWith('{'));
  // Removes ids and delays, so that equal messages are counted together.
  return countByName(
    lines.map(line => /"msg":"([^"(:']*)/.exec(line)?.[1]?.replace(/\d+.*/, '').trim() ?? 'no message'),
  );
}

function countByName(names: readonly string[]): Counts {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}
