// What a run has to tell while it goes on: node states gathered for a moment, written together, one write at a time.
import type { Step } from '../engine/types.ts';
import { isSettled } from '../engine/types.ts';
import { isOutage } from '../store/db.ts';
import { outlast } from '../store/patience.ts';
import type { ClaimedRun, RunWrite, WrittenRun } from '../store/runs.ts';
import type { RunDeps } from './deps.ts';

export interface Checkpoints {
  /** The newest state of every node that has begun. */
  readonly steps: ReadonlyMap<string, Step>;
  add(step: Step): void;
  /** Resolves once what was added is stored; rejects where the run is no longer this worker's, or cannot be stored. */
  saved(): Promise<void>;
  /** Writes what is left together with the way the run leaves this worker. Rejects where it could not be written. */
  leave(leave: NonNullable<RunWrite['leave']>): Promise<void>;
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
  { run, isPaid }: { readonly run: ClaimedRun; readonly isPaid: boolean },
  steps: Map<string, Step>,
  stop: AbortController,
): Checkpoints {
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
  const write = async (leave: RunWrite['leave']): Promise<void> => {
    const write = { id: run.id, lease: run.lease, steps: take(), nodes_done: countSettled(steps), leave };
    if ((await writePatiently(deps, isPaid ? deps.runs.writePaid : deps.runs.write, write)) === undefined)
      shut('lost');
    else deps.runNotifier.notify(run.id);
  };
  const flush = (): void => {
    writing = writing
      .then(async () => {
        if (pending.size > 0) await write(null);
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
    async leave(leave) {
      await writing;
      await write(leave);
    },
    close() {
      clearTimeout(timer);
    },
  };
}

/** A write that did arrive and is made again finds the lease number gone or says the same things twice. */
function writePatiently(
  deps: RunDeps,
  send: RunDeps['runs']['write'],
  write: RunWrite,
): Promise<WrittenRun | undefined> {
  return outlast(
    () => send(write),
    err => deps.log.warn({ err, executionId: write.id }, 'a checkpoint is written again'),
  );
}

function countSettled(steps: ReadonlyMap<string, Step>): number {
  let count = 0;
  for (const { status } of steps.values()) if (isSettled(status)) count++;
  return count;
}
