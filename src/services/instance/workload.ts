// Reports plans, workers and pending work for administrators.
import { Type } from 'typebox';
import {
  countJobs,
  countRunsUnderWay,
  findOldestReadyRun,
  JOB_STATES,
  listWorkers,
} from '../../store/workload.ts';
import { type Actor, requireScope } from '../accounts/actor.ts';
import type { Deps } from '../deps.ts';
import { presentColumns } from '../present-columns.ts';
import { Named, Nullable, Timestamp } from '../schema.ts';

const Count = Type.Integer({ minimum: 0 });

export const WorkloadResponse = Named('Workload', 'Pending work, and the workers', {
  runs: Type.Object({
    queued: Type.Integer({ minimum: 0, description: 'Ready, waiting for a worker' }),
    running: Type.Integer({ minimum: 0, description: 'Running on a worker' }),
    waiting: Type.Integer({ minimum: 0, description: 'Waiting for a provider' }),
  }),
  oldestQueuedSeconds: Nullable(Type.Integer({ minimum: 0 })),
  jobs: Type.Array(Type.Object({ task: Type.String(), state: Type.Enum(JOB_STATES), count: Count })),
  workers: Type.Array(
    Type.Object({
      id: Type.String(),
      hostname: Type.String(),
      pid: Type.Integer(),
      startedAt: Timestamp,
      heartbeatAt: Timestamp,
      isAlive: Type.Boolean({ description: 'Whether it sent a heartbeat within 20 s' }),
      runs: Count,
    }),
  ),
});

/** Reads the workload. Throws 401 without the scope `instance:admin`. */
export async function readWorkload({ db, timing, now }: Pick<Deps, 'db' | 'timing' | 'now'>, actor: Actor) {
  requireScope(actor, 'instance:admin');
  const [jobs, underWay, oldest, workers] = await Promise.all([
    countJobs(db),
    countRunsUnderWay(db),
    findOldestReadyRun(db),
    listWorkers(db, timing.takeoverMs),
  ]);
  const queued = jobs.filter(({ task, state }) => task === 'run' && state === 'ready');
  return {
    runs: { queued: queued.reduce((sum, { count }) => sum + count, 0), ...underWay },
    oldestQueuedSeconds:
      oldest === undefined ? null : Math.max(0, Math.round((now() - oldest.getTime()) / 1000)),
    jobs: jobs.map(job => presentColumns(job, 'task state count')),
    workers: workers.map(worker =>
      presentColumns(worker, 'id hostname pid started_at heartbeat_at is_alive runs'),
    ),
  };
}

export const PlansResponse = Named('Plans', 'The available plans', {
  plans: Type.Array(
    Type.Object({
      name: Type.String(),
      requestsPerMinute: Count,
      executionsPerMinute: Count,
      executionsPerDay: Nullable(Count),
      storageBytes: Nullable(Count),
      runsUnpriced: Type.Boolean({ description: 'Whether runs may call models without a price' }),
      isDefault: Type.Boolean({ description: 'Whether new accounts get this plan by default' }),
    }),
  ),
  newAccountCredits: Type.Integer({
    minimum: 0,
    description: 'Starting balance of new accounts, unless set otherwise',
  }),
});

/** Lists the plans. Throws 401 without the scope `instance:admin`. */
export function listPlans({ settings }: Pick<Deps, 'settings'>, actor: Actor) {
  requireScope(actor, 'instance:admin');
  const plans = Object.entries(settings.plans)
    // `anonymous` is the plan of callers without an account.
    .filter(([name]) => name !== 'anonymous')
    .map(([name, limits]) => ({
      name,
      runsUnpriced: false,
      ...limits,
      isDefault: name === settings.DEFAULT_PLAN,
    }));
  return { plans, newAccountCredits: settings.DEFAULT_CREDITS };
}
