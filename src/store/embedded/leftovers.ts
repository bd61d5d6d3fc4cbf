// Ends the processes that a killed service or postmaster left running on a cluster, and no others.
import { execFile } from 'node:child_process';
import { readdir, readFile, readlink, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { AppError } from '../../lib/errors.ts';
import { SOCKET_PID_FILE } from './cluster.ts';

const POLL_MS = 20;

interface StopStep {
  readonly target: 'postmaster' | 'all';
  /** If absent, the step only waits for the processes to end by themselves. */
  readonly signal?: NodeJS.Signals;
  readonly waitMs: number;
}

const STEPS: readonly StopStep[] = [
  { target: 'postmaster', signal: 'SIGINT', waitMs: 15_000 },
  { target: 'postmaster', signal: 'SIGQUIT', waitMs: 3_000 },
  { target: 'postmaster', signal: 'SIGKILL', waitMs: 1_000 },
  // Backends without a postmaster end by themselves, unless they are busy.
  { target: 'all', waitMs: 500 },
  { target: 'all', signal: 'SIGQUIT', waitMs: 2_000 },
  { target: 'all', signal: 'SIGKILL', waitMs: 5_000 },
];
const COMMAND_TIMEOUT_MS = 5_000;

export interface ClusterLocation {
  readonly clusterDir: string;
  /** Absent before the folder is created. */
  readonly socketDir?: string;
  readonly log: (line: string) => void;
}

/**
 * Ends processes that use the cluster, and removes pid files that would delay or prevent a start. Only the holder of the
 * service lock may call it.
 */
export async function clearLeftovers({ clusterDir, socketDir, log }: ClusterLocation): Promise<void> {
  const pidFile = join(clusterDir, 'postmaster.pid');
  await endProcesses(clusterDir, (await readPid(pidFile)) ?? 0, log);
  await clearPidFile(pidFile, log);
  if (socketDir !== undefined) await clearPidFile(join(socketDir, SOCKET_PID_FILE), log);
}

/**
 * Removes a stale PID file. PostgreSQL removes only the file of a dead process. It does not start if the file names a
 * living process or a zombie, or if the file is empty because its writer was killed.
 */
async function clearPidFile(path: string, log: (line: string) => void): Promise<void> {
  const pid = await readPid(path);
  if (pid === undefined || (pid > 0 && !isAlive(pid))) return;
  const problem =
    pid > 0 ? `names process ${pid}, which is not this cluster's PostgreSQL` : 'names no process';
  log(`The pid file ${path} ${problem}; removing the file.`);
  await rm(path, { force: true });
}

/** Returns the process id in the file, 0 if it contains none, or undefined if there is no file. */
async function readPid(path: string): Promise<number | undefined> {
  const text = await readFile(path, 'utf8').catch(() => undefined);
  // PostgreSQL in single-user mode writes its pid as a negative number.
  return text === undefined ? undefined : Math.abs(Number.parseInt(text, 10) || 0);
}

async function endProcesses(
  clusterDir: string,
  postmaster: number,
  log: (line: string) => void,
): Promise<void> {
  const processes = await listProcesses(clusterDir, postmaster);
  if (processes.length === 0) return;
  log(`PostgreSQL of an earlier service is still running (processes ${processes.join(', ')}); ending it.`);
  for (const { target, signal, waitMs } of STEPS) {
    const remainingProcesses = await listProcesses(clusterDir, postmaster);
    const targets =
      target === 'all' ? remainingProcesses : remainingProcesses.filter(pid => pid === postmaster);
    if (signal !== undefined) for (const pid of targets) sendSignal(pid, signal);
    const deadline = performance.now() + (targets.length > 0 ? waitMs : 0);
    do {
      if ((await listProcesses(clusterDir, postmaster)).length === 0) return;
      await sleep(POLL_MS);
    } while (performance.now() < deadline);
  }
  throw new AppError(
    'unavailable',
    `A PostgreSQL server of an earlier service is still running on ${clusterDir} and does not stop. Stop its processes, then start the service again.`,
  );
}

/**
 * Lists the processes of the cluster: on Linux, all programs named postgres whose working directory is the cluster's
 * folder; on other systems, only the postmaster.
 */
async function listProcesses(clusterDir: string, postmaster: number): Promise<readonly number[]> {
  if (process.platform !== 'linux') return (await runsOnCluster(postmaster, clusterDir)) ? [postmaster] : [];
  const pids = (await readdir('/proc')).filter(name => /^\d+$/.test(name));
  const folders = await Promise.all(pids.map(pid => readlink(`/proc/${pid}/cwd`).catch(() => '')));
  const clusterPids = pids.filter((_, i) => folders[i] === clusterDir);
  const programs = await Promise.all(clusterPids.map(pid => readlink(`/proc/${pid}/exe`).catch(() => '')));
  return clusterPids.filter((_, i) => /\/postgres( \(deleted\))?$/.test(programs[i] ?? '')).map(Number);
}

async function runsOnCluster(pid: number, clusterDir: string): Promise<boolean> {
  if (!isAlive(pid)) return false;
  const { stdout } = await promisify(execFile)('ps', ['-o', 'command=', '-p', String(pid)], {
    timeout: COMMAND_TIMEOUT_MS,
  }).catch(() => ({ stdout: '' }));
  return stdout.includes('postgres') && stdout.includes(clusterDir);
}

function isAlive(pid: number): boolean {
  return pid > 0 && sendSignal(pid, 0);
}

/** Returns whether the process exists, even if it belongs to another account. */
function sendSignal(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch (err) {
    return (err as NodeJS.ErrnoException).code === 'EPERM';
  }
}
