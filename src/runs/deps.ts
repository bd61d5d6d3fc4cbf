// What the functions of this module get first: the parts that every service gets, the writer and reader of runs, and the
// place where accepted runs start.
import type { Deps } from '../services/deps.ts';
import type { RunRow } from '../store/runs.ts';
import type { RunReads } from './calls/run-reads.ts';
import type { ProviderTraffic } from './calls/traffic.ts';
import type { RunCommit } from './commit.ts';

export interface RunDeps extends Deps {
  readonly commit: RunCommit;
  readonly reads: RunReads;
  readonly placement: Placement;
  readonly traffic: ProviderTraffic;
}

/** Where a run begins that is being accepted. */
export interface Placement {
  /** A slot for a run of the workspace in this process; undefined: it goes by the queue. */
  reserve(workspace: string): ReservedSlot | undefined;
}

export interface ReservedSlot {
  readonly workerId: string;
  /** Begins with the run, which was claimed for the worker as it was accepted. Releases the slot by itself. */
  start(deps: RunDeps, run: RunRow): void;
  /** Releases the slot where nothing begins. */
  release(): void;
}
