// Tracks which provider calls of an active run have ended, according to their rows.
import type { WaitingCalls } from '../../engine/types.ts';
import { listEndedCalls } from '../../store/calls.ts';
import type { RunDeps } from '../deps.ts';
import type { Wakes } from '../worker-slots.ts';

export interface CallName {
  readonly node_id: string;
  readonly item: number;
}

const nameOf = (nodeId: string, item: number): string => `${item} ${nodeId}`;

/** Reads the rows again whenever the run is woken. */
export function createWaitingCalls(
  deps: Pick<RunDeps, 'db' | 'log'>,
  executionId: string,
  known: readonly CallName[],
  wakes: Wakes,
): WaitingCalls & { close(): void } {
  const ended = new Set(known.map(({ node_id, item }) => nameOf(node_id, item)));
  const listeners = new Set<() => void>();
  const read = async (): Promise<void> => {
    for (const { node_id, item } of await listEndedCalls(deps.db, executionId))
      ended.add(nameOf(node_id, item));
    for (const listener of listeners) listener();
  };
  wakes.listen(
    () =>
      void read().catch((err: unknown) =>
        deps.log.warn(
          { err, executionId },
          'the calls of a run could not be read; it polls them once it is released',
        ),
      ),
  );
  return {
    takeEnded: (nodeId, item) => ended.delete(nameOf(nodeId, item)),
    hasEnded: (nodeId, item) => ended.has(nameOf(nodeId, item)),
    subscribe(onEnded) {
      listeners.add(onEnded);
      return () => listeners.delete(onEnded);
    },
    close: () => wakes.listen(undefined),
  };
}
