// Creates the first user once, on the first start with an empty database, with a key that has every scope.
import { generateApiKey, sha256 } from '../../lib/crypto.ts';
import type { Settings } from '../../lib/settings.ts';
import { SERVICE_CALLER } from '../../store/audit/record-audit.ts';
import { grant } from '../../store/credits.ts';
import type { Transaction } from '../../store/db.ts';
import { wasKeyIssued } from '../../store/keys.ts';
import { hasUsers, insertUser, lockStartUp } from '../../store/users.ts';
import { getPersonalWorkspaceId } from './access.ts';
import { SCOPES } from './actor.ts';
import { recordNewKey, storeKey } from './keys.ts';

const BOOTSTRAP_CREDITS = 1_000_000;

/** The id of the first user: the first value of an identity column. */
export const BOOTSTRAP_USER_ID = 1;

/**
 * Creates the first user if there is none, and stores BOOTSTRAP_API_KEY if it is new. A revoked key stays revoked, even
 * if the setting still contains it. Returns the key if it was just generated, because it cannot be displayed later.
 * Call it in a transaction: processes that start at the same time wait for its end.
 */
export async function bootstrap(tx: Transaction, settings: Settings): Promise<string | undefined> {
  await lockStartUp(tx);
  const configuredKey = settings.BOOTSTRAP_API_KEY;
  if (await hasUsers(tx)) {
    if (configuredKey !== undefined && !(await wasKeyIssued(tx, sha256(configuredKey)))) {
      const row = await storeKey(tx, {
        userId: BOOTSTRAP_USER_ID,
        name: 'BOOTSTRAP_API_KEY',
        scopes: SCOPES,
        expiresAt: null,
        key: configuredKey,
      });
      recordNewKey(tx, SERVICE_CALLER, row, BOOTSTRAP_USER_ID);
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
  await grant(tx, getPersonalWorkspaceId(userId), BOOTSTRAP_CREDITS, 'Initial credits');
  const key = configuredKey ?? generateApiKey();
  const row = await storeKey(tx, { userId, name: 'bootstrap', scopes: SCOPES, expiresAt: null, key });
  recordNewKey(tx, SERVICE_CALLER, row, userId);
  return configuredKey === undefined ? key : undefined;
}
