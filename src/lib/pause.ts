// Lets the process do other work during a long computation. Pauses depend on the time, because users decide how long an item
// takes.
import { Turns } from './turns.ts';
import { getWork } from './work.ts';

/** No computation holds the event loop for longer than this and one item. */
const SLICE_MS = 10;
/** An account is active for this long after a request. */
const ACTIVE_MS = 1000;

/** The accounts with requests, by the time of their last request. The last is the newest. */
const activeAccounts = new Map<string, number>();

/** Records that the account has sent a request. */
export function noteActive(account: string): void {
  activeAccounts.delete(account);
  activeAccounts.set(account, performance.now());
}

/** Returns whether several accounts have sent requests within the last second. */
function isShared(): boolean {
  const minMs = performance.now() - ACTIVE_MS;
  for (const [account, atMs] of activeAccounts) {
    if (atMs >= minMs) break;
    activeAccounts.delete(account);
  }
  return activeAccounts.size > 1;
}

const turns = new Turns(isShared);
let sliceStartMs: number | undefined;

/**
 * Call this function for each item of a loop over data of users, and await what it returns. Returns undefined within a
 * slice of 10 ms, and then a promise that resolves when the account of the current work may continue. Accounts take turns.
 * The promise rejects with the reason of the signal if nobody waits for the result any more.
 */
export function pause(): Promise<void> | undefined {
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
