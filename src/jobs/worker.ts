// Runs a worker: the pools of graphile-worker for runs, background jobs and renders, the polling of providers, the clock of
// schedules, and the heartbeat.
import { EventEmitter, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeWorkerUtils, type Runner, run, type TaskList, type WorkerEvents } from 'graphile-worker';
import { startClock } from '../automation/schedules/clock.ts';
import type { Timing } from '../lib/timing.ts';
import { runAccepted, SERVICE } from '../lib/work.ts';
import { pollCalls } from '../runs/calls/poller.ts';
import { createServerEvents } from '../runs/calls/server-events.ts';
import type { RunDeps } from '../runs/deps.ts';
import { endAbandonedRun } from '../runs/end/end-run.ts';
import {
  registerWorker,
  releasePools,
  removeWorker,
  sendHeartbeat,
  unlockLostJobs,
  unlockOrphanPools,
  wakeRunsWithoutCalls,
} from '../runs/execute/heartbeat.ts';
import { countQueueSlots } from '../runs/slots/policy.ts';
import type { WorkerSlots } from '../runs/slots/worker-slots.ts';
import { watchServers } from '../services/comfyui/watch-servers.ts';
import type { JobPool } from '../services/deps.ts';
import { createMailSender } from '../services/mails/send-mail.ts';
import { createDeliverer } from '../services/webhooks/deliver-webhook.ts';
import { createQueueLogger } from './queue-tables.ts';
import { ReceivedJobs } from './received-jobs.ts';
import { TASKS, type TaskContext } from './tasks.ts';

// With this number of slots, sweeps, which may take long, hardly delay deliveries. services/outbound-slots.ts divides them
// between jobs that wait for servers of users and the rest.
const MAX_CONCURRENT_BACKGROUND_JOBS = 256;
const MAX_CONCURRENT_RENDERS = 2;
// Locked jobs that have not started are returned to the queue after this time.
const LOCAL_QUEUE_TTL_MS = 60_000;
// The rows of finished jobs are deleted in batches, after this delay. A job that runs again finds nothing to do.
const COMPLETE_DELAY_MS = 20;

const HEARTBEATS_PER_CLEANUP = 6;
/** How often lost jobs are searched while none is suspected. */
const HEARTBEATS_PER_JOB_CHECK = 3;
/** How often waiting runs without calls are searched. The search is rare because it reads all waiting runs. */
const HEARTBEATS_PER_RECOVERY = 60;
/** Maximum wait for a pool to stop. */
const MAX_STOP_MS = 20_000;
// Every commit that queues a job notifies all pools. After an empty fetch, a pool ignores notifications for about
// `durationMs` and then fetches once for all of them, which saves a fetch for each batch of accepted runs. A timer's nudge
// counts as more notifications than `maxAbortThreshold`, so a pool never ignores it.
const TIMER_NUDGE = 1e9;
const REFETCH_ABORT_THRESHOLD = 1e6;
const createLocalQueues = ({ renderRefetchMs }: Timing): Readonly<Record<JobPool, object>> => ({
  runs: {},
  background: { refetchDelay: { durationMs: 60, maxAbortThreshold: REFETCH_ABORT_THRESHOLD } },
  // A render takes minutes, so a process claims a render only when it can start it, and leaves other renders to idle
  // workers.
  renders: {
    size: 2,
    ttl: 2000,
    refetchDelay: { durationMs: renderRefetchMs, maxAbortThreshold: REFETCH_ABORT_THRESHOLD },
  },
});

export interface Worker {
  /** Stops the run if this process executes it. */
  cancel(executionId: string): void;
  /** Notifies the run that some of its calls were woken, if this process executes it. */
  wake(executionId: string): void;
  /** Claims no more jobs, gives active ones `graceMs` to finish, then returns them to the queue. */
  stop(graceMs: number): Promise<void>;
}

/** Starts the pools, the polling of providers, the clock of schedules and the heartbeat. */
export async function startWorker(deps: RunDeps, slots: WorkerSlots): Promise<Worker> {
  const stopping = new AbortController();
  const registration = Promise.withResolvers<void>();
  const ctx: TaskContext = {
    deps,
    slots,
    deliverer: createDeliverer(deps),
    mailSender: createMailSender(deps),
    signal: stopping.signal,
    whenRegistered: registration.promise,
  };
  await using stack = new AsyncDisposableStack();
  const utils = await makeWorkerUtils({ pgPool: deps.runDb.pool, logger: createQueueLogger(deps.log) });
  stack.defer(() => utils.release());
  const queue: QueueState = {
    poolIds: [],
    received: new ReceivedJobs(),
    unlock: deadPoolIds => releasePools(deps, ids => utils.forceUnlockWorkers([...ids]), deadPoolIds),
  };
  const pools: RunningPool[] = [];
  for (const [pool, concurrency] of listPools(slots)) {
    const runningPool = await runPool(ctx, pool, concurrency, queue);
    stack.defer(() => runningPool.stop());
    pools.push(runningPool);
  }
  // If the start fails, jobs that were already claimed are rejected; otherwise they would wait forever.
  registration.promise.catch(() => undefined);
  stack.defer(() => registration.reject(new Error('The worker did not start.')));
  slots.open(await registerWorker(deps, queue.poolIds));
  registration.resolve();
  stack.defer(startPolling(deps));
  stack.defer(startClock(deps));
  const stopHeartbeat = await startHeartbeat(deps, slots, queue);
  const resources = stack.move();
  return {
    wake: executionId => slots.runs.get(executionId)?.wake(),
    cancel: executionId => slots.runs.get(executionId)?.stop('cancelled'),
    async stop(graceMs) {
      await using _ = resources;
      await drain(deps, slots, pools, stopping, graceMs);
      // Runs stay assigned to this worker while it drains. A heartbeat after the removal would register it again.
      await stopHeartbeat();
      await removeWorker(deps, slots.workerId);
    },
  };
}

/** State shared by the pools of this process. */
interface QueueState {
  /** The ids that graphile-worker gave to the pools of this process. A locked job has the id of its pool. */
  readonly poolIds: string[];
  readonly received: ReceivedJobs;
  readonly unlock: (deadPoolIds: readonly string[]) => Promise<void>;
}

const listPools = (slots: WorkerSlots): readonly (readonly [JobPool, number])[] => [
  ['runs', countQueueSlots(slots.capacity)],
  ['background', MAX_CONCURRENT_BACKGROUND_JOBS],
  ['renders', MAX_CONCURRENT_RENDERS],
];

/**
 * Sends the first heartbeat immediately, so that the runs of the previous process continue, and then periodically.
 * Returns a function that stops the heartbeat and waits for one in progress.
 */
async function startHeartbeat(
  deps: RunDeps,
  slots: WorkerSlots,
  { poolIds, received, unlock }: QueueState,
): Promise<() => Promise<void>> {
  let beatCount = 0;
  const beat = async (): Promise<void> => {
    await sendHeartbeat(deps, slots, poolIds, unlock);
    if (received.hasSuspects || beatCount % HEARTBEATS_PER_JOB_CHECK === 0)
      await unlockLostJobs(deps, poolIds, locked => received.findLost(locked));
    if (beatCount % HEARTBEATS_PER_CLEANUP === 0) await unlockOrphanPools(deps, unlock);
    if (beatCount++ % HEARTBEATS_PER_RECOVERY === 0) await wakeRunsWithoutCalls(deps);
  };
  await beat();
  let active: Promise<void> | undefined;
  const timer = setInterval(() => {
    active ??= beat()
      .catch((err: unknown) => deps.log.error({ err }, 'a heartbeat failed'))
      .finally(() => {
        active = undefined;
      });
  }, deps.timing.heartbeatMs);
  return async () => {
    clearInterval(timer);
    await active;
  };
}

/** Starts polling providers. Returns a function that stops the polling. */
function startPolling(deps: RunDeps): () => Promise<void> {
  const stopping = new AbortController();
  const polling = Promise.all([
    pollCalls(deps, stopping.signal),
    watchServers(deps, createServerEvents(deps), stopping.signal),
  ]);
  return async () => {
    stopping.abort();
    await polling;
  };
}

/** Stops claiming jobs and waits for active ones to end. Releases those that have not ended after `graceMs`. */
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
  await Promise.all([...slots.runs.values()].map(({ whenReleased }) => whenReleased));
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
  pool: JobPool,
  concurrency: number,
  { poolIds, received, unlock }: QueueState,
): Promise<RunningPool> {
  const { log, timing } = ctx.deps;
  let instance = await startPool(ctx, pool, concurrency, received);
  let isStopping = false;
  poolIds.push(instance.id);
  const replace = async (): Promise<void> => {
    await unlock([instance.id]);
    const nextInstance = await startPool(ctx, pool, concurrency, received);
    poolIds.splice(poolIds.indexOf(instance.id), 1, nextInstance.id);
    instance = nextInstance;
  };
  const requestStop = (): void => {
    isStopping = true;
    // Rejects if the pool has already stopped.
    instance.runner.stop().catch(() => undefined);
  };
  const keepRunning = async (): Promise<void> => {
    for (;;) {
      await instance.ended;
      if (isStopping) return;
      log.error({ pool }, 'job pool stopped unexpectedly; restarting');
      await sleep(timing.poolRestartMs);
      await replace().catch((err: unknown) => log.error({ err, pool }, 'failed to restart the job pool'));
      if (isStopping) requestStop();
    }
  };
  const ended = keepRunning();
  return {
    async stop() {
      requestStop();
      // The timer is unreferenced, because the heartbeat already keeps the process alive.
      await Promise.race([ended, sleep(MAX_STOP_MS, undefined, { ref: false })]);
    },
  };
}

interface PoolInstance {
  readonly runner: Runner;
  /** Resolves when the pool has stopped. */
  readonly ended: Promise<void>;
  /** The pool's id in graphile-worker. */
  readonly id: string;
}

async function startPool(
  ctx: TaskContext,
  pool: JobPool,
  concurrency: number,
  received: ReceivedJobs,
): Promise<PoolInstance> {
  const events: WorkerEvents = new EventEmitter();
  const failed = once(events, 'pool:fatalError');
  let id = '';
  events.on('pool:create', ({ workerPool }) => {
    id = workerPool.id;
    ctx.deps.wakeTimers.listen(pool, () => workerPool.nudge(TIMER_NUDGE));
    // graphile-worker 0.18 drops the notifications that it ignored, so their jobs would wait for the next poll. The event
    // comes just before the delay ends.
    events.on('localQueue:refetchDelay:expired', ({ localQueue }) => {
      if (countIgnored(localQueue) > 0) queueMicrotask(() => workerPool.nudge(1));
    });
  });
  events.on('job:failed', ({ job }) => onJobExhausted(ctx.deps, job));
  events.on('localQueue:getJobs:complete', ({ jobs }) => received.add(jobs));
  events.on('localQueue:returnJobs', ({ jobs }) => received.remove(jobs));
  events.on('job:complete', ({ job }) => received.remove([job]));
  const { timing } = ctx.deps;
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
        // Notifications and timers wake the pools. Polling only finds jobs whose notification was lost.
        pollInterval: timing.queuePollMs,
        localQueue: { size: concurrency * 2, ttl: LOCAL_QUEUE_TTL_MS, ...createLocalQueues(timing)[pool] },
        completeJobBatchDelay: COMPLETE_DELAY_MS,
        failJobBatchDelay: COMPLETE_DELAY_MS,
      },
    },
  });
  const stopped = runner.promise.catch((err: unknown) =>
    ctx.deps.log.error({ err, pool }, 'job pool failed'),
  );
  // A failed pool may wait forever for its own batches (graphile-worker 0.18). Its active jobs continue even after it was
  // given up.
  const failedAndStopped = failed.then(async () => {
    await sleep(timing.poolGraceMs);
    runner.stop().catch(() => undefined);
  });
  return { runner, ended: Promise.race([stopped, failedAndStopped]), id };
}

/** Counts the jobs of which the pool was notified since its last fetch began. The queue does not publish the number. */
const countIgnored = (queue: object): number =>
  (queue as { readonly refetchDelayCounter: number }).refetchDelayCounter;

const listTasks = (pool: JobPool) => Object.entries(TASKS).filter(([, task]) => task.pool === pool);

/** Returns the crontab of a pool. A daily task that no worker could perform in time waits for the next day. */
function toCrontab(pool: JobPool): string {
  return listTasks(pool)
    .flatMap(([name, { daily }]) =>
      daily === undefined ? [] : [`${daily.minute} ${daily.hour} * * * ${name} ?max=3`],
    )
    .join('\n');
}

function toTaskList(ctx: TaskContext, pool: JobPool): TaskList {
  return Object.fromEntries(
    listTasks(pool).map(([name, task]) => [
      name,
      async (payload: unknown) => {
        await ctx.whenRegistered;
        await runAccepted(SERVICE, () => task.perform(ctx, (payload as { readonly id: string }).id));
      },
    ]),
  );
}

interface FailedJob {
  readonly task_identifier: string;
  readonly payload: unknown;
}

/** Ends the run of a job that the queue has given up after 25 attempts over several days. */
function onJobExhausted(deps: RunDeps, { task_identifier: task, payload }: FailedJob): void {
  deps.log.error({ task, payload }, 'job failed permanently');
  if (task !== 'run') return;
  const { id } = payload as { readonly id: string };
  endAbandonedRun(deps, id).catch((err: unknown) =>
    deps.log.error({ err, executionId: id }, 'failed to end a run'),
  );
}
