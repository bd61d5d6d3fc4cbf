// Applies the faults of a soak test to its processes and providers. Resolves when a fault is over.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fleet } from './fleet.ts';
import type { FaultKind, PlannedFault } from './plan.ts';
import type { Providers } from './providers.ts';
import type { SupervisedProcess } from './supervisor.ts';

export interface Target {
  readonly fleet: Fleet;
  readonly providers: Providers;
}

type FaultAction = (target: Target, fault: PlannedFault) => void | Promise<void>;

const getWorker = ({ fleet }: Target, { targetFraction }: PlannedFault): SupervisedProcess =>
  fleet.workers[Math.floor(targetFraction * fleet.workers.length)] as SupervisedProcess;

const freeze: (getProcess: (target: Target, fault: PlannedFault) => SupervisedProcess) => FaultAction =
  getProcess => async (target, fault) => {
    const frozen = getProcess(target, fault);
    const { pid } = frozen;
    frozen.signal('SIGSTOP');
    await sleep(fault.durationMs);
    // If the process was killed in the meantime, a new one has replaced it.
    if (frozen.pid === pid) frozen.signal('SIGCONT');
  };

const FAULT_ACTIONS: Readonly<Record<FaultKind, FaultAction>> = {
  'worker kill': (target, fault) => getWorker(target, fault).signal('SIGKILL'),
  'worker freeze': freeze(getWorker),
  'worker long freeze': freeze(getWorker),
  'worker drain': (target, fault) => getWorker(target, fault).signal('SIGTERM'),
  'api kill': ({ fleet }) => fleet.api.signal('SIGKILL'),
  'api freeze': freeze(({ fleet }) => fleet.api),
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

/** Resolves with the reason if the target is absent at the moment, like PostgreSQL between two starts. */
export async function applyFault(target: Target, fault: PlannedFault): Promise<string | undefined> {
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
      // The process has exited by itself.
      if ((err as NodeJS.ErrnoException).code !== 'ESRCH') throw err;
    }
  }
}
