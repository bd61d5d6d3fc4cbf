// Keeps workers, such as threads or child processes, for the next task, and ends each that had none for a while.

export class IdlePool<Worker extends object> {
  readonly #idleMs: number;
  readonly #end: (worker: Worker) => void;
  /** With the timer that ends each. */
  readonly #workers = new Map<Worker, NodeJS.Timeout>();

  constructor(idleMs: number, end: (worker: Worker) => void) {
    this.#idleMs = idleMs;
    this.#end = end;
  }

  /** Takes the worker that was added last, because it likely still has in memory what the next task needs. */
  take(): Worker | undefined {
    const worker = [...this.#workers.keys()].at(-1);
    if (worker !== undefined) this.remove(worker);
    return worker;
  }

  add(worker: Worker): void {
    const timer = setTimeout(() => {
      this.remove(worker);
      this.#end(worker);
    }, this.#idleMs);
    this.#workers.set(worker, timer.unref());
  }

  /** Forgets a worker, for example because it has ended. */
  remove(worker: Worker): void {
    clearTimeout(this.#workers.get(worker));
    this.#workers.delete(worker);
  }
}
