// Deletes replaced and removed values of credentials that no call uses any more, every night.
import { deleteUnusedValues } from '../../store/credentials.ts';
import type { Deps } from '../deps.ts';

export async function sweepCredentials({ db, log }: Pick<Deps, 'db' | 'log'>): Promise<void> {
  const count = await deleteUnusedValues(db);
  log.info({ count }, 'unused values of credentials were deleted');
}
