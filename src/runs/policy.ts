// Who goes first where there are not enough slots: the shares of workspaces in a worker, and their runs at once.
import type { RunRow, WorkspaceLoad } from '../store/runs.ts';

/** A run that has a slot. */
export interface Occupant {
  readonly workspace: string;
  readonly sinceMs: number;
}

/** A run that takes longer waits for something outside, or computes much: for how long nobody knows. */
export const LONG_MS = 500;

/** Of a worker's slots, how many are for runs that have just come by the queue; one that is long releases it to the next. */
export function queueShare(capacity: number): number {
  return Math.ceil(capacity / 4);
}

/** Whether a run that is being accepted may begin here at once; its workspace's runs count however long they admit. */
export function mayStartHere(capacity: number, occupants: readonly Occupant[], workspace: string): boolean {
  return !listAtLimit(capacity, occupants).includes(workspace);
}

/** Workspaces whose long runs use as many slots as all long runs leave free: they get no more for now. */
export function listSaturated(
  capacity: number,
  occupants: readonly Occupant[],
  nowMs: number,
): readonly string[] {
  const long = occupants.filter(({ sinceMs }) => nowMs - sinceMs >= LONG_MS);
  return listAtLimit(capacity, long);
}

function listAtLimit(capacity: number, occupants: readonly Occupant[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const { workspace } of occupants) counts.set(workspace, (counts.get(workspace) ?? 0) + 1);
  return [...counts]
    .filter(([, count]) => count >= capacity - occupants.length)
    .map(([workspace]) => workspace);
}

/** Counts a workspace's runs at once: `admit` says whether one more may go on, and counts it. */
export interface Admission {
  admit(workspace: string): boolean;
}

export function createAdmission(loads: readonly WorkspaceLoad[], maxConcurrent: number): Admission {
  const counts = new Map(loads.map(({ workspace, under_way }) => [workspace, under_way]));
  return {
    admit(workspace) {
      const count = counts.get(workspace) ?? 0;
      if (count >= maxConcurrent) return false;
      counts.set(workspace, count + 1);
      return true;
    },
  };
}

/** Which of the runs that a worker is offered it claims; the others are deferred. One that is under way goes on. */
export function admitClaims(
  runs: readonly RunRow[],
  { admit }: Admission,
  saturated: readonly string[],
): ReadonlySet<string> {
  const admitted = runs.filter(
    ({ workspace, under_way }) => under_way || (!saturated.includes(workspace) && admit(workspace)),
  );
  return new Set(admitted.map(({ id }) => id));
}
