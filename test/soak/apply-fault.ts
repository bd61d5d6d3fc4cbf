// Applies the faults of a soak to the processes and provider doubles.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fleet } from './fleet.ts';
import type { FaultKind, PlannedFault } from './plan.ts';
import type { Providers } from './providers.ts';
import type { SupervisedProcess } from './supervisor.ts';

export interface FaultTarget {
  readonly fleet: Fleet;
  readonly providers: Providers;
}

type FaultAction = (target: FaultTarget, fault: PlannedFault) => void | Promise<void>;

const getWorker = ({ fleet }: FaultTarget, { targetFraction }: PlannedFault): SupervisedProcess =>
  fleet.workers[Math.floor(targetFraction * fleet.workers.length)] as SupervisedProcess;

const createFreeze: (
  getProcess: (target: FaultTarget, fault: PlannedFault) => SupervisedProcess,
) => FaultAction = getProcess => async (target, fault) => {
  const supervised = getProcess(target, fault);
  const { pid } = supervised;
  supervised.signal('SIGSTOP');
  await sleep(fault.durationMs);
  // If the process was killed in the meantime, the supervisor has started another process.
  if (supervised.pid === pid) supervised.signal('SIGCONT');
};

const FAULT_ACTIONS: Readonly<Record<FaultKind, FaultAction>> = {
  'worker kill': (target, fault) => getWorker(target, fault).signal('SIGKILL'),
  'worker freeze': createFreeze(getWorker),
  'worker long freeze': createFreeze(getWorker),
  'worker drain': (target, fault) => getWorker(target, fault).signal('SIGTERM'),
  'api kill': ({ fleet }) => fleet.api.signal('SIGKILL'),
  'api freeze': createFreeze(({ fleet }) => fleet.api),
  'postgres kill': ({ fleet }) => signalAll([fleet.postgres.pid], 'SIGKILL'),
  // Requests a fast shutdown, after which the supervisor of PostgreSQL restarts it.
  'postgres restart': ({ fleet }) => signalAll([fleet.postgres.pid], 'SIGINT'),
  'postgres backend kill': async ({ fleet }, { targetFraction }) => {
    const pids = await listBackends(fleet, "where application_name = 'graphwright'");
    signalAll(pids.slice(Math.floor(targetFraction * pids.length)).slice(0, 1), 'SIGKILL');
  },
  'postgres freeze': async ({ fleet }, { durationMs }) => {
    // Stops the postmaster first, so that it starts no new backends.
    const pids = [fleet.postgres.pid, ...(await listBackends(fleet, ''))];
    signalAll(pids, 'SIGSTOP');
    await sleep(durationMs);
    signalAll(pids, 'SIGCONT');
  },
  'connections cut': async ({ fleet }) => {
    await fleet.db.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where application_name = 'graphwright' and pid <> pg_backend_pid()`,
    );
  },
  'provider refuses': ({ providers }, { targetFraction }) => providers.refuse(targetFraction),
  'provider fails': ({ providers }, { targetFraction }) => providers.fail(targetFraction),
  'provider resets': ({ providers }, { targetFraction }) => providers.reset(targetFraction),
};

/** Applies the fault. Resolves to an error message if that was impossible, for example while PostgreSQL restarts. */
export async function applyFault(target: FaultTarget, fault: PlannedFault): Promise<string | undefined> {
  try {
    await FAULT_ACTIONS[fault.kind](target, fault);
    return undefined;
  } catch (err) {
    return (err as Error).message;
  }
}

async function listBackends({ db }: Fleet, where: string): Promise<readonly number[]> {
  const { rows } = await db.query<{ pid: number }>(`select pid from pg_stat_activity ${where}`);
  return rows.map(({ pid }) => pid);
}

function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch (err) {
      // ESRCH: the process has already exited.
      if ((err as NodeJS.ErrnoException).code !== 'ESRCH') throw err;
    }
  }
}
