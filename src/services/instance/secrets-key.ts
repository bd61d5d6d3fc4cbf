// Notices a wrong secrets key: the database stores the fingerprint of the key that encrypts its secrets, and a process
// with another key refuses to start.
import { tryDecrypt } from '../../lib/crypto.ts';
import { AppError } from '../../lib/errors.ts';
import {
  findSecretsKey,
  loadSecretsKey,
  requireNoRotation,
  type SecretsKeySource,
} from '../../lib/secrets-key.ts';
import type { Db, Tx } from '../../store/db.ts';
import { lockStartUp } from '../../store/users.ts';
import { computeFingerprint } from '../backups/backup-header.ts';
import { findSchemaVersion } from '../backups/store/backup.ts';
import {
  deleteOAuthKeys,
  ENCRYPTED_COLUMNS,
  type EncryptedValue,
  findKeyFingerprint,
  listEncrypted,
  saveKeyFingerprint,
} from './store.ts';

/**
 * Returns the key, which is created in DATA_DIR at the first start. Throws if it is not the key of the database.
 * Processes that start at the same time on an empty database agree on the key of the first one.
 */
export async function openSecretsKey(db: Db, source: SecretsKeySource): Promise<Buffer> {
  await requireNoRotation(source);
  // Checked before a key is created, so that DATA_DIR gets none if the right one is missing.
  await requireSecretsKey(db, source, await findSecretsKey(source));
  const key = await loadSecretsKey(source);
  if ((await findKeyFingerprint(db)) !== undefined) {
    await requireSecretsKey(db, source, key);
    return key;
  }
  await db.transaction(async tx => {
    await lockStartUp(tx);
    await requireSecretsKey(tx, source, key);
    await saveKeyFingerprint(tx, computeFingerprint(key));
  });
  return key;
}

/** Throws `unavailable`, with what to do, if the key is not that of the database. `key` is undefined if there is none. */
export async function requireSecretsKey(
  tx: Tx,
  { SECRETS_KEY, dataDir }: SecretsKeySource,
  key: Buffer | undefined,
): Promise<void> {
  if (await isKeyOfDatabase(tx, key)) return;
  const lost = 'if that key is lost, run `graphwright secrets reset` and enter the secrets again';
  if (SECRETS_KEY !== undefined)
    throw new AppError(
      'unavailable',
      `SECRETS_KEY is not the key that encrypts the secrets of this database. Set it to that key, or ${lost}.`,
    );
  const problem =
    key === undefined
      ? `${dataDir}/secrets.key is missing, but the secrets of this database are encrypted.`
      : `${dataDir}/secrets.key is not the key that encrypts the secrets of this database.`;
  throw new AppError('unavailable', `${problem} Restore that file, set SECRETS_KEY to that key, or ${lost}.`);
}

/**
 * A database of an earlier release has no fingerprint: the key is right if it decrypts one of the stored secrets, or if
 * there are none.
 */
async function isKeyOfDatabase(tx: Tx, key: Buffer | undefined): Promise<boolean> {
  const fingerprint = await findKeyFingerprint(tx);
  if (fingerprint !== undefined) return key !== undefined && computeFingerprint(key) === fingerprint;
  let hasSecrets = false;
  for (const column of ENCRYPTED_COLUMNS.filter(({ isKept }) => isKept)) {
    const values = await listEncrypted(tx, column, '');
    if (key !== undefined && values.some(value => canDecrypt(key, value))) return true;
    hasSecrets ||= values.length > 0;
  }
  return !hasSecrets;
}

const canDecrypt = (key: Buffer, { value }: EncryptedValue): boolean => tryDecrypt(key, value) !== undefined;

/** Returns whether the database names its key. A new one does not, nor one that only earlier releases have used. */
export async function hasKeyFingerprint(tx: Tx): Promise<boolean> {
  return (await findSchemaVersion(tx)) !== undefined && (await findKeyFingerprint(tx)) !== undefined;
}

/** Returns whether the database has another key than the process. False if the database has no fingerprint yet. */
export async function hasOtherSecretsKey(tx: Tx, key: Buffer): Promise<boolean> {
  const fingerprint = await findKeyFingerprint(tx);
  return fingerprint !== undefined && fingerprint !== computeFingerprint(key);
}

/**
 * Makes the key that of the database, without the key that encrypted its secrets. Returns how many secrets became
 * unreadable. The service creates the keys of OAuth again; everything else must be entered again.
 */
export async function resetSecretsKey(tx: Tx, key: Buffer): Promise<{ readonly unreadable: number }> {
  let unreadable = 0;
  for (const column of ENCRYPTED_COLUMNS) {
    for (let after: string | undefined = ''; after !== undefined; ) {
      const values: readonly EncryptedValue[] = await listEncrypted(tx, column, after);
      const ids = values.filter(value => !canDecrypt(key, value)).map(({ id }) => id);
      if (column.table === 'oauth_keys') await deleteOAuthKeys(tx, ids);
      else unreadable += ids.length;
      after = values.at(-1)?.id;
    }
  }
  await saveKeyFingerprint(tx, computeFingerprint(key));
  return { unreadable };
}
