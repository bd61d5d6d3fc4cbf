// The runs in a worker's hands, and how they share it: long ones leave their place in the queue to the next, and no
// workspace holds more of the worker than stays free for the others.

/**
 * Why a run was stopped from outside. `released` and `lost` end nothing: another worker goes on. `broken`: what it
 * has done cannot be stored.
 */
export type StopReason = 'cancelled' | 'timeout' | 'broken' | 'released' | 'lost';

export interface RunInHand {
  readonly stop: (reason: StopReason) => void;
  /** Resolves once this process has let go of it. */
  readonly ended: Promise<void>;
  /** Set once it is claimed, or as soon as a place is taken for it. */
  held: { readonly workspace: string; readonly sinceMs: number } | undefined;
}

export interface RunHolder {
  /** Another one after this worker was taken for dead. */
  workerId: string;
  /** The runs that this process claims or executes, by id. */
  readonly inHand: Map<string, RunInHand>;
  /** Runs in hand at once. */
  readonly capacity: number;
  /** Of these, runs that have left the queue, or never were in it. */
  readonly beside: { readonly most: number; now: number };
}

/** A run that takes longer waits for something outside: it costs the worker little, but for how long nobody knows. */
const LONG_MS = 500;

/** `capacity` runs at once, a quarter of them on their way through the queue. */
export function createHolder(capacity: number): RunHolder & { readonly queued: number } {
  const queued = Math.ceil(capacity / 4);
  return { workerId: '', inHand: new Map(), capacity, queued, beside: { most: capacity - queued, now: 0 } };
}

/**
 * Does the work of a run, and resolves when it has ended, or goes on without the queue: its worker's heartbeat and its
 * lease are what it is held by. Rejects where the work failed before.
 */
export function besideQueue(
  holder: RunHolder,
  id: string,
  work: () => Promise<void>,
  onLateError: (err: unknown) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let isBeside = false;
    const timer = setInterval(() => {
      if (holder.inHand.get(id)?.held === undefined || holder.beside.now >= holder.beside.most) return;
      clearInterval(timer);
      isBeside = true;
      holder.beside.now++;
      resolve();
    }, LONG_MS);
    work()
      .finally(() => {
        clearInterval(timer);
        if (isBeside) holder.beside.now--;
      })
      .then(resolve, (err: unknown) => (isBeside ? onLateError(err) : reject(err)));
  });
}

/** Whether a run that comes now may begin beside the queue; its workspace's runs count however long they take. */
export function hasRoomBeside(holder: RunHolder, workspace: string): boolean {
  return holder.beside.now < holder.beside.most && hasShareLeft(holder, workspace);
}

/** Whether the workspace's runs leave as many places free as they take. */
export function hasShareLeft(holder: RunHolder, workspace: string): boolean {
  return !listFullHanded(holder, () => true).includes(workspace);
}

/** Does the work of a run that is not in the queue, in a place beside it. */
export async function besideFromStart(holder: RunHolder, work: () => Promise<void>): Promise<void> {
  holder.beside.now++;
  try {
    await work();
  } finally {
    holder.beside.now--;
  }
}

/** Workspaces whose long runs take as many places of the worker as all long runs leave free: they get no more for now. */
export function listCrowded(holder: RunHolder, nowMs: number): readonly string[] {
  return listFullHanded(holder, ({ sinceMs }) => nowMs - sinceMs >= LONG_MS);
}

function listFullHanded(
  { inHand, capacity }: RunHolder,
  counts: (held: NonNullable<RunInHand['held']>) => boolean,
): readonly string[] {
  const byWorkspace = new Map<string, number>();
  let total = 0;
  for (const { held } of inHand.values()) {
    if (held === undefined || !counts(held)) continue;
    byWorkspace.set(held.workspace, (byWorkspace.get(held.workspace) ?? 0) + 1);
    total++;
  }
  return [...byWorkspace].filter(([, count]) => count >= capacity - total).map(([workspace]) => workspace);
}
