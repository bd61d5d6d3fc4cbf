// Which jobs of the queue this process has. One that is locked for it and that it does not have was lost on its way here,
// with the connection that should have brought it; the queue itself would wait four hours for it.
import type { Tx } from '../store/db.ts';
import { listLockedJobs, unlockJobs } from '../store/queue.ts';

interface Job {
  readonly id: unknown;
}

/** By what the queue announces. */
export class JobsInHand {
  readonly #ids = new Set<string>();
  #suspects: ReadonlySet<string> = new Set();

  add(jobs: readonly Job[]): void {
    for (const { id } of jobs) this.#ids.add(String(id));
  }

  remove(jobs: readonly Job[]): void {
    for (const { id } of jobs) this.#ids.delete(String(id));
  }

  /** Of jobs that are locked for this process, those that were unknown at the last look as well: that one ended may show late. */
  findLost(locked: readonly string[]): readonly string[] {
    const unknown = locked.filter(id => !this.#ids.has(id));
    const lost = unknown.filter(id => this.#suspects.has(id));
    this.#suspects = new Set(unknown);
    return lost;
  }
}

/** Gives lost jobs back to the queue; returns how many. `pools`: what this process's jobs are locked by. */
export async function unlockLost(tx: Tx, inHand: JobsInHand, pools: readonly string[]): Promise<number> {
  const lost = inHand.findLost(await listLockedJobs(tx, pools));
  if (lost.length > 0) await unlockJobs(tx, pools, lost);
  return lost.length;
}
