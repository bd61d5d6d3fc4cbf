// Lists the columns that the secrets key encrypts, and reads and replaces their values when the key changes.
import type { Tx } from '../../store/db.ts';
import { all } from '../../store/rows.ts';

export interface EncryptedColumn {
  readonly table: string;
  /** The primary key. */
  readonly key: string;
  /** SQL: the encrypted bytes; null if the row has none. */
  readonly read: string;
  /** SQL: sets the column to `v.value`. */
  readonly write: string;
}

const createByteColumn = (table: string, key: string, column: string): EncryptedColumn => ({
  table,
  key,
  read: column,
  write: `${column} = v.value`,
});

export const ENCRYPTED_COLUMNS: readonly EncryptedColumn[] = [
  createByteColumn('workflows', 'id', 'secrets'),
  createByteColumn('deliveries', 'id', 'secret'),
  createByteColumn('oauth_clients', 'id', 'secret'),
  createByteColumn('oauth_keys', 'name', 'encrypted'),
  createByteColumn('credential_values', 'id', 'encrypted'),
  createByteColumn('apps', 'id', 'embed_key'),
  createByteColumn('triggers', 'id', 'secret'),
  {
    table: 'executions',
    key: 'id',
    read: `decode(webhook::json->>'secret', 'base64')`,
    // PostgreSQL breaks base64 into lines.
    write: `webhook = json_build_object('url', webhook::json->>'url', 'secret', replace(encode(v.value, 'base64'), E'\\n', ''))::text`,
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
