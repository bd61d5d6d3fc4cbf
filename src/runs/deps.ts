// Defines the dependencies of this folder: those of every service, plus the access to runs and the placement of
// accepted runs.
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
  /** How many model nodes ended in this process, by the JSON array of provider, class, kind of credential and status. */
  readonly modelCounts: Map<string, number>;
}

/** Decides where an accepted run starts. */
export interface Placement {
  /** Reserves a slot in this process for a run of the workspace. Returns undefined if the run must be queued. */
  reserve(workspace: string): ReservedSlot | undefined;
}

export interface ReservedSlot {
  readonly workerId: string;
  /** Starts the run, which was claimed for this worker when it was accepted. Releases the slot at the end. */
  start(deps: RunDeps, run: RunRow): void;
  /** Releases the slot if no run starts. */
  release(): void;
}
