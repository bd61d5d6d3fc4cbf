// Fires schedules on time. Every worker runs a clock, which reads from the database when the next schedule is due, sleeps
// until then, and claims the schedules that are due. There is no leader.
import { createChangeWaiter } from '../../lib/change-waiter.ts';
import type { RunDeps } from '../../runs/deps.ts';
import { SCHEDULES_CHANGED } from '../../store/db.ts';
import { CLAIM_LIMIT, claimDue } from './claim-due.ts';
import { startFirings } from './start-firings.ts';
import { readNextDueMs } from './store.ts';

/** The minimum sleep. Schedules can remain due because another worker has locked them. */
const MIN_SLEEP_MS = 100;

/** Starts the clock. Returns a function that stops it and resolves when all runs in progress have started. */
export function startClock(deps: RunDeps): () => Promise<void> {
  const stopping = new AbortController();
  const clockEnd = runClock(deps, stopping.signal);
  return async () => {
    stopping.abort();
    await clockEnd;
  };
}

async function runClock(deps: RunDeps, signal: AbortSignal): Promise<void> {
  const { wait, notify } = createChangeWaiter();
  const unsubscribe = deps.changeHub.subscribe(SCHEDULES_CHANGED, { onChange: notify });
  try {
    while (!signal.aborted) {
      const sleepMs = await fireDue(deps, signal).catch((err: unknown) => {
        deps.log.warn({ err }, 'schedules could not be fired');
        return deps.timing.clockErrorMs;
      });
      await wait(sleepMs, signal);
    }
  } finally {
    unsubscribe();
  }
}

/**
 * Fires the schedules that are due. Returns the time until the next attempt. A changed schedule, or a heartbeat that finds
 * a lost firing, ends the wait earlier.
 */
async function fireDue(deps: RunDeps, signal: AbortSignal): Promise<number> {
  const { maxClockSleepMs } = deps.timing;
  for (;;) {
    const dueMs = await readNextDueMs(deps.runDb);
    if (dueMs === undefined || dueMs > maxClockSleepMs) return maxClockSleepMs;
    if (dueMs > 0) return dueMs;
    const { count, firings } = await claimDue(deps);
    await startFirings(deps, firings);
    if (count < CLAIM_LIMIT || signal.aborted) break;
  }
  const nextMs = (await readNextDueMs(deps.runDb)) ?? maxClockSleepMs;
  return Math.min(maxClockSleepMs, Math.max(MIN_SLEEP_MS, nextMs));
}
