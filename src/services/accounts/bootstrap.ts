// The first user: made once, on the first start of an empty database, with a key that has every scope.
import { mintApiKey, sha256 } from '../../lib/crypto.ts';
import type { Settings } from '../../lib/settings.ts';
import { grant } from '../../store/credits.ts';
import type { Db } from '../../store/db.ts';
import { hasKey } from '../../store/keys.ts';
import { hasUsers, insertUser, lockStartUp } from '../../store/users.ts';
import { userWorkspace } from './access.ts';
import { ALL_SCOPES, storeKey } from './keys.ts';

const BOOTSTRAP_CREDITS = 1_000_000;

/** The id of the bootstrap user: the first row of an identity column. */
export const BOOTSTRAP_USER_ID = 1;

/**
 * Makes the first user where there is none, and gives it BOOTSTRAP_API_KEY where that is new. A key that was revoked
 * stays so, though the setting still names it.
 * Returns the key where it was minted just now: the only moment at which it can be shown.
 */
export async function bootstrap(db: Db, settings: Settings): Promise<string | undefined> {
  return db.transaction(async tx => {
    await lockStartUp(tx);
    const given = settings.BOOTSTRAP_API_KEY;
    if (await hasUsers(tx)) {
      if (given !== undefined && !(await hasKey(tx, sha256(given)))) {
        await storeKey(tx, {
          userId: BOOTSTRAP_USER_ID,
          name: 'BOOTSTRAP_API_KEY',
          scopes: ALL_SCOPES,
          expiresAt: null,
          key: given,
        });
      }
      return undefined;
    }
    const userId = await insertUser(tx, {
      email: 'admin@localhost',
      name: 'Administrator',
      plan: 'self_hosted',
      isAuthor: true,
      isAdmin: true,
    });
    await grant(tx, userWorkspace(userId), BOOTSTRAP_CREDITS, 'Initial credits');
    const key = given ?? mintApiKey();
    await storeKey(tx, { userId, name: 'bootstrap', scopes: ALL_SCOPES, expiresAt: null, key });
    return given === undefined ? key : undefined;
  });
}
