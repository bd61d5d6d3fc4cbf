// Counts pending work, reserved credits and this month's charges for metrics.
import { countMails, type MailCount } from '../store/mails.ts';
import { listInstanceSpendingByType } from '../store/overview.ts';
import { TASK_NAMES } from '../store/queue.ts';
import {
  type CallCount,
  countCalls,
  countJobs,
  countParkedRuns,
  countRunsUnderWay,
  JOB_STATES,
  type JobCount,
  sumReserved,
} from '../store/workload.ts';
import type { Deps } from './deps.ts';
import { getMonthStart } from './instance/overview.ts';
import { labelModel, type ModelLabels } from './model-labels.ts';

/** The tasks that people wait for. */
export const AWAITED_TASKS = TASK_NAMES;

export interface WorkCounts {
  readonly runs: Readonly<Record<'queued' | 'running' | 'waiting' | 'parked', number>>;
  /** All states of the awaited tasks, and what there is of other tasks. */
  readonly jobs: readonly JobCount[];
  readonly calls: readonly CallCount[];
  readonly mails: readonly MailCount[];
  /** Reserved credits. */
  readonly reserved: number;
  /** Charges of this month (UTC). */
  readonly spent: readonly (ModelLabels & { readonly credits: number })[];
}

const TIMEOUT_MS = 1000;

/** Returns undefined if the database does not respond in time; the reason is logged. */
export async function countWork(deps: Deps): Promise<WorkCounts | undefined> {
  const { promise: tooLate, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => {
    deps.log.warn({ timeoutMs: TIMEOUT_MS }, 'the workload could not be read in time');
    resolve(undefined);
  }, TIMEOUT_MS);
  const counts = readCounts(deps).catch((err: unknown) => {
    deps.log.warn({ err }, 'the workload could not be read');
    return undefined;
  });
  return await Promise.race([counts, tooLate]).finally(() => clearTimeout(timer));
}

/** Runs the queries one after another, so that a scrape uses at most one connection. */
async function readCounts(deps: Deps): Promise<WorkCounts> {
  const { db } = deps;
  const jobs = await countJobs(db);
  const ready = jobs.filter(({ task, state }) => task === 'run' && state === 'ready');
  const underWay = await countRunsUnderWay(db);
  const parked = await countParkedRuns(db);
  const queued = ready.reduce((sum, job) => sum + job.count, 0);
  return {
    runs: { queued, ...underWay, parked },
    jobs: addZeros(jobs),
    calls: await countCalls(db),
    mails: await countMailStates(db),
    reserved: await sumReserved(db),
    spent: await sumSpending(deps),
  };
}

/** Adds the missing states of the awaited tasks, because whoever scales by a count needs it also when it is 0. */
function addZeros(jobs: readonly JobCount[]): readonly JobCount[] {
  const isListed = (task: string, state: string): boolean =>
    jobs.some(job => job.task === task && job.state === state);
  const zeros = AWAITED_TASKS.flatMap(task =>
    JOB_STATES.filter(state => !isListed(task, state)).map(state => ({
      task,
      state,
      count: 0,
      oldest_seconds: 0,
    })),
  );
  return [...jobs, ...zeros];
}

/** More node types than a catalog has. */
const MAX_TYPES = 2000;

async function sumSpending(deps: Deps): Promise<WorkCounts['spent']> {
  const types = await listInstanceSpendingByType(deps.db, getMonthStart(deps.now()), MAX_TYPES);
  const sums = new Map<string, ModelLabels & { readonly credits: number }>();
  for (const { node_type, credits } of types) {
    const labels = labelModel(deps, node_type);
    const key = `${labels.provider} ${labels.modelClass}`;
    sums.set(key, { ...labels, credits: (sums.get(key)?.credits ?? 0) + credits });
  }
  return [...sums.values()];
}

const MAIL_GAUGES = ['waiting', 'failed', 'unconfirmed'] as const;

async function countMailStates(db: Deps['db']): Promise<readonly MailCount[]> {
  const counts = await countMails(db);
  return MAIL_GAUGES.map(state => counts.find(count => count.state === state) ?? { state, count: 0 });
}
