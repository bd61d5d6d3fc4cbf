// Ensures that no service uses the database before an operation changes all of it.
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../lib/errors.ts';
import { countOtherConnections } from '../../store/backup.ts';
import type { Db } from '../../store/db.ts';

const LEAVE_MS = 5000;
const LEAVE_POLL_MS = 100;

/** Throws if a service is connected. The connections of a killed one take a moment to close. */
export async function requireServiceStopped(db: Db): Promise<void> {
  for (const deadline = performance.now() + LEAVE_MS; (await countOtherConnections(db)) > 0; ) {
    if (performance.now() > deadline)
      throw new AppError('conflict', 'A service is connected to this database. Stop it first.');
    await sleep(LEAVE_POLL_MS);
  }
}
