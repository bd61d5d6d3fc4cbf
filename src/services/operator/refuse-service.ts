// What changes all of a database asks first that no service works on it.
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../lib/errors.ts';
import { countOtherConnections } from '../../store/backup.ts';
import type { Db } from '../../store/db.ts';

const LEAVE_MS = 5000;
const LEAVE_POLL_MS = 100;

/** Throws where a service is connected. The connections of one that was killed take a moment to end. */
export async function refuseService(db: Db): Promise<void> {
  for (const deadline = performance.now() + LEAVE_MS; (await countOtherConnections(db)) > 0; ) {
    if (performance.now() > deadline)
      throw new AppError('conflict', 'A service is connected to this database. Stop it first.');
    await sleep(LEAVE_POLL_MS);
  }
}
