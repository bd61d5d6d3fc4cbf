// What a run has to tell while it goes on: node states gathered for a moment, written together, one write at a time.
import type { Step } from '../engine/types.ts';
import { isSettled } from '../engine/types.ts';
import { isOutage } from '../store/db.ts';
import { outlast } from '../store/patience.ts';
import type { RunRow } from '../store/runs.ts';
import type { RunDeps } from './deps.ts';
import type { RunEvent } from './lifecycle.ts';

type Held = 'lease' | 'steps' | 'nodesDone' | 'timeoutAtMs';
/** How a run leaves its worker, but for the states of its nodes. */
export type Leaving = WithoutNews<Extract<RunEvent, { readonly kind: 'suspend' | 'release' | 'end' }>>;
type WithoutNews<E> = E extends unknown ? Omit<E, Held> : never;

export interface Checkpoints {
  /** The newest state of every node that has begun. */
  readonly steps: ReadonlyMap<string, Step>;
  add(step: Step): void;
  /** Resolves once what was added is stored; rejects where the run is no longer this worker's, or cannot be stored. */
  saved(): Promise<void>;
  /** Writes what is left together with the way the run leaves this worker. Rejects where it could not be written. */
  leave(leaving: Leaving): Promise<void>;
  close(): void;
}

// A run of a few free nodes is over sooner, and then costs no checkpoint of its own.
const GATHER_MS = 10;

/**
 * `stop` is aborted with 'lost' where a write finds that the lease number no longer stands or the database stays away,
 * with 'broken' where it refuses what is to be written.
 */
export function createCheckpoints(
  deps: RunDeps,
  { run, timeoutAtMs }: { readonly run: RunRow; readonly timeoutAtMs: number },
  steps: Map<string, Step>,
  stop: AbortController,
): Checkpoints {
  // As it was last written.
  let row = run;
  let pending = new Map<string, Step>();
  let writing: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  let isShut = false;

  const shut = (reason: 'lost' | 'broken'): void => {
    isShut = true;
    stop.abort(reason);
  };

  const take = (): readonly Step[] => {
    clearTimeout(timer);
    timer = undefined;
    const taken = [...pending.values()];
    pending = new Map();
    return taken;
  };
  const write = async (leaving: Leaving | { readonly kind: 'checkpoint' }): Promise<void> => {
    const news = { lease: run.lease, steps: take(), nodesDone: countSettled(steps), timeoutAtMs };
    const event = { ...leaving, ...news } as RunEvent;
    const written = await outlast(
      // A write that did arrive and is made again finds the run let go of, or says the same things twice.
      () => deps.commit.write(row, event),
      err => deps.log.warn({ err, executionId: run.id }, 'a checkpoint is written again'),
    );
    if (written === undefined) return shut('lost');
    row = written;
    deps.runNotifier.notify(run.id);
  };
  const flush = (): void => {
    writing = writing
      .then(async () => {
        if (pending.size > 0) await write({ kind: 'checkpoint' });
      })
      .catch((err: unknown) => {
        deps.log.error({ err, executionId: run.id }, 'a checkpoint could not be written');
        shut(isOutage(err) ? 'lost' : 'broken');
      });
  };
  return {
    steps,
    add(step) {
      if (isShut) return;
      // Of a run let go of only what a call at a provider keeps of itself still counts: it may have cost already.
      if (stop.signal.reason === 'released' && step.jobs === undefined) return;
      steps.set(step.nodeId, step);
      // Re-inserted, so that the order of writing is the order of happening.
      pending.delete(step.nodeId);
      pending.set(step.nodeId, step);
      timer ??= setTimeout(flush, GATHER_MS);
    },
    async saved() {
      clearTimeout(timer);
      timer = undefined;
      flush();
      await writing;
      if (isShut) throw new Error('The states of the run can no longer be stored by this worker.');
    },
    async leave(leaving) {
      await writing;
      await write(leaving);
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
