// Runs graphile-worker: job pools for runs, deliveries and clips, and the heartbeat.
import { EventEmitter, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeWorkerUtils, type Runner, run, type TaskList, type WorkerEvents } from 'graphile-worker';
import { runAccepted } from '../lib/gate.ts';
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
  wakeRunsWithoutCalls,
} from '../runs/heartbeat.ts';
import { queueShare } from '../runs/policy.ts';
import type { WorkerSlots } from '../runs/worker-slots.ts';
import { createDeliverer } from '../services/webhooks/deliver-webhook.ts';
import { loggerOf } from './queue-tables.ts';
import { ReceivedJobs } from './received-jobs.ts';
import { type Pool, TASKS, type TaskContext } from './tasks.ts';

const MAX_CONCURRENT_DELIVERIES = 256;
const MAX_CONCURRENT_RENDERS = 2;
// Locked jobs that no task has started are returned after this long.
const LOCAL_QUEUE_TTL_MS = 60_000;
// A finished job's row may outlive it by this long; if it runs again, it finds nothing to do.
const COMPLETE_DELAY_MS = 20;

// New jobs are announced and timers wake the pools for scheduled ones, so polling only finds what others left behind.
const POLL_MS = 4000;
const ALL_JOBS = 1e9;
const HEARTBEATS_PER_CLEANUP = 6;
/** While no job is suspected to be lost. */
const HEARTBEATS_PER_JOB_CHECK = 3;
/** It reads all waiting runs. */
const HEARTBEATS_PER_RECOVERY = 60;
const RESTART_DELAY_MS = 500;
/** For a pool that failed; its active jobs continue without it. */
const LAST_WORDS_MS = 2000;
// By then active runs have had their time to end.
const STOP_MS = 20_000;
// Every commit that queues a job wakes all pools. After a fetch that found no delivery or clip, wake-ups are skipped
// for a moment, which saves a fetch for each batch of accepted runs; timers are never skipped.
const LOCAL_QUEUE = {
  runs: {},
  deliveries: { refetchDelay: { durationMs: 60, maxAbortThreshold: ALL_JOBS / 1000 } },
  // None is claimed before it can start: it may take minutes, and another worker may be idle.
  renders: { size: 2, ttl: 2000, refetchDelay: { durationMs: 1000, maxAbortThreshold: ALL_JOBS / 1000 } },
} as const satisfies Record<Pool, object>;

export interface Worker {
  /** Stops the run if this process executes it. */
  cancel(executionId: string): void;
  /** Notifies the run that provider tasks of it have ended, if this process executes it. */
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
  const utils = await makeWorkerUtils({ pgPool: deps.runDb.pool, logger: loggerOf(deps.log) });
  stack.defer(() => utils.release());
  const queue: QueueState = {
    ids: [],
    received: new ReceivedJobs(),
    unlock: dead => utils.forceUnlockWorkers([...dead]),
  };
  const pools: RunningPool[] = [];
  for (const [pool, concurrency] of poolsOf(slots)) {
    const running = await runPool(ctx, pool, concurrency, queue);
    stack.defer(() => running.stop());
    pools.push(running);
  }
  // If the start fails, jobs that were already claimed would wait forever.
  registered.promise.catch(() => undefined);
  stack.defer(() => registered.reject(new Error('The worker did not start.')));
  slots.open(await registerWorker(deps, queue.ids));
  registered.resolve();
  const heartbeat = await startHeartbeat(deps, slots, queue);
  stack.defer(() => clearInterval(heartbeat));
  stack.defer(startPolling(deps));
  const running = stack.move();
  return {
    wake: executionId => slots.runs.get(executionId)?.wake(),
    cancel: executionId => slots.runs.get(executionId)?.stop('cancelled'),
    async stop(graceMs) {
      await using _ = running;
      await drain(deps, slots, pools, stopping, graceMs);
      clearInterval(heartbeat);
      await removeWorker(deps, slots.workerId);
    },
  };
}

/** State shared by the pools of this process. */
interface QueueState {
  /** The worker ids that lock their jobs. */
  readonly ids: string[];
  readonly received: ReceivedJobs;
  readonly unlock: (dead: readonly string[]) => Promise<void>;
}

const poolsOf = (slots: WorkerSlots): readonly (readonly [Pool, number])[] => [
  ['runs', queueShare(slots.capacity)],
  ['deliveries', MAX_CONCURRENT_DELIVERIES],
  ['renders', MAX_CONCURRENT_RENDERS],
];

/**
 * Sends the first heartbeat at once, because it lets the runs of the previous process continue, and then periodically.
 */
async function startHeartbeat(
  deps: RunDeps,
  slots: WorkerSlots,
  { ids, received, unlock }: QueueState,
): Promise<NodeJS.Timeout> {
  let beats = 0;
  const tick = async (): Promise<void> => {
    await sendHeartbeat(deps, slots, ids, unlock);
    if (received.hasSuspects || beats % HEARTBEATS_PER_JOB_CHECK === 0)
      await unlockLostJobs(deps, ids, locked => received.findLost(locked));
    if (beats % HEARTBEATS_PER_CLEANUP === 0) await unlockOrphanPools(deps, unlock);
    if (beats++ % HEARTBEATS_PER_RECOVERY === 0) await wakeRunsWithoutCalls(deps);
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

/** Starts polling providers for tasks that are due; returns a function that stops it. */
function startPolling(deps: RunDeps): () => Promise<void> {
  const polling = new AbortController();
  const polled = pollCalls(deps, polling.signal);
  return async () => {
    polling.abort();
    await polled;
  };
}

/** Claims no more jobs and waits for active ones: `graceMs` for them to finish, then until they are released. */
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
  /** Resolves when it claims no more jobs and its active ones have ended. */
  stop(): Promise<void>;
}

/**
 * Keeps a queue pool running. A pool that cannot record in PostgreSQL how a job ended stops permanently; then its jobs
 * are unlocked and a new pool replaces it.
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
    const next = await startPool(ctx, pool, concurrency, received);
    ids.splice(ids.indexOf(life.id), 1, next.id);
    life = next;
  };
  const stop = (): void => {
    isStopping = true;
    // It rejects if it has already stopped.
    life.runner.stop().catch(() => undefined);
  };
  const keep = async (): Promise<void> => {
    for (;;) {
      await life.ended;
      if (isStopping) return;
      log.error({ pool }, 'the queue stopped by itself; it is started again');
      await sleep(RESTART_DELAY_MS);
      await replace().catch((err: unknown) => log.error({ err, pool }, 'the queue could not be started'));
      if (isStopping) stop();
    }
  };
  const ended = keep();
  return {
    async stop() {
      stop();
      // The heartbeat keeps the process alive instead.
      await Promise.race([ended, sleep(STOP_MS, undefined, { ref: false })]);
    },
  };
}

interface PoolLife {
  readonly runner: Runner;
  /** Resolves when it is fully stopped. */
  readonly ended: Promise<void>;
  /** The worker id that locks its jobs. */
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
    logger: loggerOf(ctx.deps.log),
    events,
    taskList: taskListOf(ctx, pool),
    crontab: crontabOf(pool),
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
  const whole = runner.promise.catch((err: unknown) => ctx.deps.log.error({ err, pool }, 'the queue failed'));
  // A failed pool may wait forever for its own batches (graphile-worker 0.18, pending count of a batch).
  const broken = failed.then(async () => {
    await sleep(LAST_WORDS_MS);
    runner.stop().catch(() => undefined);
  });
  return { runner, ended: Promise.race([whole, broken]), id };
}

/** A day without any worker is not caught up: what it would have swept is swept the next day. */
function crontabOf(pool: Pool): string {
  const rows = Object.entries(TASKS).filter(([, task]) => task.pool === pool);
  return rows
    .flatMap(([name, { daily: at }]) =>
      at === undefined ? [] : [`${at.minute} ${at.hour} * * * ${name} ?max=3`],
    )
    .join('\n');
}

function taskListOf(ctx: TaskContext, pool: Pool): TaskList {
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

/** The queue retries a job 25 times, over days. */
function onJobExhausted(deps: RunDeps, { task_identifier: task, payload }: FailedJob): void {
  deps.log.error({ task, payload }, 'a job failed for good');
  if (task !== 'run') return;
  const { id } = payload as { readonly id: string };
  failAbandonedRun(deps, id).catch((err: unknown) =>
    deps.log.error({ err, executionId: id }, 'a run could not be ended'),
  );
}
