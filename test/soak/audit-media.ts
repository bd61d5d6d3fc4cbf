// Checks media after a soak: each row has its file, and each file has its row or is recorded as an orphan.
import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Check } from './audit.ts';

/** A crash of PostgreSQL may lose the records of the last half second, by design (store/media/orphans.ts). */
const MAX_LOST_RECORDS_PER_CRASH = 3;

/** Creates the check for a soak in which PostgreSQL was killed this often. */
export function createMediaCheck(postgresKills: number): Check {
  return async ({ fleet }) => {
    const folder = join(fleet.dataDir, 'media');
    const files = await listFiles(folder);
    const { rows } = await fleet.db.query<{ id: string; bytes: number; sha256: string }>(
      'select id, bytes, sha256 from media',
    );
    const { rows: orphans } = await fleet.db.query<{ id: string }>('select id from media_strays');
    const knownIds = new Set([...rows, ...orphans].map(({ id }) => id));
    const violations: string[] = [];
    for (const { id, bytes, sha256 } of rows) {
      const path = files.get(id);
      const content = path === undefined ? undefined : await readFile(path);
      if (content === undefined) violations.push(`the media ${id} has no file`);
      else if (content.length !== bytes || createHash('sha256').update(content).digest('hex') !== sha256)
        violations.push(`the file of ${id} differs from its row`);
    }
    const unknownIds = [...files.keys()].filter(id => !knownIds.has(id));
    const isAllowed = unknownIds.length <= postgresKills * MAX_LOST_RECORDS_PER_CRASH;
    return isAllowed ? violations : [...violations, ...unknownIds.map(id => `the file ${id} has no row`)];
  };
}

/** Lists the paths of the stored files by media id, without the folder of unfinished files. */
async function listFiles(folder: string): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  for (const shard of await readdir(folder).catch(() => [])) {
    const path = join(folder, shard);
    if (shard === 'tmp' || !(await stat(path)).isDirectory()) continue;
    for (const name of await readdir(path)) files.set(name, join(path, name));
  }
  return files;
}
