// Tests the lock on a data folder, which uses flock, or the start time of the holder if flock is missing.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { acquireLock } from '../../src/store/embedded/lock.ts';

const ps = spawnSync('/bin/sh', ['-c', 'command -v ps'], { encoding: 'utf8' }).stdout.trim();
const NO_PS = ps === '' ? 'ps is not installed' : false;

describe('acquireLock', () => {
  let folder: string;
  let file: string;
  const path = process.env.PATH;

  const acquire = () => acquireLock(file, folder, 'http://localhost:3998');
  const writeHolder = (holder: Readonly<Record<string, unknown>>) =>
    writeFile(file, JSON.stringify({ host: hostname(), since: 'then', ...holder }));

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'graphwright-test-'));
    file = join(folder, 'service.lock');
  });
  afterEach(async () => {
    process.env.PATH = path;
    await rm(folder, { recursive: true, force: true });
  });

  it('rejects a second lock until the first is released', async () => {
    const lock = await acquire();
    await assert.rejects(
      acquire(),
      new RegExp(`at http://localhost:3998 \\(process ${process.pid} on ${hostname()}`),
    );
    await lock.describe({ socketDir: '/tmp/x' });
    assert.match(await readFile(file, 'utf8'), /"socketDir":"\/tmp\/x"\}\n$/);
    await lock.release();
    const next = await acquire();
    assert.equal(next.previous, undefined);
    await next.release();
  });

  it('ignores a lock file with a reused pid', async () => {
    await writeHolder({ pid: process.pid });
    const lock = await acquire();
    assert.equal(lock.previous?.pid, process.pid);
    await lock.release();
  });

  it('accepts a lock file with any content', async () => {
    await writeFile(file, '\0{"pid":');
    await (await acquire()).release();
  });

  describe('acquireLock without flock', { skip: NO_PS }, () => {
    beforeEach(async () => {
      await symlink(ps, join(folder, 'ps'));
      process.env.PATH = folder;
    });

    it('rejects a second lock until the first is released', async () => {
      const lock = await acquire();
      await assert.rejects(acquire(), /is in use by the service/);
      await lock.release();
      await (await acquire()).release();
    });

    it('replaces a holder that has ended or whose pid was reused', async () => {
      for (const holder of [
        { pid: 2 ** 22 + 1, started: 'Mon Jan  1 00:00:00 2024' },
        { pid: process.pid, started: 'Mon Jan  1 00:00:00 2024' },
      ]) {
        await writeHolder(holder);
        const lock = await acquire();
        assert.equal(lock.previous?.pid, holder.pid);
        await lock.release();
      }
    });
  });
});
