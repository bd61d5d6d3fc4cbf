// Ensures that no service uses the database before an operation that changes the whole database.
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../lib/errors.ts';
import type { Db } from '../../store/db.ts';
import { countOtherConnections } from '../backups/store/backup.ts';

const DISCONNECT_TIMEOUT_MS = 5000;
const POLL_MS = 100;

/** Throws if a service stays connected. Waits first, because the connections of a killed service take time to close. */
export async function requireServiceStopped(db: Db): Promise<void> {
  for (const deadline = performance.now() + DISCONNECT_TIMEOUT_MS; (await countOtherConnections(db)) > 0; ) {
    if (performance.now() > deadline)
      throw new AppError('conflict', 'A service is connected to this database. Stop it first.');
    await sleep(POLL_MS);
  }
}
