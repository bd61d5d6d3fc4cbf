// Tracks which queue jobs this process has received. A job that is locked for this process but was not received is lost,
// because the connection broke in between. Without this check, the queue would retry the job only after four hours.
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
   * Returns the locked jobs of this process that this and the previous check did not know. One check is not enough,
   * because the end of a job may be recorded late.
   */
  findLost(locked: readonly string[]): readonly string[] {
    const unknownIds = locked.filter(id => !this.#ids.has(id));
    const lostIds = unknownIds.filter(id => this.#suspects.has(id));
    this.#suspects = new Set(unknownIds);
    return lostIds;
  }
}
