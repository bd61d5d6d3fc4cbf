// Tracks which provider calls of an active run have ended according to the database.
import type { WaitingCalls } from '../../engine/types.ts';
import { listReadyCalls } from '../../store/calls.ts';
import type { RunDeps } from '../deps.ts';
import type { Wakes } from '../worker-slots.ts';

/** A call of a node: the item of a mapped node, otherwise 0. */
export interface NodeItem {
  readonly node_id: string;
  readonly item: number;
}

export const toItemKey = (nodeId: string, item: number): string => `${item} ${nodeId}`;

/** Reads the rows again whenever the run is woken. */
export function createWaitingCalls(
  deps: Pick<RunDeps, 'db' | 'log'>,
  executionId: string,
  endedCalls: readonly NodeItem[],
  wakes: Wakes,
): WaitingCalls & { close(): void } {
  const ended = new Set(endedCalls.map(({ node_id, item }) => toItemKey(node_id, item)));
  const listeners = new Set<() => void>();
  const refresh = async (): Promise<void> => {
    for (const { node_id, item } of await listReadyCalls(deps.db, executionId))
      ended.add(toItemKey(node_id, item));
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
    consumeWake: (nodeId, item) => ended.delete(toItemKey(nodeId, item)),
    isWoken: (nodeId, item) => ended.has(toItemKey(nodeId, item)),
    subscribe(onEnded) {
      listeners.add(onEnded);
      return () => listeners.delete(onEnded);
    },
    close: () => wakes.listen(undefined),
  };
}
