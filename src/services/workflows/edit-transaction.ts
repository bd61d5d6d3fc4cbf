// Runs a transaction that changes a graph. Slow work, such as a task for a thread or the resolution of calls, is done
// between two attempts, while neither a connection nor a lock is held.
import { AppError } from '../../lib/errors.ts';
import type { Transaction } from '../../store/db.ts';
import type { UserActor } from '../accounts/actor.ts';
import type { Caller, ResolveDeps } from '../components/resolve-calls.ts';
import type { Deps } from '../deps.ts';
import type { GraphResults, GraphTask, TaskOf } from './graph-task.ts';
import { findNodesWithCalls, performGraphWork, performInPlace, performWrite } from './graph-work.ts';

/**
 * Returns the result of the task, which depends on version `base` of the graph. If the task must run outside of the
 * transaction, ends this attempt. The next attempt gets the result if the graph still has the version `base`.
 */
export type GraphTaskRunner = <Kind extends GraphTask['kind']>(
  base: number,
  task: TaskOf<Kind>,
  caller: Caller,
) => GraphResults[Kind];

const MAX_ATTEMPTS = 5;

/**
 * Runs the transaction, and repeats it after its task was done outside. For the same base, the transaction must request
 * one task, which must always be the same. Throws what the transaction throws, and 503 if the graph changes too often.
 */
export async function editTransaction<T>(
  deps: Pick<Deps, 'settings'> & ResolveDeps,
  user: Pick<UserActor, 'userId'>,
  edit: (tx: Transaction, runTask: GraphTaskRunner) => Promise<T>,
): Promise<T> {
  let prepared: { readonly base: number; readonly result: unknown } | undefined;
  const runTask: GraphTaskRunner = <Kind extends GraphTask['kind']>(
    base: number,
    task: TaskOf<Kind>,
    caller: Caller,
  ) => {
    if (prepared?.base === base) return prepared.result as GraphResults[Kind];
    const result = findNodesWithCalls(task) === undefined ? performInPlace<Kind>(deps, task) : undefined;
    if (result === undefined) throw new NeedsPreparationError(base, task, caller);
    return result;
  };
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    try {
      return await deps.db.transaction(tx => edit(tx, runTask));
    } catch (err) {
      if (!(err instanceof NeedsPreparationError)) throw err;
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
  { task, caller }: NeedsPreparationError,
): Promise<unknown> =>
  task.kind === 'write' || task.kind === 'restore'
    ? performWrite(deps, user, task, caller)
    : performGraphWork(deps, task);

class NeedsPreparationError extends Error {
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
