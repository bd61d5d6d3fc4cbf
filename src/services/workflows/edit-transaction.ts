// Runs a transaction that changes a graph. Work for a thread, and the resolution of calls, is done between two attempts,
// so that neither a connection nor a lock waits for it.
import { AppError } from '../../lib/errors.ts';
import type { Tx } from '../../store/db.ts';
import type { UserActor } from '../accounts/actor.ts';
import type { Caller, ResolveDeps } from '../components/resolve-calls.ts';
import type { Deps } from '../deps.ts';
import type { GraphResults, GraphTask, TaskOf } from './graph-task.ts';
import { findNodesWithCalls, performGraphWork, performInPlace, performWrite } from './graph-work.ts';

/**
 * Returns the task's result, or ends this attempt of the transaction until there is one. `base` is the version of the
 * graph that the task works on: a result is used only if the next attempt finds the same version.
 */
export type GraphWorker = <Kind extends GraphTask['kind']>(
  base: number,
  task: TaskOf<Kind>,
  caller: Caller,
) => GraphResults[Kind];

const MAX_TRIES = 5;

/**
 * Runs the transaction, and repeats it after its task was done outside. It must request the same single task for
 * the same base. Throws what the transaction throws, and 503.
 */
export async function editTransaction<T>(
  deps: Pick<Deps, 'settings'> & ResolveDeps,
  user: Pick<UserActor, 'userId'>,
  edit: (tx: Tx, work: GraphWorker) => Promise<T>,
): Promise<T> {
  let prepared: { readonly base: number; readonly result: unknown } | undefined;
  const work: GraphWorker = <Kind extends GraphTask['kind']>(
    base: number,
    task: TaskOf<Kind>,
    caller: Caller,
  ) => {
    if (prepared?.base === base) return prepared.result as GraphResults[Kind];
    const result = findNodesWithCalls(task) === undefined ? performInPlace<Kind>(deps, task) : undefined;
    if (result === undefined) throw new NeedsPreparation(base, task, caller);
    return result;
  };
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    try {
      return await deps.db.transaction(tx => edit(tx, work));
    } catch (err) {
      if (!(err instanceof NeedsPreparation)) throw err;
      prepared = { base: err.base, result: await prepare(deps, user, err) };
    }
  }
  throw new AppError(
    'unavailable',
    'The workflow is changing too often to be checked. Try again in a few seconds.',
    { headers: { 'retry-after': '2' } },
  );
}

const prepare = (
  deps: Pick<Deps, 'settings'> & ResolveDeps,
  user: Pick<UserActor, 'userId'>,
  { task, caller }: NeedsPreparation,
): Promise<unknown> =>
  task.kind === 'write' || task.kind === 'restore'
    ? performWrite(deps, user, task, caller)
    : performGraphWork(deps, String(user.userId), task);

class NeedsPreparation extends Error {
  readonly base: number;
  readonly task: GraphTask;
  readonly caller: Caller;

  constructor(base: number, task: GraphTask, caller: Caller) {
    super('The graph task must be done outside of the transaction.');
    this.base = base;
    this.task = task;
    this.caller = caller;
  }
}
