// Tracks which queue jobs this process has received. A job that it has locked but not received was lost with a connection;
// without this check, the queue would retry it only after four hours.
interface Job {
  readonly id: unknown;
}

/** Updated by the queue's events. */
export class ReceivedJobs {
  readonly #ids = new Set<string>();
  #suspects: ReadonlySet<string> = new Set();

  add(jobs: readonly Job[]): void {
    for (const { id } of jobs) this.#ids.add(String(id));
  }

  remove(jobs: readonly Job[]): void {
    for (const { id } of jobs) this.#ids.delete(String(id));
  }

  /** Returns whether the next check may find lost jobs. */
  get hasSuspects(): boolean {
    return this.#suspects.size > 0;
  }

  /**
   * Returns jobs that are locked by this process and were unknown at the previous check too, because the end of a job
   * may be recorded late.
   */
  findLost(locked: readonly string[]): readonly string[] {
    const unknownIds = locked.filter(id => !this.#ids.has(id));
    const lostIds = unknownIds.filter(id => this.#suspects.has(id));
    this.#suspects = new Set(unknownIds);
    return lostIds;
  }
}
