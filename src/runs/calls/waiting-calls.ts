// Tracks which provider calls of an active run have ended, according to the database.
import type { WaitingCalls } from '../../engine/types.ts';
import { listEndedCalls } from '../../store/calls.ts';
import type { RunDeps } from '../deps.ts';
import type { Wakes } from '../worker-slots.ts';

export interface CallName {
  readonly node_id: string;
  readonly item: number;
}

const toCallName = (nodeId: string, item: number): string => `${item} ${nodeId}`;

/** Reads the rows again whenever the run is woken. */
export function createWaitingCalls(
  deps: Pick<RunDeps, 'db' | 'log'>,
  executionId: string,
  endedCalls: readonly CallName[],
  wakes: Wakes,
): WaitingCalls & { close(): void } {
  const ended = new Set(endedCalls.map(({ node_id, item }) => toCallName(node_id, item)));
  const listeners = new Set<() => void>();
  const refresh = async (): Promise<void> => {
    for (const { node_id, item } of await listEndedCalls(deps.db, executionId))
      ended.add(toCallName(node_id, item));
    for (const listener of listeners) listener();
  };
  wakes.listen(
    () =>
      void refresh().catch((err: unknown) =>
        deps.log.warn(
          { err, executionId },
          'the calls of a run could not be read; it polls them once it is released',
        ),
      ),
  );
  return {
    consumeEnded: (nodeId, item) => ended.delete(toCallName(nodeId, item)),
    hasEnded: (nodeId, item) => ended.has(toCallName(nodeId, item)),
    subscribe(onEnded) {
      listeners.add(onEnded);
      return () => listeners.delete(onEnded);
    },
    close: () => wakes.listen(undefined),
  };
}
