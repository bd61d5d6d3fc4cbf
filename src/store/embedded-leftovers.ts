// Ends what a killed service or postmaster left on a cluster, and tells it from somebody else's processes.
import { execFile } from 'node:child_process';
import { readdir, readFile, readlink, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { AppError } from '../lib/errors.ts';

const POLL_MS = 20;
/** How long each signal may take before the next; a fast shutdown writes a checkpoint first. */
const PATIENCE: readonly (readonly [signal: NodeJS.Signals, waitMs: number])[] = [
  ['SIGINT', 15_000],
  ['SIGQUIT', 3_000],
  ['SIGKILL', 5_000],
];
const COMMAND_TIMEOUT_MS = 5_000;

/**
 * Leaves no process on the cluster and no pid file that would hold up a start. Only the holder of the service lock
 * may call it.
 */
export async function clearLeftovers(cluster: string, log: (line: string) => void): Promise<void> {
  const pidFile = join(cluster, 'postmaster.pid');
  const pid = Number.parseInt(await readFile(pidFile, 'utf8').catch(() => ''), 10);
  await endProcesses(cluster, pid, log);
  // PostgreSQL clears a dead process's file by itself, but trusts one that names any living process or a zombie.
  if (isAlive(pid)) {
    log(`The pid file names process ${pid}, which is not this cluster's PostgreSQL; removing the file.`);
    await rm(pidFile, { force: true });
  }
}

async function endProcesses(cluster: string, postmaster: number, log: (line: string) => void): Promise<void> {
  for (const [signal, waitMs] of PATIENCE) {
    const found = await listProcesses(cluster, postmaster);
    if (found.length === 0) return;
    // Backends follow their postmaster; without one they notice and end by themselves, unless they are busy.
    const targets = found.includes(postmaster) ? [postmaster] : signal === 'SIGINT' ? [] : found;
    log(`PostgreSQL of an earlier service is still there (processes ${found.join(', ')}); ending it.`);
    for (const pid of targets) sendSignal(pid, signal);
    const deadline = performance.now() + waitMs;
    while (performance.now() < deadline) {
      if ((await listProcesses(cluster, postmaster)).length === 0) return;
      await sleep(POLL_MS);
    }
  }
  throw new AppError(
    'unavailable',
    `PostgreSQL of an earlier service on ${cluster} does not end. Stop its processes and start again.`,
  );
}

/** The processes that work on the cluster: programs named postgres that stand in its folder, as all of them do. */
async function listProcesses(cluster: string, postmaster: number): Promise<readonly number[]> {
  if (process.platform !== 'linux') return (await namesCluster(postmaster, cluster)) ? [postmaster] : [];
  const pids = (await readdir('/proc')).filter(name => /^\d+$/.test(name));
  const folders = await Promise.all(pids.map(pid => readlink(`/proc/${pid}/cwd`).catch(() => '')));
  const inside = pids.filter((_, i) => folders[i] === cluster);
  const programs = await Promise.all(inside.map(pid => readlink(`/proc/${pid}/exe`).catch(() => '')));
  return inside.filter((_, i) => /\/postgres( \(deleted\))?$/.test(programs[i] ?? '')).map(Number);
}

async function namesCluster(pid: number, cluster: string): Promise<boolean> {
  if (!isAlive(pid)) return false;
  const { stdout } = await promisify(execFile)('ps', ['-o', 'command=', '-p', String(pid)], {
    timeout: COMMAND_TIMEOUT_MS,
  }).catch(() => ({ stdout: '' }));
  return stdout.includes('postgres') && stdout.includes(cluster);
}

function isAlive(pid: number): boolean {
  return pid > 0 && sendSignal(pid, 0);
}

/** False where there is no such process; one of another account counts as there. */
function sendSignal(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch (err) {
    return (err as NodeJS.ErrnoException).code === 'EPERM';
  }
}
