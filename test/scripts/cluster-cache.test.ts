// Checks that test runs use a stored PostgreSQL cluster only if it is complete.
import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, describe, it } from 'node:test';
import { restoreCluster, storeCluster } from '../support/postgres/cluster-cache.ts';

describe('the cluster cache', () => {
  const folder = mkdtempSync(join(tmpdir(), 'graphwright-cache-'));
  const cache = join(folder, 'cache');
  const cluster = join(folder, 'cluster');
  const restored = join(folder, 'postgres', 'restored');
  after(() => rmSync(folder, { recursive: true, force: true }));
  beforeEach(() => {
    for (const path of [cache, cluster, restored]) rmSync(path, { recursive: true, force: true });
    mkdirSync(join(cluster, 'base'), { recursive: true, mode: 0o700 });
    writeFileSync(join(cluster, 'PG_VERSION'), '18');
    writeFileSync(join(cluster, 'base', 'table'), Buffer.alloc(100_000, 'row'));
  });

  it('restores the files with their modes', async () => {
    assert.equal(await restoreCluster(restored, cache), false);
    await storeCluster(cluster, cache);
    assert.equal(await restoreCluster(restored, cache), true);
    assert.deepEqual(
      readFileSync(join(restored, 'base', 'table')),
      readFileSync(join(cluster, 'base', 'table')),
    );
    assert.equal(statSync(join(restored, 'base')).mode & 0o777, 0o700);
  });

  it('restores nothing from a damaged archive', async () => {
    await storeCluster(cluster, cache);
    const [archive = ''] = readdirSync(cache);
    truncateSync(join(cache, archive), 50_000);
    assert.equal(await restoreCluster(restored, cache), false);
    assert.equal(existsSync(restored), false);
  });

  it('never gives an unfinished archive its name, and removes older archives', async () => {
    mkdirSync(cache);
    writeFileSync(join(cache, 'old.tar'), '');
    await storeCluster(join(folder, 'missing'), cache);
    assert.deepEqual(readdirSync(cache), ['old.tar']);
    await storeCluster(cluster, cache);
    assert.equal(readdirSync(cache).length, 1);
    assert.equal(await restoreCluster(restored, cache), true);
  });
});
