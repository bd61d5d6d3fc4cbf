// Rotates the secrets key: re-encrypts all secrets with a new key in one transaction.
import { encrypt, tryDecrypt } from '../../lib/crypto.ts';
import { AppError } from '../../lib/errors.ts';
import { OPERATOR_CALLER, recordAuditAlone } from '../../store/audit/record-audit.ts';
import type { Db } from '../../store/db.ts';
import { computeFingerprint } from '../backups/backup-header.ts';
import { type Session, withSession } from '../backups/store/copy.ts';
import {
  ENCRYPTED_COLUMNS,
  type EncryptedColumn,
  type EncryptedValue,
  listEncrypted,
  lockEncrypted,
  replaceEncrypted,
  saveKeyFingerprint,
} from './store.ts';

export interface SecretsKeys {
  readonly oldKey: Buffer;
  readonly newKey: Buffer;
}

export interface RotatedSecrets {
  readonly rotated: number;
  /** The number of values that an earlier rotation has already encrypted with the new key. */
  readonly already: number;
}

/** Re-encrypts all secrets. No service may use the database. Changes nothing and throws if no key decrypts a value. */
export function rotateSecrets(db: Db, keys: SecretsKeys): Promise<RotatedSecrets> {
  return withSession(db, session =>
    session.transaction('read committed', async () => {
      await lockEncrypted(session);
      let [rotated, already] = [0, 0];
      for (const column of ENCRYPTED_COLUMNS) {
        const counts = await rotateColumn(session, column, keys);
        rotated += counts.rotated;
        already += counts.already;
      }
      await saveKeyFingerprint(session, computeFingerprint(keys.newKey));
      await recordAuditAlone(session, OPERATOR_CALLER, {
        action: 'secrets.rotated',
        after: { rotated, already },
      });
      return { rotated, already };
    }),
  );
}

async function rotateColumn(
  session: Session,
  column: EncryptedColumn,
  keys: SecretsKeys,
): Promise<RotatedSecrets> {
  let [rotated, already] = [0, 0];
  for (let after = ''; ; ) {
    const values = await listEncrypted(session, column, after);
    const reencrypted = values.flatMap(({ id, value }): EncryptedValue[] => {
      const text = tryDecrypt(keys.oldKey, value);
      if (text !== undefined) return [{ id, value: encrypt(keys.newKey, text) }];
      if (tryDecrypt(keys.newKey, value) !== undefined) return [];
      throw new AppError(
        'conflict',
        `The secret of ${column.table} ${id} was not encrypted with either key. Nothing was changed. Start with the key that encrypted it.`,
      );
    });
    if (reencrypted.length > 0) await replaceEncrypted(session, column, reencrypted);
    rotated += reencrypted.length;
    already += values.length - reencrypted.length;
    const last = values.at(-1);
    if (last === undefined) return { rotated, already };
    after = last.id;
  }
}
