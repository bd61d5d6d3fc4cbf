// Accepting a run that costs nothing: where this process has a worker with a place, the commit that makes the run exist
// claims it too, so that no queue stands between. What comes of the worker is taken care of like any claim's.
import { toError } from '../lib/errors.ts';
import type { NewRun } from '../store/runs.ts';
import type { Deps } from './deps.ts';
import { holdRun } from './execute-run.ts';
import { besideFromStart, hasRoomBeside } from './run-holder.ts';

/** Resolves once the run is stored; to false where another run of the last 24 hours holds its idempotency key. */
export async function acceptFree(deps: Deps, run: NewRun): Promise<boolean> {
  const { worker } = deps.runs.host;
  if (worker === undefined || !hasRoomBeside(worker, run.workspace))
    return (await deps.runs.accept(run)).isStored;
  const stored = Promise.withResolvers<boolean>();
  let isAnswered = false;
  const claim = async () => {
    const { isStored, claimed } = await deps.runs.accept(run, worker);
    isAnswered = true;
    stored.resolve(isStored);
    return claimed;
  };
  besideFromStart(worker, () => holdRun(deps, worker, run, claim)).catch((err: unknown) => {
    if (isAnswered)
      deps.log.error({ err, executionId: run.id }, 'a run was let go of; it goes on with the next heartbeat');
    else stored.reject(toError(err));
  });
  return stored.promise;
}
