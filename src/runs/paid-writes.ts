// The write of a run that may cost: node states, charges and release in one commit.
import type { Step } from '../engine/types.ts';
import { charge, releaseRun } from '../store/credits.ts';
import type { Db } from '../store/db.ts';
import type { RunWrite, WrittenRun } from '../store/runs.ts';
import { writeRuns } from '../store/runs.ts';

/**
 * The write of a run that may cost: node states, charges for what delivered, and at its end the release, in one commit.
 * A step says what its node has cost so far, so a write that is made twice charges once.
 */
export async function writePaid(db: Db, write: RunWrite): Promise<WrittenRun | undefined> {
  return db.transaction(async tx => {
    const [written] = await writeRuns(tx, [write]);
    // The lease number no longer stands: whoever holds the run now charges what it writes.
    if (written === undefined) return undefined;
    for (const step of write.steps as readonly Step[]) {
      if (step.credits !== undefined) await charge(tx, write.id, step.nodeId, step.credits);
    }
    if (write.leave !== null && write.leave.finished_at !== null) await releaseRun(tx, write.id);
    return written;
  });
}
