// Paces the writes of runs that have recorded a lot: one at a time for each workspace, with rests while other workspaces
// write too. A large write takes PostgreSQL as long as hundreds of small ones.
import { setTimeout as sleep } from 'node:timers/promises';

/** While other workspaces write, a workspace rests for this many times as long as its large write took. */
const REST_SHARE = 4;
const MAX_REST_MS = 500;
/** Bridges the pauses between the writes of others. */
const SHARED_MS = 1000;

export class LargeWrites {
  /** Ends with the rest after the last large write of the workspace. */
  readonly #pending = new Map<string, Promise<unknown>>();
  #lastWorkspace: string | undefined;
  #sharedAtMs = Number.NEGATIVE_INFINITY;

  /** Records that the workspace writes something of any size. */
  record(workspace: string): void {
    if (this.#lastWorkspace !== undefined && this.#lastWorkspace !== workspace)
      this.#sharedAtMs = performance.now();
    this.#lastWorkspace = workspace;
  }

  /** Performs a large write when it is the workspace's turn. */
  async perform<T>(workspace: string, write: () => Promise<T>): Promise<T> {
    const before = this.#pending.get(workspace);
    const written = Promise.withResolvers<number>();
    const rested = Promise.all([before, written.promise]).then(([, tookMs]) => this.#rest(tookMs));
    this.#pending.set(workspace, rested);
    void rested.then(() => {
      if (this.#pending.get(workspace) === rested) this.#pending.delete(workspace);
    });
    await before;
    const beganMs = performance.now();
    try {
      return await write();
    } finally {
      written.resolve(performance.now() - beganMs);
    }
  }

  async #rest(tookMs: number): Promise<void> {
    if (performance.now() - this.#sharedAtMs < SHARED_MS)
      await sleep(Math.min(MAX_REST_MS, REST_SHARE * tookMs));
  }
}
