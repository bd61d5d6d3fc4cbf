// What the functions of this module get first: the parts that every service gets, the writer of runs, and the
// place where accepted runs begin.
import type { Deps } from '../services/deps.ts';
import type { RunRow } from '../store/runs.ts';
import type { RunCommit } from './commit.ts';

export interface RunDeps extends Deps {
  readonly commit: RunCommit;
  readonly placement: Placement;
}

/** Where a run begins that is being accepted. */
export interface Placement {
  /** A place for a run of the workspace in this process; undefined: it goes by the queue. */
  reserve(workspace: string): Place | undefined;
}

export interface Place {
  readonly workerId: string;
  /** Begins with the run, which was claimed for the worker as it was accepted. Gives the place back by itself. */
  begin(deps: RunDeps, run: RunRow): void;
  /** Gives the place back where nothing begins. */
  free(): void;
}
