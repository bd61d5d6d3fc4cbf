// Which jobs of the queue this process has received. One that is locked for it and that it does not know was lost with
// the connection that should have brought it; the queue itself would wait four hours for it.

interface Job {
  readonly id: unknown;
}

/** By what the queue announces. */
export class ReceivedJobs {
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
