// Tracks which jobs of the queue this process has received. A job that is locked by this process but unknown to it was
// lost with its connection; the queue itself would wait four hours for it.

interface Job {
  readonly id: unknown;
}

/** By the queue's events. */
export class ReceivedJobs {
  readonly #ids = new Set<string>();
  #suspects: ReadonlySet<string> = new Set();

  add(jobs: readonly Job[]): void {
    for (const { id } of jobs) this.#ids.add(String(id));
  }

  remove(jobs: readonly Job[]): void {
    for (const { id } of jobs) this.#ids.delete(String(id));
  }

  /** Whether the next check may find lost jobs. */
  get hasSuspects(): boolean {
    return this.#suspects.size > 0;
  }

  /**
   * Returns jobs locked by this process that were unknown at the previous check as well, since the end of a job may
   * show late.
   */
  findLost(locked: readonly string[]): readonly string[] {
    const unknown = locked.filter(id => !this.#ids.has(id));
    const lost = unknown.filter(id => this.#suspects.has(id));
    this.#suspects = new Set(unknown);
    return lost;
  }
}
