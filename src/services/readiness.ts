// Checks whether the components that the service needs respond.
import { toError } from '../lib/errors.ts';
import { pingDatabase, pingQueue } from '../store/db.ts';
import type { Deps } from './deps.ts';

const OK = 'ok';
const TIMEOUT_MS = 2000;
// A lookup of a key that cannot exist checks both a disk and a bucket.
const NO_SUCH_MEDIA = `med_${'0'.repeat(26)}`;

export interface Readiness {
  /** Whether every essential component responds. */
  readonly isReady: boolean;
  /** 'ok', or what is wrong. */
  readonly parts: Readonly<Record<string, string>>;
}

/** Checks each component. Never throws. */
export async function checkReadiness(deps: Deps): Promise<Readiness> {
  const [database, queue, storage] = await Promise.all([
    probe(() => pingDatabase(deps.db)),
    probe(() => pingQueue(deps.db)),
    probe(() => deps.storage.stat(NO_SUCH_MEDIA)),
  ]);
  const parts = { database, queue, storage };
  return { isReady: Object.values(parts).every(state => state === OK), parts };
}

/** Returns 'ok' or what is wrong. Anyone may read the text, so it contains no addresses. */
async function probe(work: () => Promise<unknown>): Promise<string> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<string>(resolve => {
    timer = setTimeout(() => resolve(`no response within ${TIMEOUT_MS} ms`), TIMEOUT_MS);
  });
  const outcome = work().then(
    () => OK,
    (err: unknown) => `failed (${toError(err).name})`,
  );
  return Promise.race([outcome, tooLate]).finally(() => clearTimeout(timer));
}
