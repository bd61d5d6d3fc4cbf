// Decides which runs start first when slots are scarce: the share of each workspace in a worker, and its limit for
// active runs.
import type { RunRow, WorkspaceLoad } from '../../store/runs.ts';

/** A run that occupies a slot. */
export interface Occupant {
  readonly workspace: string;
  readonly sinceMs: number;
}

/** From this duration on, a run counts as long: it probably waits for a provider or computes a lot. */
export const LONG_MS = 500;

/**
 * Returns the number of a worker's slots for runs that just arrived from the queue. A long run moves to another slot.
 */
export function countQueueSlots(capacity: number): number {
  return Math.ceil(capacity / 4);
}

/**
 * Returns whether an accepted run may start in this process immediately. All runs of its workspace count, even short
 * ones.
 */
export function canStartLocally(
  capacity: number,
  occupants: readonly Occupant[],
  workspace: string,
): boolean {
  return !listAtLimit(capacity, occupants).includes(workspace);
}

/** Lists the workspaces with at least as many long runs as there are slots without a long run. */
export function listSaturated(
  capacity: number,
  occupants: readonly Occupant[],
  nowMs: number,
): readonly string[] {
  const longRuns = occupants.filter(({ sinceMs }) => nowMs - sinceMs >= LONG_MS);
  return listAtLimit(capacity, longRuns);
}

function listAtLimit(capacity: number, occupants: readonly Occupant[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const { workspace } of occupants) counts.set(workspace, (counts.get(workspace) ?? 0) + 1);
  return [...counts]
    .filter(([, count]) => count >= capacity - occupants.length)
    .map(([workspace]) => workspace);
}

export interface WorkspaceSlots {
  /** Returns whether the workspace may start one more run, and counts it. */
  tryClaim(workspace: string): boolean;
}

export function createWorkspaceSlots(loads: readonly WorkspaceLoad[], maxConcurrent: number): WorkspaceSlots {
  const counts = new Map(loads.map(({ workspace, under_way }) => [workspace, under_way]));
  return {
    tryClaim(workspace) {
      const count = counts.get(workspace) ?? 0;
      if (count >= maxConcurrent) return false;
      counts.set(workspace, count + 1);
      return true;
    },
  };
}

/** Returns the ids of the runs that the worker claims; the other runs are parked. Active runs always continue. */
export function selectClaimable(
  runs: readonly RunRow[],
  { tryClaim }: WorkspaceSlots,
  saturated: readonly string[],
): ReadonlySet<string> {
  const admittedRuns = runs.filter(
    ({ workspace, under_way }) => under_way || (!saturated.includes(workspace) && tryClaim(workspace)),
  );
  return new Set(admittedRuns.map(({ id }) => id));
}
