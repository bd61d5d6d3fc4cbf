// Workers among themselves: each says that it lives, and takes over from those that no longer do.
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { newId } from '../lib/ids.ts';
import { listRunsWithoutCalls } from '../store/calls.ts';
import { listLockedJobs, unlockJobs } from '../store/queue.ts';
import { lockRunsOf } from '../store/runs.ts';
import type { NamedRun, OrphanRun, WorkerRow } from '../store/workers.ts';
import {
  deleteWorker,
  enqueueDeferredRuns,
  hasDeferredRuns,
  insertWorker,
  listOrphanPools,
  listOrphanRuns,
  listSuspects,
  touchWorker,
} from '../store/workers.ts';
import { applyToLocked } from './commit.ts';
import type { RunDeps } from './deps.ts';
import type { WorkerSlots } from './worker-slots.ts';

export const HEARTBEAT_MS = 5000;

export type UnlockPools = (pools: readonly string[]) => Promise<void>;

/** Enrols this process; the row is what makes its runs its own. */
export async function registerWorker(deps: RunDeps, pools: readonly string[]): Promise<string> {
  const worker: WorkerRow = {
    id: newId('worker'),
    pools,
    hostname: hostname(),
    pid: process.pid,
    pid_started: processIdentity(process.pid),
  };
  await insertWorker(deps.db, worker);
  return worker.id;
}

/**
 * One heartbeat: keeps this worker alive, and queues again the runs of workers that are dead, those of this host at
 * once, others after 20 s of silence. A worker that was declared dead itself releases everything, writes nothing,
 * and enrols anew.
 */
export async function beat(
  deps: RunDeps,
  slots: WorkerSlots,
  pools: readonly string[],
  unlock: UnlockPools,
): Promise<void> {
  const before = new Set(slots.runs.keys());
  const named = await touchWorker(deps.db, { id: slots.workerId, pools });
  if (named === undefined) {
    deps.log.warn({ workerId: slots.workerId }, 'this worker was taken for dead; its runs went on elsewhere');
    for (const { stop } of slots.runs.values()) stop('lost');
    slots.workerId = await registerWorker(deps, pools);
  } else await reconcile(deps, slots, before, named);
  await takeOver(deps, slots.workerId, unlock);
  const orphans = await listOrphanRuns(deps.db);
  if (orphans.length > 0) await requeue(deps, orphans);
  if (await hasDeferredRuns(deps.db))
    await deps.db.transaction(tx => enqueueDeferredRuns(tx, deps.settings.MAX_CONCURRENT_RUNS));
}

/** Sets right what a lost connection left: runs that name this worker unknown to it, and cancels it was not notified of. */
async function reconcile(
  deps: RunDeps,
  slots: WorkerSlots,
  before: ReadonlySet<string>,
  named: readonly NamedRun[],
): Promise<void> {
  for (const { id, cancelling } of named) if (cancelling) slots.runs.get(id)?.stop('cancelled');
  const unknown = named.filter(({ id }) => !before.has(id) && !slots.runs.has(id));
  const orphans = unknown.map(run => ({ ...run, worker_id: slots.workerId }));
  if (orphans.length > 0) await requeue(deps, orphans);
}

/** Queues runs again that name a worker which does not advance them, where they have not moved since. */
async function requeue(deps: RunDeps, orphans: readonly OrphanRun[]): Promise<void> {
  const byId = new Map(orphans.map(orphan => [orphan.id, orphan]));
  await deps.commit.change([...byId.keys()], ({ id }) => {
    const { worker_id: workerId = '', lease = 0 } = byId.get(id) ?? {};
    return { kind: 'reassign', workerId, lease };
  });
}

/** Removes a worker and queues its runs again. Returns its queue pools; undefined where another process did it first. */
export function removeWorker(deps: RunDeps, workerId: string): Promise<readonly string[] | undefined> {
  return deps.db.transaction(async tx => {
    const pools = await deleteWorker(tx, workerId);
    if (pools === undefined) return undefined;
    await applyToLocked(tx, await lockRunsOf(tx, workerId), { kind: 'reassign', workerId });
    return pools;
  });
}

/** Unlocks jobs that belong to nobody: of a worker that died between its start and its enrolment. Now and then is enough. */
export async function unlockOrphanPools(deps: RunDeps, unlock: UnlockPools): Promise<void> {
  const orphans = await listOrphanPools(deps.db);
  if (orphans.length > 0) await unlock(orphans);
}

/** Queues again what is locked by pools of this process and was lost on its way here. */
export async function unlockLostJobs(
  deps: RunDeps,
  pools: readonly string[],
  findLost: (locked: readonly string[]) => readonly string[],
): Promise<void> {
  const lost = findLost(await listLockedJobs(deps.db, pools));
  if (lost.length === 0) return;
  await unlockJobs(deps.db, pools, lost);
  deps.log.warn({ count: lost.length }, 'jobs were lost on their way here; they are queued again');
}

const FORGOTTEN_AT_ONCE = 500;

/** Wakes runs that wait for calls without a row, e.g. of a database that was restored from parts: they ask by themselves. */
export async function wakeRunsWithoutCalls(deps: RunDeps): Promise<void> {
  const ids = await listRunsWithoutCalls(deps.db, FORGOTTEN_AT_ONCE);
  if (ids.length === 0) return;
  deps.log.warn({ count: ids.length }, 'runs waited for calls that nobody asks for; they ask themselves');
  await deps.commit.change(ids, () => ({ kind: 'wake', atMs: deps.now() }));
}

async function takeOver(deps: RunDeps, workerId: string, unlock: UnlockPools): Promise<void> {
  const suspects = await listSuspects(deps.db, hostname());
  for (const suspect of suspects) {
    if (suspect.id === workerId || !(suspect.silent || isGone(deps, suspect))) continue;
    const pools = await removeWorker(deps, suspect.id);
    if (pools === undefined) continue;
    deps.log.warn(
      { workerId: suspect.id, host: suspect.hostname, pid: suspect.pid },
      'a worker died; its runs go on here',
    );
    await unlock(pools);
  }
}

/**
 * Whether the worker's process is no more: with the embedded PostgreSQL there is one service only, so every other is
 * gone; else a process of this host can be looked up, where it shares our boot and pid namespace.
 */
function isGone(deps: RunDeps, worker: WorkerRow): boolean {
  if (deps.settings.DATABASE_URL === undefined) return true;
  return worker.pid_started.startsWith(`${PID_SPACE}/`) && processIdentity(worker.pid) !== worker.pid_started;
}

const PID_SPACE = readPidSpace();

function readPidSpace(): string {
  try {
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}/${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    // No /proc (macOS): there only silence counts.
    return 'unknown';
  }
}

/** Distinguishes a process from a later one with the same pid; '' where there is none. */
function processIdentity(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // Field 22, the start time, counted after the command, which stands in parentheses and may contain spaces (proc_pid_stat(5)).
    return `${PID_SPACE}/${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]}`;
  } catch {
    return '';
  }
}
