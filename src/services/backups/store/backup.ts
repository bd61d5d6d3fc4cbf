// Reads a snapshot of all tables for a backup, and replaces all rows in one transaction for a restore.

import type { Rows, Tx } from '../../../store/db.ts';
import { allValues, firstNumber, firstValue } from '../../../store/rows.ts';
import type { CopiedTable, Session } from './copy.ts';

export interface TableColumns {
  /** Such as `users`, or with its schema `graphile_worker._private_jobs`. */
  readonly name: string;
  readonly columns: string[];
}

export interface SequenceValue {
  readonly name: string;
  readonly value: number;
}

export interface SchemaVersion {
  readonly migrations: {
    readonly version: number;
    readonly name: string;
    readonly checksum: string;
  }[];
  /** The last migration of the queue's tables. */
  readonly queue: number;
}

export interface FileTotals {
  readonly files: number;
  readonly bytes: number;
}

/** A media file of the snapshot. */
export interface SnapshotFile {
  readonly id: string;
  readonly bytes: number;
}

const QUEUE_SCHEMA = 'graphile_worker';
/** Tables of migrations, which are not backed up, because a restore creates the schema itself. */
const MIGRATION_TABLES: readonly string[] = ['schema_migrations', `${QUEUE_SCHEMA}.migrations`];
/**
 * Tables of unfinished work. They are not backed up, because a restored service starts the work again, and the other service
 * sends the mails.
 */
const UNFINISHED_TABLES: readonly string[] = ['media_uploads', 'media_strays', 'render_parts', 'mails'];

/** A table whose rows nobody can delete. A restore adds the rows of the backup to it and keeps the others. */
export const APPEND_ONLY_TABLE = 'audit_events';

/** Returns the schema version, or undefined if the database has none of our tables. */
export async function findSchemaVersion(tx: Tx): Promise<SchemaVersion | undefined> {
  const { rows } = await tx.query<{ has_tables: boolean; has_queue: boolean }>(
    `select to_regclass('schema_migrations') is not null as has_tables,
       to_regclass('${QUEUE_SCHEMA}.migrations') is not null as has_queue`,
  );
  if (rows[0]?.has_tables !== true || !rows[0].has_queue) return undefined;
  const { rows: migrations } = await tx.query<SchemaVersion['migrations'][number]>(
    'select version, name, checksum from schema_migrations order by version',
  );
  const queue = await firstNumber(tx, `select max(id) from ${QUEUE_SCHEMA}.migrations`);
  return { migrations: [...migrations], queue };
}

/** Prevents partitions from being dropped until the transaction ends. Call it first in the snapshot's transaction. */
export async function lockPartitions(session: Session): Promise<void> {
  await session.query('lock table execution_steps, audit_events in access share mode');
}

/** Lists the tables that hold the service's state, with their writable columns. */
export async function listTables(tx: Tx): Promise<TableColumns[]> {
  const { rows } = await tx.query<TableColumns>(
    `select case when n.nspname = '${QUEUE_SCHEMA}' then n.nspname || '.' else '' end || c.relname as name,
       (select array_agg(a.attname::text order by a.attnum) from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname in (current_schema(), '${QUEUE_SCHEMA}') and c.relkind in ('r', 'p') and not c.relispartition
       and c.relpersistence = 'p'
     order by 1`,
  );
  const excludedTables = new Set([...MIGRATION_TABLES, ...UNFINISHED_TABLES]);
  return rows.filter(({ name }) => !excludedTables.has(name));
}

/** Lists the last value of each sequence that has been used. */
export async function listSequences(tx: Tx): Promise<SequenceValue[]> {
  const { rows } = await tx.query<SequenceValue>(
    `select case when schemaname = '${QUEUE_SCHEMA}' then schemaname || '.' else '' end || sequencename as name,
       last_value as value
     from pg_sequences where schemaname in (current_schema(), '${QUEUE_SCHEMA}') and last_value is not null
     order by 1`,
  );
  return [...rows];
}

/** Quotes the name of a table or sequence of a backup for SQL. */
export function quoteName(name: string): string {
  return name.split('.').map(quoteIdentifier).join('.');
}

/** Quotes a column name for SQL. */
export function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Counts connections of other processes of this program to the same database. */
export function countOtherConnections(tx: Tx): Promise<number> {
  return firstNumber(
    tx,
    `select count(*)::integer as count from pg_stat_activity
     where datname = current_database() and application_name = 'graphwright' and pid <> pg_backend_pid()`,
  );
}

/** Copies the list of media to a temporary table, so that it can be read after the snapshot's transaction. */
export async function recordSnapshotFiles(session: Session): Promise<FileTotals> {
  await session.query('create temporary table backup_files (id text primary key, bytes bigint not null)');
  await session.query('insert into backup_files select id, bytes from media');
  const { rows } = await session.query<FileTotals>(
    'select count(*)::integer as files, coalesce(sum(bytes), 0)::bigint as bytes from backup_files',
  );
  return rows[0] ?? { files: 0, bytes: 0 };
}

const FILES_PER_PAGE = 1000;

/** Yields the files that `recordSnapshotFiles` recorded, ordered by id. */
export async function* listSnapshotFiles(session: Session): AsyncGenerator<SnapshotFile> {
  for (let after: string | undefined = ''; after !== undefined; ) {
    const { rows }: Rows<SnapshotFile> = await session.query<SnapshotFile>(
      `select id, bytes from backup_files where id > $1 order by id limit ${FILES_PER_PAGE}`,
      [after],
    );
    yield* rows;
    after = rows.at(-1)?.id;
  }
}

/** Recomputes the storage usage, because uploads are not restored. For an older schema, a later migration does this. */
const RECOUNT_STORAGE = `do $$ begin
  if to_regproc('recount_storage') is not null then perform recount_storage(); end if;
end $$`;

/**
 * Empties all tables except the audit log. Drops foreign keys and disables triggers, which would slow down each row, and returns a function
 * that restores them; PostgreSQL then checks every foreign key. The whole restore must be one transaction.
 */
export async function emptyTables(session: Session): Promise<() => Promise<void>> {
  const tables = (await listTables(session))
    .filter(({ name }) => name !== APPEND_ONLY_TABLE)
    .map(({ name }) => quoteName(name));
  const allTables = [...tables, ...UNFINISHED_TABLES].join(', ');
  const { rows: keys } = await session.query<{ table: string; name: string; definition: string }>(
    `select conrelid::regclass::text as table, quote_ident(conname) as name, pg_get_constraintdef(oid) as definition
     from pg_constraint where contype = 'f' and connamespace in (current_schema()::regnamespace, '${QUEUE_SCHEMA}'::regnamespace)`,
  );
  for (const { table, name } of keys) await session.query(`alter table ${table} drop constraint ${name}`);
  for (const table of tables) await session.query(`alter table ${table} disable trigger user`);
  await session.query(`truncate ${allTables}`);
  return async () => {
    for (const { table, name, definition } of keys)
      await session.query(`alter table ${table} add constraint ${name} ${definition}`);
    for (const table of tables) await session.query(`alter table ${table} enable trigger user`);
    await session.query(RECOUNT_STORAGE);
    for (const table of tables) await session.query(`analyze ${table}`);
  };
}

/** Adds rows of a backup to a table, in the format of `copyOut`. */
export async function restoreRows(
  session: Session,
  { table, columns }: CopiedTable,
  chunks: AsyncIterable<Uint8Array>,
): Promise<void> {
  if (table !== quoteName(APPEND_ONLY_TABLE)) return session.copyIn({ table, columns }, chunks);
  await session.query(`create temporary table restored_rows (like ${table}) on commit drop`);
  await session.copyIn({ table: 'restored_rows', columns }, chunks);
  const names = columns.join(', ');
  await session.query(
    `insert into ${table} (${names}) select ${names} from restored_rows on conflict do nothing`,
  );
  await session.query('drop table restored_rows');
}

export async function setSequences(session: Session, sequences: readonly SequenceValue[]): Promise<void> {
  for (const { name, value } of sequences)
    await session.query('select setval($1::regclass, $2::bigint)', [quoteName(name), value]);
}

/** Lists the ids of all media records. */
export function listMediaIds(session: Session): Promise<readonly string[]> {
  return allValues(session, 'select id from media');
}

/** Returns the content type of a restored media row, or undefined if there is none. */
export function findContentType(session: Session, id: string): Promise<string | undefined> {
  return firstValue(session, 'select content_type from media where id = $1', [id]);
}

/** Creates a temporary table of the files that a restore has stored. */
export async function createStoredFileTable(session: Session): Promise<void> {
  await session.query(
    'create temporary table restored_files (id text primary key, bytes bigint not null, sha256 text not null) on commit drop',
  );
}

export async function recordStoredFile(
  session: Session,
  { id, bytes, sha256 }: SnapshotFile & { readonly sha256: string },
): Promise<void> {
  await session.query('insert into restored_files values ($1, $2, $3)', [id, bytes, sha256]);
}

/**
 * Deletes media rows without a restored file. Returns the number of deleted rows as `missing`, and the ids of rows whose
 * file has different bytes as `damaged`.
 */
export async function deleteMediaWithoutFile(
  session: Session,
): Promise<{ readonly missing: number; readonly damaged: readonly string[] }> {
  const { rowCount: missing } = await session.query(
    'delete from media m where not exists (select from restored_files f where f.id = m.id)',
  );
  const { rows } = await session.query<{ id: string }>(
    `select m.id from media m join restored_files f on f.id = m.id
     where (f.bytes, f.sha256) is distinct from (m.bytes, m.sha256) order by m.id`,
  );
  return { missing, damaged: rows.map(({ id }) => id) };
}
