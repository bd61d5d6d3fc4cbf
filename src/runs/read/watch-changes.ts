// Waits for the changes of a record that a stream follows: for notifications, and by polling.
import { setTimeout as sleep } from 'node:timers/promises';
import { createChangeWaiter } from '../../lib/change-waiter.ts';
import type { RunDeps } from '../deps.ts';

/** Yields immediately, and then whenever the record with this id may have changed, until the signal is aborted. */
export async function* watchChanges(
  { changeHub, timing }: Pick<RunDeps, 'changeHub' | 'timing'>,
  id: string,
  signal: AbortSignal,
): AsyncGenerator<void> {
  const { wait, notify } = createChangeWaiter();
  const unsubscribe = changeHub.subscribe(id, { onChange: notify, onProgress: notify });
  try {
    while (!signal.aborted) {
      yield;
      // Changes that arrive in this pause are sent together.
      await sleep(timing.recordPauseMs);
      // Other processes change records without a notification.
      await wait(timing.recordPollMs, signal);
    }
  } finally {
    unsubscribe();
  }
}
