// Defines the dependencies of this folder: those of all services, and what only runs need.
import type { Deps } from '../services/deps.ts';
import type { RunRow } from '../store/runs.ts';
import type { RunReads } from './calls/run-reads.ts';
import type { ProviderTraffic } from './calls/traffic.ts';
import type { RunCommit } from './change/commit.ts';
import type { ShippedTemplates } from './templates/shipped-templates.ts';

export interface RunDeps extends Deps {
  readonly commit: RunCommit;
  readonly runReads: RunReads;
  readonly placement: Placement;
  readonly traffic: ProviderTraffic;
  readonly shippedTemplates: ShippedTemplates;
  /** The number of model nodes that ended in this process, by a JSON array of provider, class, credential kind and status. */
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
