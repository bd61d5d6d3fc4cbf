// Runs graphile-worker: the job pools for runs, deliveries and renders, and the heartbeat.
import { EventEmitter, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeWorkerUtils, type Runner, run, type TaskList, type WorkerEvents } from 'graphile-worker';
import { startClock } from '../automation/schedules/clock.ts';
import { runAccepted } from '../lib/limiter.ts';
import { pollCalls } from '../runs/calls/poller.ts';
import type { RunDeps } from '../runs/deps.ts';
import { failAbandonedRun } from '../runs/end-run.ts';
import {
  HEARTBEAT_MS,
  registerWorker,
  removeWorker,
  sendHeartbeat,
  unlockLostJobs,
  unlockOrphanPools,
  unlockPools,
  wakeRunsWithoutCalls,
} from '../runs/heartbeat.ts';
import { getQueueShare } from '../runs/policy.ts';
import type { WorkerSlots } from '../runs/worker-slots.ts';
import { createDeliverer } from '../services/webhooks/deliver-webhook.ts';
import { createQueueLogger } from './queue-tables.ts';
import { ReceivedJobs } from './received-jobs.ts';
import { type Pool, TASKS, type TaskContext } from './tasks.ts';

const MAX_CONCURRENT_DELIVERIES = 256;
const MAX_CONCURRENT_RENDERS = 2;
// Locked jobs that no task has started are returned after this long.
const LOCAL_QUEUE_TTL_MS = 60_000;
// The row of a finished job may be deleted this much later. If the job runs again, it finds nothing to do.
const COMPLETE_DELAY_MS = 20;

// Notifications and timers wake the pools, so polling only finds jobs that other processes left behind.
const POLL_MS = 4000;
const ALL_JOBS = 1e9;
const HEARTBEATS_PER_CLEANUP = 6;
/** While no job is suspected to be lost. */
const HEARTBEATS_PER_JOB_CHECK = 3;
/** The recovery is rare because it reads all waiting runs. */
const HEARTBEATS_PER_RECOVERY = 60;
const RESTART_DELAY_MS = 500;
/** How long a failed pool may take to stop. Its active jobs continue without it. */
const FAILED_POOL_GRACE_MS = 2000;
// By then, active runs have had time to end.
const STOP_MS = 20_000;
// Every commit that queues a job wakes all pools. After a fetch that found no delivery or render, wake-ups are ignored
// for a moment, which saves a fetch for each batch of accepted runs. Timers are never ignored.
const LOCAL_QUEUE = {
  runs: {},
  deliveries: { refetchDelay: { durationMs: 60, maxAbortThreshold: ALL_JOBS / 1000 } },
  // A render takes minutes, so it is claimed only when it can start, and otherwise left to idle workers.
  renders: { size: 2, ttl: 2000, refetchDelay: { durationMs: 1000, maxAbortThreshold: ALL_JOBS / 1000 } },
} as const satisfies Record<Pool, object>;

export interface Worker {
  /** Stops the run if this process executes it. */
  cancel(executionId: string): void;
  /** Notifies the run that some of its provider tasks have ended, if this process executes it. */
  wake(executionId: string): void;
  /** Claims no more jobs, gives active ones `graceMs` to finish, then returns them to the queue. */
  stop(graceMs: number): Promise<void>;
}

export async function startWorker(deps: RunDeps, slots: WorkerSlots): Promise<Worker> {
  const stopping = new AbortController();
  const registered = Promise.withResolvers<void>();
  const ctx: TaskContext = {
    deps,
    slots,
    deliverer: createDeliverer(deps),
    signal: stopping.signal,
    registered: registered.promise,
  };
  await using stack = new AsyncDisposableStack();
  const utils = await makeWorkerUtils({ pgPool: deps.runDb.pool, logger: createQueueLogger(deps.log) });
  stack.defer(() => utils.release());
  const queue: QueueState = {
    ids: [],
    received: new ReceivedJobs(),
    unlock: dead => unlockPools(deps, pools => utils.forceUnlockWorkers([...pools]), dead),
  };
  const pools: RunningPool[] = [];
  for (const [pool, concurrency] of listPools(slots)) {
    const runningPool = await runPool(ctx, pool, concurrency, queue);
    stack.defer(() => runningPool.stop());
    pools.push(runningPool);
  }
  // If the start fails, rejecting ends jobs that were already claimed and would wait forever.
  registered.promise.catch(() => undefined);
  stack.defer(() => registered.reject(new Error('The worker did not start.')));
  slots.open(await registerWorker(deps, queue.ids));
  registered.resolve();
  const heartbeat = await startHeartbeat(deps, slots, queue);
  stack.defer(() => clearInterval(heartbeat));
  stack.defer(startPolling(deps));
  stack.defer(startClock(deps));
  const resources = stack.move();
  return {
    wake: executionId => slots.runs.get(executionId)?.wake(),
    cancel: executionId => slots.runs.get(executionId)?.stop('cancelled'),
    async stop(graceMs) {
      await using _ = resources;
      await drain(deps, slots, pools, stopping, graceMs);
      clearInterval(heartbeat);
      await removeWorker(deps, slots.workerId);
    },
  };
}

/** State shared by the pools of this process. */
interface QueueState {
  /** The queue's worker ids of the pools, which lock jobs. */
  readonly ids: string[];
  readonly received: ReceivedJobs;
  readonly unlock: (dead: readonly string[]) => Promise<void>;
}

const listPools = (slots: WorkerSlots): readonly (readonly [Pool, number])[] => [
  ['runs', getQueueShare(slots.capacity)],
  ['deliveries', MAX_CONCURRENT_DELIVERIES],
  ['renders', MAX_CONCURRENT_RENDERS],
];

/**
 * Sends the first heartbeat immediately, so that the runs of the previous process continue, and then periodically.
 */
async function startHeartbeat(
  deps: RunDeps,
  slots: WorkerSlots,
  { ids, received, unlock }: QueueState,
): Promise<NodeJS.Timeout> {
  let beatCount = 0;
  const tick = async (): Promise<void> => {
    await sendHeartbeat(deps, slots, ids, unlock);
    if (received.hasSuspects || beatCount % HEARTBEATS_PER_JOB_CHECK === 0)
      await unlockLostJobs(deps, ids, locked => received.findLost(locked));
    if (beatCount % HEARTBEATS_PER_CLEANUP === 0) await unlockOrphanPools(deps, unlock);
    if (beatCount++ % HEARTBEATS_PER_RECOVERY === 0) await wakeRunsWithoutCalls(deps);
  };
  await tick();
  let isBeating = false;
  return setInterval(() => {
    if (isBeating) return;
    isBeating = true;
    tick()
      .catch((err: unknown) => deps.log.error({ err }, 'a heartbeat failed'))
      .finally(() => {
        isBeating = false;
      });
  }, HEARTBEAT_MS);
}

/** Starts polling providers. Returns a function that stops it. */
function startPolling(deps: RunDeps): () => Promise<void> {
  const polling = new AbortController();
  const polled = pollCalls(deps, polling.signal);
  return async () => {
    polling.abort();
    await polled;
  };
}

/** Stops claiming jobs and waits for active ones: `graceMs` for them to finish, then until they are released. */
async function drain(
  deps: RunDeps,
  slots: WorkerSlots,
  pools: readonly RunningPool[],
  stopping: AbortController,
  graceMs: number,
): Promise<void> {
  const release = setTimeout(() => {
    stopping.abort();
    for (const { stop } of slots.runs.values()) stop('released');
  }, graceMs);
  slots.close();
  deps.wakeTimers.close();
  await Promise.all(pools.map(pool => pool.stop()));
  await Promise.all([...slots.runs.values()].map(({ ended }) => ended));
  clearTimeout(release);
}

interface RunningPool {
  /** Stops claiming jobs. Resolves when the active ones have ended. */
  stop(): Promise<void>;
}

/**
 * Keeps a queue pool running. A pool that cannot record the end of a job in PostgreSQL stops permanently. Its jobs are
 * then unlocked, and a new pool replaces it.
 */
async function runPool(
  ctx: TaskContext,
  pool: Pool,
  concurrency: number,
  { ids, received, unlock }: QueueState,
): Promise<RunningPool> {
  const { log } = ctx.deps;
  let life = await startPool(ctx, pool, concurrency, received);
  let isStopping = false;
  ids.push(life.id);
  const replace = async (): Promise<void> => {
    await unlock([life.id]);
    const nextLife = await startPool(ctx, pool, concurrency, received);
    ids.splice(ids.indexOf(life.id), 1, nextLife.id);
    life = nextLife;
  };
  const stop = (): void => {
    isStopping = true;
    // Rejects if the pool has already stopped.
    life.runner.stop().catch(() => undefined);
  };
  const keepRunning = async (): Promise<void> => {
    for (;;) {
      await life.ended;
      if (isStopping) return;
      log.error({ pool }, 'the queue stopped by itself; it is started again');
      await sleep(RESTART_DELAY_MS);
      await replace().catch((err: unknown) => log.error({ err, pool }, 'the queue could not be started'));
      if (isStopping) stop();
    }
  };
  const ended = keepRunning();
  return {
    async stop() {
      stop();
      // The timer is unreferenced, because the heartbeat already keeps the process alive.
      await Promise.race([ended, sleep(STOP_MS, undefined, { ref: false })]);
    },
  };
}

interface PoolLife {
  readonly runner: Runner;
  /** Resolves when the pool has stopped. */
  readonly ended: Promise<void>;
  /** The queue's worker id, which locks the pool's jobs. */
  readonly id: string;
}

async function startPool(
  ctx: TaskContext,
  pool: Pool,
  concurrency: number,
  received: ReceivedJobs,
): Promise<PoolLife> {
  const events: WorkerEvents = new EventEmitter();
  const failed = once(events, 'pool:fatalError');
  let id = '';
  events.on('pool:create', ({ workerPool }) => {
    id = workerPool.id;
    ctx.deps.wakeTimers.listen(pool, () => workerPool.nudge(ALL_JOBS));
  });
  events.on('job:failed', ({ job }) => onJobExhausted(ctx.deps, job));
  events.on('localQueue:getJobs:complete', ({ jobs }) => received.add(jobs));
  events.on('localQueue:returnJobs', ({ jobs }) => received.remove(jobs));
  events.on('job:complete', ({ job }) => received.remove([job]));
  const runner = await run({
    pgPool: ctx.deps.runDb.pool,
    logger: createQueueLogger(ctx.deps.log),
    events,
    taskList: toTaskList(ctx, pool),
    crontab: toCrontab(pool),
    noHandleSignals: true,
    preset: {
      worker: {
        concurrentJobs: concurrency,
        pollInterval: POLL_MS,
        localQueue: { size: concurrency * 2, ttl: LOCAL_QUEUE_TTL_MS, ...LOCAL_QUEUE[pool] },
        completeJobBatchDelay: COMPLETE_DELAY_MS,
        failJobBatchDelay: COMPLETE_DELAY_MS,
      },
    },
  });
  const stopped = runner.promise.catch((err: unknown) =>
    ctx.deps.log.error({ err, pool }, 'the queue failed'),
  );
  // A failed pool may wait forever for its own batches (graphile-worker 0.18).
  const failedFully = failed.then(async () => {
    await sleep(FAILED_POOL_GRACE_MS);
    runner.stop().catch(() => undefined);
  });
  return { runner, ended: Promise.race([stopped, failedFully]), id };
}

/** Returns the crontab of a pool. A daily task that no worker ran is not caught up: it runs the next day. */
function toCrontab(pool: Pool): string {
  const rows = Object.entries(TASKS).filter(([, task]) => task.pool === pool);
  return rows
    .flatMap(([name, { daily: at }]) =>
      at === undefined ? [] : [`${at.minute} ${at.hour} * * * ${name} ?max=3`],
    )
    .join('\n');
}

function toTaskList(ctx: TaskContext, pool: Pool): TaskList {
  const rows = Object.entries(TASKS).filter(([, task]) => task.pool === pool);
  return Object.fromEntries(
    rows.map(([name, task]) => [
      name,
      async (payload: unknown) => {
        await ctx.registered;
        await runAccepted(() => task.work(ctx, (payload as { readonly id: string }).id));
      },
    ]),
  );
}

interface FailedJob {
  readonly task_identifier: string;
  readonly payload: unknown;
}

/** Fails the run of a job that the queue gives up, after 25 attempts over several days. */
function onJobExhausted(deps: RunDeps, { task_identifier: task, payload }: FailedJob): void {
  deps.log.error({ task, payload }, 'a job failed for good');
  if (task !== 'run') return;
  const { id } = payload as { readonly id: string };
  failAbandonedRun(deps, id).catch((err: unknown) =>
    deps.log.error({ err, executionId: id }, 'a run could not be ended'),
  );
}
