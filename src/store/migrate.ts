// Migrates the database, forward only. Each migration is applied once, even if several processes start.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sha256Hex } from '../lib/crypto.ts';
import { AppError } from '../lib/errors.ts';
import type { Db } from './db.ts';

/** The connection that holds the lock. */
interface Client {
  query<R extends object>(statement: string, values?: unknown[]): Promise<{ readonly rows: readonly R[] }>;
}

interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
  /** SHA-256 of the file, in hex. */
  readonly checksum: string;
}

type AppliedMigration = Omit<Migration, 'sql'>;

const FOLDER = join(import.meta.dirname, '../../migrations');
const FILE_NAME = /^(\d{4})_([a-z0-9_]+)\.sql$/;
// An arbitrary lock number that nothing else in the database uses: "grph" in ASCII.
const LOCK_KEY = 0x67_72_70_68;
const LOCK_POLL_MS = 50;
const LOCK_TIMEOUT_MS = 600_000;

/**
 * Applies the files of `migrations/` that were not applied yet, then calls `migrateQueue`, all under one advisory lock.
 * Throws `unavailable` if the database is newer than the program or an applied file has changed. `upTo`: the last version
 * to apply.
 */
export async function migrate(
  db: Db,
  migrateQueue: () => Promise<void> = async () => undefined,
  upTo = Number.POSITIVE_INFINITY,
): Promise<void> {
  const migrations = await readMigrations(FOLDER);
  // The lock is released when the connection closes.
  await db.withOwnConnection(async client => {
    await acquireLock(client);
    await client.query(
      `create table if not exists schema_migrations (
        version integer primary key,
        name text not null,
        checksum text not null,
        applied_at timestamptz(3) not null default now()
      )`,
    );
    const { rows } = await client.query<AppliedMigration>(
      'select version, name, checksum from schema_migrations order by version',
    );
    for (const migration of listPendingMigrations(migrations, rows))
      if (migration.version <= upTo) await applyMigration(client, migration);
    await migrateQueue();
  });
}

/** Lists the applied migrations, oldest first. */
export async function listAppliedMigrations(
  db: Db,
): Promise<readonly Pick<AppliedMigration, 'version' | 'name'>[]> {
  const { rows } = await db.query<Pick<AppliedMigration, 'version' | 'name'>>(
    'select version, name from schema_migrations order by version',
  );
  return rows;
}

/** Returns the migrations to apply, in order. Throws if an applied one is unknown or has changed. */
export function listPendingMigrations(
  migrations: readonly Migration[],
  appliedMigrations: readonly AppliedMigration[],
): readonly Migration[] {
  const byVersion = new Map(migrations.map(migration => [migration.version, migration]));
  for (const { version, name, checksum } of appliedMigrations) {
    const migration = byVersion.get(version);
    if (migration === undefined) {
      throw new AppError(
        'unavailable',
        `The database is newer than this program: it has migration ${formatName(version, name)}, and this program ends with ${formatName(migrations.at(-1)?.version ?? 0, migrations.at(-1)?.name ?? '')}. Start the newer program, or restore a backup.`,
      );
    }
    if (migration.checksum !== checksum) {
      throw new AppError(
        'unavailable',
        `Migration ${formatName(version, name)} was applied to this database and its file has changed since. Restore the file and put the change into a new migration.`,
      );
    }
  }
  const appliedVersions = new Set(appliedMigrations.map(({ version }) => version));
  return migrations.filter(({ version }) => !appliedVersions.has(version));
}

const formatName = (version: number, name: string): string => `${String(version).padStart(4, '0')}_${name}`;

async function readMigrations(folder: string): Promise<readonly Migration[]> {
  const files = (await readdir(folder)).filter(file => file.endsWith('.sql')).sort();
  const numbers = new Set<string | undefined>();
  return Promise.all(
    files.map(async file => {
      const [, version, name] = FILE_NAME.exec(file) ?? [];
      if (name === undefined || numbers.has(version)) {
        throw new Error(`migrations/${file} is not named NNNN_name.sql with a number of its own.`);
      }
      numbers.add(version);
      const sql = await readFile(join(folder, file), 'utf8');
      return {
        version: Number(version),
        name,
        sql,
        checksum: sha256Hex(sql),
      };
    }),
  );
}

/** Polls for the lock, so that the process can give up with a message. */
async function acquireLock(client: Client): Promise<void> {
  const deadline = performance.now() + LOCK_TIMEOUT_MS;
  for (;;) {
    const { rows } = await client.query<{ acquired: boolean }>(
      'select pg_try_advisory_lock($1) as acquired',
      [LOCK_KEY],
    );
    if (rows[0]?.acquired === true) return;
    if (performance.now() > deadline) {
      throw new AppError(
        'unavailable',
        `Another process has been migrating the database for ${LOCK_TIMEOUT_MS / 60_000} minutes. Wait for it to end, or stop it. Then start again.`,
      );
    }
    await sleep(LOCK_POLL_MS);
  }
}

async function applyMigration(client: Client, { version, name, sql, checksum }: Migration): Promise<void> {
  await client.query('begin');
  await client.query(sql);
  await client.query('insert into schema_migrations (version, name, checksum) values ($1, $2, $3)', [
    version,
    name,
    checksum,
  ]);
  await client.query('commit');
}
