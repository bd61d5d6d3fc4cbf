// Sends the worker's heartbeat and reassigns the runs of dead workers.
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { newId } from '../../lib/ids.ts';
import { listRunsWithoutCalls } from '../../store/calls.ts';
import { SCHEDULES_CHANGED } from '../../store/db.ts';
import { deleteReplacedJobs, listLockedJobs, unlockJobs } from '../../store/queue.ts';
import { lockWorkerRuns } from '../../store/runs.ts';
import type { LeasedRun, OrphanRun, WorkerRow } from '../../store/workers.ts';
import {
  deleteWorker,
  enqueueParkedRuns,
  findStrandedWork,
  insertWorker,
  listOrphanPools,
  listWorkersToCheck,
  touchWorker,
} from '../../store/workers.ts';
import { applyToLocked } from '../change/commit.ts';
import type { RunDeps } from '../deps.ts';
import type { WorkerSlots } from '../slots/worker-slots.ts';

export type UnlockPools = (pools: readonly string[]) => Promise<void>;

/** Registers this process as a worker, to which its runs refer. Returns the worker's id. */
export async function registerWorker(deps: RunDeps, pools: readonly string[]): Promise<string> {
  const worker: WorkerRow = {
    id: newId('worker'),
    pools,
    hostname: hostname(),
    pid: process.pid,
    pid_started: getProcessIdentity(process.pid),
  };
  await insertWorker(deps.db, worker);
  return worker.id;
}

/**
 * Sends one heartbeat and requeues the runs of dead workers: of this host immediately, of other hosts when their last
 * heartbeat is older than `takeoverMs`. If this worker was declared dead, it stops all of its runs without writing and registers
 * again.
 */
export async function sendHeartbeat(
  deps: RunDeps,
  slots: WorkerSlots,
  pools: readonly string[],
  unlock: UnlockPools,
): Promise<void> {
  const knownIds = new Set(slots.runs.keys());
  const assignedRuns = await touchWorker(deps.db, { id: slots.workerId, pools });
  if (assignedRuns === undefined) {
    deps.log.warn(
      { workerId: slots.workerId },
      'this worker was declared dead; other workers continue its runs',
    );
    for (const { stop } of slots.runs.values()) stop('lost');
    slots.workerId = await registerWorker(deps, pools);
  } else await reconcile(deps, slots, knownIds, assignedRuns);
  await removeDeadWorkers(deps, slots.workerId, unlock);
  const { orphans, hasParked, hasLostFirings } = await findStrandedWork(deps.db);
  if (orphans.length > 0) await requeue(deps, orphans);
  if (hasParked) await deps.db.transaction(tx => enqueueParkedRuns(tx, deps.settings.MAX_CONCURRENT_RUNS));
  // Wakes the clock of this process, which starts the runs of the lost firings.
  if (hasLostFirings) deps.changeHub.notify(SCHEDULES_CHANGED);
}

/**
 * Repairs the effects of a lost connection: requeues runs that are assigned to this worker but that it does not execute,
 * and applies cancels that it missed.
 */
async function reconcile(
  deps: RunDeps,
  slots: WorkerSlots,
  knownIds: ReadonlySet<string>,
  assignedRuns: readonly LeasedRun[],
): Promise<void> {
  for (const { id, cancelling } of assignedRuns) if (cancelling) slots.runs.get(id)?.stop('cancelled');
  const unknownRuns = assignedRuns.filter(({ id }) => !knownIds.has(id) && !slots.runs.has(id));
  const orphans = unknownRuns.map(run => ({ ...run, worker_id: slots.workerId }));
  if (orphans.length > 0) await requeue(deps, orphans);
}

/** Requeues runs whose worker does not advance them, unless they have changed since. */
async function requeue(deps: RunDeps, orphans: readonly OrphanRun[]): Promise<void> {
  const orphansById = new Map(orphans.map(orphan => [orphan.id, orphan]));
  await deps.commit.change([...orphansById.keys()], ({ id }) => {
    const { worker_id: workerId = '', lease = 0 } = orphansById.get(id) ?? {};
    return { kind: 'reassign', workerId, lease };
  });
}

/**
 * Removes a worker and requeues its runs. Returns its queue pools, or undefined if another process removed it first.
 */
export function removeWorker(deps: RunDeps, workerId: string): Promise<readonly string[] | undefined> {
  return deps.db.transaction(async tx => {
    const pools = await deleteWorker(tx, workerId);
    if (pools === undefined) return undefined;
    await applyToLocked(tx, deps.timing, await lockWorkerRuns(tx, workerId), { kind: 'reassign', workerId });
    return pools;
  });
}

/** Unlocks the jobs of pools that no longer exist. Deletes jobs that other jobs have replaced. */
export async function releasePools(
  deps: RunDeps,
  unlock: UnlockPools,
  pools: readonly string[],
): Promise<void> {
  await unlock(pools);
  await deleteReplacedJobs(deps.db);
}

/** Unlocks the jobs of queue pools whose worker died before it registered. Called rarely. */
export async function unlockOrphanPools(deps: RunDeps, unlock: UnlockPools): Promise<void> {
  const orphans = await listOrphanPools(deps.db, deps.timing.takeoverMs);
  if (orphans.length > 0) await unlock(orphans);
}

/** Requeues jobs that pools of this process have locked but never received. */
export async function unlockLostJobs(
  deps: RunDeps,
  pools: readonly string[],
  findLost: (locked: readonly string[]) => readonly string[],
): Promise<void> {
  const lostJobs = findLost(await listLockedJobs(deps.db, pools));
  if (lostJobs.length === 0) return;
  await unlockJobs(deps.db, pools, lostJobs);
  deps.log.warn({ count: lostJobs.length }, 'jobs were locked but never received; they were queued again');
}

const MAX_WOKEN_RUNS = 500;

/**
 * Wakes runs that wait for calls without a row, for example after a partial restore. These runs then poll their calls
 * themselves.
 */
export async function wakeRunsWithoutCalls(deps: RunDeps): Promise<void> {
  const ids = await listRunsWithoutCalls(deps.db, MAX_WOKEN_RUNS);
  if (ids.length === 0) return;
  deps.log.warn({ count: ids.length }, 'runs waited for calls without a row; they poll the calls themselves');
  await deps.commit.change(ids, () => ({ kind: 'wake', atMs: deps.now() }));
}

async function removeDeadWorkers(deps: RunDeps, workerId: string, unlock: UnlockPools): Promise<void> {
  const suspects = await listWorkersToCheck(deps.db, hostname(), deps.timing.takeoverMs);
  for (const suspect of suspects) {
    if (suspect.id === workerId || !(suspect.silent || hasProcessEnded(deps, suspect))) continue;
    const pools = await removeWorker(deps, suspect.id);
    if (pools === undefined) continue;
    deps.log.warn(
      { workerId: suspect.id, host: suspect.hostname, pid: suspect.pid },
      'a worker died; its runs were queued again',
    );
    await unlock(pools);
  }
}

/**
 * Returns whether the worker's process has ended, as far as this process can tell. With the embedded PostgreSQL there is
 * only one process, so the processes of all other workers have ended. Otherwise a process can be checked only if it ran
 * on this host, in the same boot and pid namespace.
 */
function hasProcessEnded(deps: RunDeps, worker: WorkerRow): boolean {
  if (deps.settings.DATABASE_URL === undefined) return true;
  return (
    worker.pid_started.startsWith(`${PID_NAMESPACE}/`) &&
    getProcessIdentity(worker.pid) !== worker.pid_started
  );
}

const PID_NAMESPACE = readPidNamespace();

function readPidNamespace(): string {
  try {
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}/${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    // Without /proc (macOS), dead workers are detected only by missing heartbeats.
    return 'unknown';
  }
}

/** Returns a text that distinguishes a process from a later one with the same pid; '' if there is no such process. */
function getProcessIdentity(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The start time is field 22 (proc_pid_stat(5)). The fields are counted from the end of the command, which is in
    // parentheses and may contain spaces.
    return `${PID_NAMESPACE}/${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]}`;
  } catch {
    return '';
  }
}
