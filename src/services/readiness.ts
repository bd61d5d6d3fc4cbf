// Checks whether the components that the service needs respond.
import { toError } from '../lib/errors.ts';
import { getOrCreate } from '../lib/get-or-create.ts';
import { pingDatabase, pingQueue } from '../store/db.ts';
import type { Deps } from './deps.ts';
import { createDiskCheck } from './disk-space.ts';
import { hasOtherSecretsKey } from './instance/secrets-key.ts';

const OK = 'ok';
const TIMEOUT_MS = 2000;
// A lookup of a key that cannot exist checks both a disk and a bucket.
const DISK_FULL = 'full; free space in DATA_DIR';
const OTHER_KEY = 'not the key of the database; set SECRETS_KEY to that key';
const NO_SUCH_MEDIA = `med_${'0'.repeat(26)}`;

export interface Readiness {
  /** Whether every essential component responds. */
  readonly isReady: boolean;
  /** 'ok', or what is wrong. */
  readonly parts: Readonly<Record<string, string>>;
}

/** Checks each component. Never throws. */
export async function checkReadiness(deps: Deps): Promise<Readiness> {
  const [database, queue, storage, disk, secretsKey] = await Promise.all([
    probe(() => pingDatabase(deps.db)),
    probe(() => pingQueue(deps.db)),
    probe(() => deps.storage.stat(NO_SUCH_MEDIA)),
    probe(async () => ((await getDiskCheck(deps)()) ? DISK_FULL : OK)),
    probe(async () => ((await hasOtherSecretsKey(deps.db, deps.secretsKey)) ? OTHER_KEY : OK)),
  ]);
  const parts = { database, queue, storage, disk, secretsKey };
  return { isReady: Object.values(parts).every(state => state === OK), parts };
}

const diskChecks = new WeakMap<Deps['settings'], ReturnType<typeof createDiskCheck>>();

/** Returns the check of DATA_DIR, which has the database, media or the files on their way to a bucket. */
const getDiskCheck = ({ settings }: Pick<Deps, 'settings'>): ReturnType<typeof createDiskCheck> =>
  getOrCreate(diskChecks, settings, () => createDiskCheck(settings.DATA_DIR));

/** Returns 'ok', or what is wrong: the text that `work` returns, or its error. Anyone may read the text, so it contains no addresses. */
async function probe(work: () => Promise<unknown>): Promise<string> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<string>(resolve => {
    timer = setTimeout(() => resolve(`no response within ${TIMEOUT_MS} ms`), TIMEOUT_MS);
  });
  const outcome = work().then(
    problem => (typeof problem === 'string' ? problem : OK),
    (err: unknown) => `failed (${toError(err).name})`,
  );
  return Promise.race([outcome, tooLate]).finally(() => clearTimeout(timer));
}
