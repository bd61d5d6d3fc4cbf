// Tracks which provider calls of an active run were woken: their work has ended, or they were granted a slot.
import type { CallWakes } from '../../engine/types.ts';
import { listWokenCalls } from '../../store/calls.ts';
import type { RunDeps } from '../deps.ts';
import type { WakeMailbox } from '../slots/worker-slots.ts';

/** A call of a node. */
export interface NodeItem {
  readonly node_id: string;
  /** The item of a mapped node, otherwise 0. */
  readonly item: number;
}

export const toItemKey = (nodeId: string, item: number): string => `${item} ${nodeId}`;

/** Starts with `wokenCalls`, and reads the call rows of the run again whenever the run is woken. */
export function createCallWakes(
  deps: Pick<RunDeps, 'db' | 'log'>,
  executionId: string,
  wokenCalls: readonly NodeItem[],
  wakeMailbox: WakeMailbox,
): CallWakes & { close(): void } {
  const wokenKeys = new Set(wokenCalls.map(({ node_id, item }) => toItemKey(node_id, item)));
  const listeners = new Set<() => void>();
  const refresh = async (): Promise<void> => {
    for (const { node_id, item } of await listWokenCalls(deps.db, executionId))
      wokenKeys.add(toItemKey(node_id, item));
    for (const listener of listeners) listener();
  };
  wakeMailbox.listen(
    () =>
      void refresh().catch((err: unknown) =>
        deps.log.warn(
          { err, executionId },
          'the calls of a run could not be read; it polls them once it is released',
        ),
      ),
  );
  return {
    consumeWake: (nodeId, item) => wokenKeys.delete(toItemKey(nodeId, item)),
    isWoken: (nodeId, item) => wokenKeys.has(toItemKey(nodeId, item)),
    subscribe(onWoken) {
      listeners.add(onWoken);
      return () => listeners.delete(onWoken);
    },
    close: () => wakeMailbox.listen(undefined),
  };
}
