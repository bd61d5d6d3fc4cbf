// Fires schedules on time. Every worker has such a clock and none leads: it asks the database when the next schedule is
// due, sleeps until then, and claims what is due.
import type { RunDeps } from '../../runs/deps.ts';
import { readNextDueMs, SCHEDULES_CHANGED } from '../../store/automation/schedules.ts';
import { CLAIM_LIMIT, claimDue } from './claim-due.ts';
import { startFirings } from './start-firings.ts';

/** The longest sleep. A notification ends it earlier; so does a heartbeat that finds what a process has lost. */
const MAX_SLEEP_MS = 15_000;
/** After an error of the database. */
const ERROR_SLEEP_MS = 1000;
/** The shortest sleep: another worker may hold what is due. */
const MIN_SLEEP_MS = 100;

/** Starts the clock. Returns a function that stops it and resolves once nothing is being started. */
export function startClock(deps: RunDeps): () => Promise<void> {
  const stopping = new AbortController();
  const ended = tick(deps, stopping.signal);
  return async () => {
    stopping.abort();
    await ended;
  };
}

async function tick(deps: RunDeps, signal: AbortSignal): Promise<void> {
  let wake = (): void => undefined;
  const unsubscribe = deps.runNotifier.subscribe(SCHEDULES_CHANGED, { onChange: () => wake() });
  try {
    while (!signal.aborted) {
      // Created first, so that a notification that arrives while the database is asked counts too.
      const woken = Promise.withResolvers<void>();
      wake = woken.resolve;
      const onAbort = (): void => woken.resolve();
      signal.addEventListener('abort', onAbort, { once: true });
      const sleepMs = await fireDue(deps, signal).catch((err: unknown) => {
        deps.log.warn({ err }, 'schedules could not be fired');
        return ERROR_SLEEP_MS;
      });
      const timer = setTimeout(woken.resolve, sleepMs);
      await woken.promise;
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    }
  } finally {
    unsubscribe();
  }
}

/** Fires what is due. Returns how long to sleep. */
async function fireDue(deps: RunDeps, signal: AbortSignal): Promise<number> {
  for (;;) {
    const dueMs = await readNextDueMs(deps.runDb);
    if (dueMs === undefined || dueMs > MAX_SLEEP_MS) return MAX_SLEEP_MS;
    if (dueMs > 0) return dueMs;
    const { count, firings } = await claimDue(deps);
    await startFirings(deps, firings);
    if (count < CLAIM_LIMIT || signal.aborted) break;
  }
  const nextMs = (await readNextDueMs(deps.runDb)) ?? MAX_SLEEP_MS;
  return Math.min(MAX_SLEEP_MS, Math.max(MIN_SLEEP_MS, nextMs));
}
