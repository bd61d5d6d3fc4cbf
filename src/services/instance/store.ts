// Lists the columns that the secrets key encrypts, reads and replaces their values when the key changes, and stores the
// fingerprint of the key.
import type { Tx } from '../../store/db.ts';
import { all, firstValue } from '../../store/rows.ts';

export interface EncryptedColumn {
  readonly table: string;
  /** The primary key. */
  readonly key: string;
  /** SQL: the encrypted bytes; null if the row has none. */
  readonly read: string;
  /** SQL: sets the column to `v.value`. */
  readonly write: string;
  /** Whether the values are few and kept, unlike those of runs and deliveries. */
  readonly isKept: boolean;
}

const createByteColumn = (table: string, key: string, column: string, isKept = true): EncryptedColumn => ({
  table,
  key,
  read: column,
  write: `${column} = v.value`,
  isKept,
});

export const ENCRYPTED_COLUMNS: readonly EncryptedColumn[] = [
  createByteColumn('workflows', 'id', 'secrets'),
  createByteColumn('deliveries', 'id', 'secret', false),
  createByteColumn('mails', 'id', 'secret', false),
  createByteColumn('oauth_clients', 'id', 'secret'),
  createByteColumn('oauth_keys', 'name', 'encrypted'),
  createByteColumn('credential_values', 'id', 'encrypted'),
  createByteColumn('apps', 'id', 'embed_key'),
  createByteColumn('triggers', 'id', 'secret'),
  createByteColumn('totp_secrets', 'id', 'secret'),
  createByteColumn('totp_secrets', 'id', 'pending'),
  {
    table: 'executions',
    key: 'id',
    read: `decode(webhook::json->>'secret', 'base64')`,
    // PostgreSQL breaks base64 into lines.
    write: `webhook = jsonb_set(webhook::jsonb, '{secret}', to_jsonb(replace(encode(v.value, 'base64'), E'\\n', '')))::text`,
    isKept: false,
  },
];

/** Locks the tables with encrypted columns against other writers until the transaction ends. */
export async function lockEncrypted(tx: Tx): Promise<void> {
  const tables = ENCRYPTED_COLUMNS.map(({ table }) => table).join(', ');
  await tx.query(`lock table ${tables} in share row exclusive mode`);
}

export interface EncryptedValue {
  readonly id: string;
  readonly value: Buffer;
}

const BATCH_SIZE = 500;

/** Lists up to 500 values whose id is greater than `after`, ordered by id. */
export function listEncrypted(
  tx: Tx,
  { table, key, read }: EncryptedColumn,
  after: string,
): Promise<readonly EncryptedValue[]> {
  return all(
    tx,
    `select ${key} as id, ${read} as value from ${table}
     where ${key} > $1 and ${read} is not null order by ${key} limit ${BATCH_SIZE}`,
    [after],
  );
}

export async function replaceEncrypted(
  tx: Tx,
  { table, key, write }: EncryptedColumn,
  values: readonly EncryptedValue[],
): Promise<void> {
  await tx.query(
    `update ${table} t set ${write} from unnest($1::text[], $2::bytea[]) as v (id, value) where t.${key} = v.id`,
    [values.map(({ id }) => id), values.map(({ value }) => value)],
  );
}

const FINGERPRINT = 'secrets_key_fingerprint';

/** Returns the fingerprint of the key that encrypts the secrets, or undefined if none was stored yet. */
export function findKeyFingerprint(tx: Tx): Promise<string | undefined> {
  return firstValue<string>(tx, 'select value from instance where key = $1', [FINGERPRINT]);
}

export async function saveKeyFingerprint(tx: Tx, fingerprint: string): Promise<void> {
  await tx.query(
    'insert into instance (key, value) values ($1, $2) on conflict (key) do update set value = excluded.value',
    [FINGERPRINT, fingerprint],
  );
}

/** Deletes keys of the authorization server, which creates new ones. */
export async function deleteOAuthKeys(tx: Tx, names: readonly string[]): Promise<void> {
  await tx.query('delete from oauth_keys where name = any ($1::text[])', [names]);
}
