// Starts one embedded PostgreSQL for tests in a temporary folder, with a template database that has every migration.
import { mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runMigrations } from 'graphile-worker';
import { openDb } from '../../src/store/db.ts';
import { type EmbeddedPostgres, startEmbedded } from '../../src/store/embedded/embedded.ts';
import { migrate } from '../../src/store/migrate.ts';
import type { TestAddress } from './postgres/address.ts';
import { restoreCluster, storeCluster } from './postgres/cluster-cache.ts';

export const TEMPLATE_DATABASE = 'graphwright_template';

/** Linux's in-memory file system. */
const SHARED_MEMORY_DIR = '/dev/shm';
/** Several times the size of all concurrent test databases. */
const MIN_FREE_BYTES = 2e9;

export interface TestServer {
  readonly address: TestAddress;
  readonly pid: number;
  readonly folder: string;
  stop(): Promise<void>;
}

/** Starts the server, whose template database is usually that of an earlier run. `stop` removes all files. */
export async function startTestServer(): Promise<TestServer> {
  const folder = await mkdtemp(join(await chooseTempDir(), 'graphwright-test-'));
  const cluster = join(folder, 'postgres', 'cluster');
  const removeFolder = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    if (!(await restoreCluster(cluster))) {
      await createCluster(folder);
      await storeCluster(cluster);
    }
    const postgres = await start(folder);
    const { socketDir, user, database, pid } = postgres;
    const stop = async (): Promise<void> => {
      await postgres.stop();
      await removeFolder();
    };
    return { address: { socketDir, user, database }, pid, folder, stop };
  } catch (err) {
    await removeFolder();
    throw err;
  }
}

/** Test files run concurrently, and each may start several services. */
const start = (folder: string): Promise<EmbeddedPostgres> =>
  startEmbedded({ dataDir: folder, maxConnections: 200 });

/** Creates the files of the server with the template database, without a running server. */
async function createCluster(folder: string): Promise<void> {
  const postgres = await start(folder);
  try {
    await createTemplate(postgres);
  } finally {
    await postgres.stop();
  }
}

/** Chooses memory if enough is free, because each database is a copy of a thousand files, which is slow on a disk. */
async function chooseTempDir(): Promise<string> {
  const disk = await statfs(SHARED_MEMORY_DIR).catch(() => undefined);
  return disk !== undefined && disk.bavail * disk.bsize > MIN_FREE_BYTES ? SHARED_MEMORY_DIR : tmpdir();
}

async function createTemplate({ socketDir, user, database }: TestAddress): Promise<void> {
  const address = { socketDir, user, database };
  const admin = connect(address);
  // Test data need not survive a crash.
  await admin.query('alter system set fsync = off');
  await admin.query('alter system set full_page_writes = off');
  // Autovacuum would visit each database every ten seconds, although a database exists only during one test file.
  await admin.query('alter system set autovacuum = off');
  await admin.query('select pg_reload_conf()');
  await admin.query(`create database ${TEMPLATE_DATABASE}`);
  await admin.close();
  const template = connect({ ...address, database: TEMPLATE_DATABASE });
  await migrate(template, () => runMigrations({ pgPool: template.pool }));
  await template.close();
}

const connect = (connection: TestAddress): ReturnType<typeof openDb> =>
  openDb({
    connection,
    maxConnections: 3,
    onError: err => process.emitWarning(err),
  });
