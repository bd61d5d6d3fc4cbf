// Polls a record for a stream of its changes.
import { setTimeout as sleep } from 'node:timers/promises';
import { createChangeWaiter } from '../lib/change-waiter.ts';
import type { RunDeps } from './deps.ts';

/** Other processes change records without a notification. */
const POLL_MS = 1000;
/** Changes that arrive faster are sent together. */
const MIN_PAUSE_MS = 200;

/** Yields immediately, and then whenever the record with this id may have changed, until the signal is aborted. */
export async function* watchChanges(
  { runNotifier }: Pick<RunDeps, 'runNotifier'>,
  id: string,
  signal: AbortSignal,
): AsyncGenerator<void> {
  const { wait, notify } = createChangeWaiter();
  const unsubscribe = runNotifier.subscribe(id, { onChange: notify, onProgress: notify });
  try {
    while (!signal.aborted) {
      yield;
      await sleep(MIN_PAUSE_MS);
      await wait(POLL_MS, signal);
    }
  } finally {
    unsubscribe();
  }
}
