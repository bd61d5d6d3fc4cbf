// Lets the process do other work during a long computation. When it yields depends on the time, because users decide how
// long an item takes.
import { hasActiveOthers } from './active-accounts.ts';
import { FairScheduler } from './fair-scheduler.ts';
import { getWork } from './work.ts';

/** No computation holds the event loop for longer than this and one item. */
const SLICE_MS = 10;

const turns = new FairScheduler(hasActiveOthers);
let sliceStartMs: number | undefined;

/**
 * Call this function for each item of a loop over data of users, and await what it returns. Returns undefined within a
 * slice of 10 ms, and then a promise that resolves when the account of the current work may continue. Accounts take turns.
 * The promise rejects with the reason of the signal if nobody waits for the result any more.
 */
export function yieldTurn(): Promise<void> | undefined {
  return performance.now() - startSlice() < SLICE_MS ? undefined : waitForTurn();
}

/** Starts a slice, unless one has started in this turn of the event loop. Returns when it started. */
function startSlice(): number {
  if (sliceStartMs === undefined) {
    sliceStartMs = performance.now();
    setImmediate(() => {
      sliceStartMs = undefined;
    });
  }
  return sliceStartMs;
}

async function waitForTurn(): Promise<void> {
  const { account, signal } = getWork();
  signal.throwIfAborted();
  await turns.wait(account, performance.now());
  signal.throwIfAborted();
  startSlice();
}
