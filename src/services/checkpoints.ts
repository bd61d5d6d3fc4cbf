// What a run has to tell while it goes on: node states gathered for a moment, written together, one write at a time.

import type { Step } from '../engine/types.ts';
import { isSettled } from '../engine/types.ts';
import type { ClaimedRun, RunWrite } from '../store/runs.ts';
import type { Deps } from './deps.ts';

export interface Checkpoints {
  /** The newest state of every node that has begun. */
  readonly steps: ReadonlyMap<string, Step>;
  add(step: Step): void;
  /** Writes what is left together with the way the run leaves this worker. */
  leave(leave: NonNullable<RunWrite['leave']>): Promise<void>;
  close(): void;
}

// A run of a few free nodes is over sooner, and then costs no checkpoint of its own.
const GATHER_MS = 10;

/** `stop` is aborted with 'lost' where a write finds that the lease number no longer stands. */
export function createCheckpoints(
  deps: Deps,
  run: ClaimedRun,
  steps: Map<string, Step>,
  stop: AbortController,
): Checkpoints {
  let pending = new Map<string, Step>();
  let writing: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;

  const take = (): readonly Step[] => {
    clearTimeout(timer);
    timer = undefined;
    const taken = [...pending.values()];
    pending = new Map();
    return taken;
  };
  const write = async (leave: RunWrite['leave']): Promise<void> => {
    const write = { id: run.id, lease: run.lease, steps: take(), nodes_done: countSettled(steps), leave };
    const written = await deps.runs.write(write);
    if (written === undefined) stop.abort('lost');
    else deps.news.tell(run.id);
  };
  const flush = (): void => {
    writing = writing
      .then(async () => {
        if (pending.size > 0) await write(null);
      })
      .catch((err: unknown) => {
        // Without its states kept the run must not go on; it stays claimed until this worker is known to be gone, or ends.
        deps.log.error({ err, executionId: run.id }, 'a checkpoint could not be written');
        stop.abort('released');
      });
  };
  return {
    steps,
    add(step) {
      if (stop.signal.reason === 'released' || stop.signal.reason === 'lost') return;
      steps.set(step.nodeId, step);
      // Re-inserted, so that the order of writing is the order of happening.
      pending.delete(step.nodeId);
      pending.set(step.nodeId, step);
      timer ??= setTimeout(flush, GATHER_MS);
    },
    async leave(leave) {
      await writing;
      await write(leave);
    },
    close() {
      clearTimeout(timer);
    },
  };
}

function countSettled(steps: ReadonlyMap<string, Step>): number {
  let count = 0;
  for (const { status } of steps.values()) if (isSettled(status)) count++;
  return count;
}
