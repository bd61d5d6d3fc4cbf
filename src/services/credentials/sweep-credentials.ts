// Daily cleanup of credentials: deletes replaced and removed values that no call uses any more.
import { deleteUnusedValues } from '../../store/credentials.ts';
import type { Deps } from '../deps.ts';

export async function sweepCredentials({ db, log }: Pick<Deps, 'db' | 'log'>): Promise<void> {
  const count = await deleteUnusedValues(db);
  log.info({ count }, 'unused values of credentials were deleted');
}
