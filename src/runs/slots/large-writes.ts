// Limits the large writes of a workspace to one at a time, with pauses while other workspaces write too. A large write
// takes PostgreSQL as long as hundreds of small ones.
import { setTimeout as sleep } from 'node:timers/promises';

/** While other workspaces write, the pause is this many times as long as the large write took. */
const PAUSE_FACTOR = 4;
const MAX_PAUSE_MS = 5000;
/** How long after a write of another workspace PostgreSQL counts as shared. */
const SHARED_MS = 1000;

export class LargeWrites {
  /** By workspace, a promise that resolves at the end of the pause after the workspace's last large write. */
  readonly #pauses = new Map<string, Promise<unknown>>();
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
    const previousPause = this.#pauses.get(workspace);
    const writeTime = Promise.withResolvers<number>();
    const pause = Promise.all([previousPause, writeTime.promise]).then(([, tookMs]) => this.#pause(tookMs));
    this.#pauses.set(workspace, pause);
    void pause.then(() => {
      if (this.#pauses.get(workspace) === pause) this.#pauses.delete(workspace);
    });
    await previousPause;
    const startedMs = performance.now();
    try {
      return await write();
    } finally {
      writeTime.resolve(performance.now() - startedMs);
    }
  }

  async #pause(tookMs: number): Promise<void> {
    if (performance.now() - this.#sharedAtMs < SHARED_MS)
      await sleep(Math.min(MAX_PAUSE_MS, PAUSE_FACTOR * tookMs));
  }
}
