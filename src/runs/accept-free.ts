// Accepting a run that costs nothing: where a worker has a place, the commit that makes the run exist claims it for that
// worker too, so that no queue stands between. What comes of the worker is taken care of like any claim's.
import { toError } from '../lib/errors.ts';
import type { NewRun } from '../store/runs.ts';
import { returnRuns } from '../store/workers.ts';
import type { RunDeps } from './deps.ts';
import { holdRun } from './execute-run.ts';
import type { RunHolder } from './run-holder.ts';
import { besideFromStart, hasRoomBeside, hasShareLeft } from './run-holder.ts';

/** Resolves once the run is stored; to false where another run of the last 24 hours holds its idempotency key. */
export async function acceptFree(deps: RunDeps, run: NewRun): Promise<boolean> {
  const { worker } = deps.runs.host;
  if (worker === undefined) return (await deps.runs.accept(run, deps.runs.others)).isStored;
  if (!hasRoomBeside(worker, run.workspace)) return (await deps.runs.accept(run)).isStored;
  const stored = Promise.withResolvers<boolean>();
  let isAnswered = false;
  const claim = async () => {
    const { isStored, claimed } = await deps.runs.accept(run, worker);
    isAnswered = true;
    stored.resolve(isStored);
    return claimed;
  };
  besideFromStart(worker, () => holdRun(deps, worker, run, claim)).catch((err: unknown) => {
    if (isAnswered) deps.log.error({ err, executionId: run.id }, LET_GO);
    else stored.reject(toError(err));
  });
  return stored.promise;
}

/** Runs that another process accepted and gave to this worker; what it has no place for, or no time, goes to the queue. */
export function takeGiven(deps: RunDeps, worker: RunHolder, ids: readonly string[]): void {
  const isStopping = deps.runs.host.worker !== worker;
  for (const id of ids) {
    const isFull = isStopping || worker.beside.now >= worker.beside.most;
    const claim = async () => {
      const run = await deps.runs.findGiven(id, worker);
      if (run === undefined || (!isFull && hasShareLeft(worker, run.workspace))) return run;
      await returnRuns(deps.db, [run]);
      return undefined;
    };
    besideFromStart(worker, () => holdRun(deps, worker, { id, workspace: undefined }, claim)).catch(
      (err: unknown) => deps.log.error({ err, executionId: id }, LET_GO),
    );
  }
}

const LET_GO = 'a run was let go of; it goes on with the next heartbeat';
