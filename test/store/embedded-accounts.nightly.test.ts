// Tests the embedded PostgreSQL that root or an ordinary user starts, with and without an account for PostgreSQL, below any
// folder. embedded-accounts.slow.test.ts tests one account of root.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, chown, mkdir, mkdtemp, readFile, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, before, beforeEach, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { openDb } from '../../src/store/db.ts';
import { type EmbeddedPostgres, startEmbedded } from '../../src/store/embedded/embedded.ts';
import { isRunning, spawnEmbedded, waitUntil } from '../support/processes.ts';

const SKIP_UNLESS_ROOT = process.getuid?.() === 0 ? false : 'only root runs PostgreSQL as another user';
const MISSING_ACCOUNT = 'graphwright-no-such-account';
const WITHOUT_ACCOUNT = { uid: 64_732, gid: 64_732 };
const ORDINARY = { uid: 65_534, gid: 65_534 };

const succeeds = async (command: string, args: readonly string[], ids = {}): Promise<boolean> =>
  promisify(execFile)(command, args, { timeout: 10_000, ...ids }).then(
    () => true,
    () => false,
  );

const hasNamespaces = await succeeds('unshare', ['--user', '--map-user=1000', 'true']);
const SKIP_WITHOUT_NAMESPACES =
  SKIP_UNLESS_ROOT || (hasNamespaces ? false : 'this kernel or container allows no user namespaces');

describe('the embedded PostgreSQL under root', { skip: SKIP_UNLESS_ROOT }, () => {
  let root: string;
  let running: EmbeddedPostgres | undefined;

  const start = async (dataDir: string, account: string): Promise<EmbeddedPostgres> => {
    running = await startEmbedded({ dataDir, account });
    return running;
  };
  const stop = async (): Promise<void> => {
    await running?.stop();
    running = undefined;
  };
  const runQuery = async (postgres: EmbeddedPostgres, statement: string): Promise<readonly unknown[]> => {
    const db = openDb({ connection: postgres, maxConnections: 1, onError: err => process.emitWarning(err) });
    try {
      return (await db.query(statement)).rows;
    } finally {
      await db.close();
    }
  };
  const getClusterOwner = async (dataDir: string): Promise<number> =>
    (await stat(join(dataDir, 'postgres', 'cluster'))).uid;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'graphwright-test-'));
    await chmod(root, 0o755);
  });
  afterEach(async () => {
    await stop();
    await rm(root, { recursive: true, force: true });
  });

  it('runs if the account does not exist', async () => {
    const postgres = await start(root, MISSING_ACCOUNT);
    assert.deepEqual(await runQuery(postgres, 'select 1 as one'), [{ one: 1 }]);
  });

  for (const account of ['nobody', MISSING_ACCOUNT]) {
    it(`runs below a folder that only root can enter, with the account ${account}`, {
      skip: SKIP_WITHOUT_NAMESPACES,
    }, async () => {
      await chmod(root, 0o700);
      const postgres = await start(join(root, 'data'), account);
      assert.deepEqual(await runQuery(postgres, 'select 1 as one'), [{ one: 1 }]);
      assert.equal(await getClusterOwner(join(root, 'data')), 0);
    });
  }

  it('changes the owner of the cluster if its folder moves below a folder that the account cannot enter', {
    skip: SKIP_WITHOUT_NAMESPACES,
  }, async () => {
    await mkdir(join(root, 'open'));
    await runQuery(await start(join(root, 'open'), 'nobody'), 'create table t as select 5 as n');
    await stop();
    await mkdir(join(root, 'closed'), { mode: 0o700 });
    await rename(join(root, 'open'), join(root, 'closed', 'moved'));
    const postgres = await start(join(root, 'closed', 'moved'), 'nobody');
    assert.deepEqual(await runQuery(postgres, 'select n from t'), [{ n: 5 }]);
  });

  for (const account of ['nobody', MISSING_ACCOUNT]) {
    it(`stops when the service is killed, with the account ${account}`, async () => {
      const service = spawnEmbedded({ dataDir: root, account });
      const { postmaster, connection } = await service.next('ready');
      await service.end('SIGKILL');
      await waitUntil('the end of the postmaster', () => !isRunning(postmaster));
      await start(root, account);
      await assert.rejects(stat(connection.socketDir), { code: 'ENOENT' });
    });
  }
});

describe('the embedded PostgreSQL under an ordinary user', { skip: SKIP_UNLESS_ROOT }, () => {
  let canRead = false;
  before(async () => {
    canRead = await succeeds(
      '/bin/sh',
      ['-c', 'test -r "$1" && test -x "$2"', 'sh', import.meta.filename, process.execPath],
      ORDINARY,
    );
  });

  for (const [name, ids, skip] of [
    ['an ordinary user', ORDINARY, false],
    ['a user ID without an account', WITHOUT_ACCOUNT, SKIP_WITHOUT_NAMESPACES],
  ] as const) {
    it(`runs as ${name} and stops when the service is killed`, { skip }, async t => {
      if (!canRead) return t.skip('an ordinary user cannot enter the folder of this repository');
      const root = await mkdtemp(join(tmpdir(), 'graphwright-test-'));
      await chown(root, ids.uid, ids.gid);
      const service = spawnEmbedded({ dataDir: root }, ids);
      try {
        const { postmaster, connection } = await service.next('ready');
        const status = await readFile(`/proc/${postmaster}/status`, 'utf8');
        assert.match(status, new RegExp(`^Uid:\\t${ids.uid}\\t`, 'm'));
        await service.end('SIGKILL');
        await waitUntil('the end of the postmaster', () => !isRunning(postmaster));
        await rm(connection.socketDir, { recursive: true });
      } finally {
        await service.end('SIGKILL');
        await rm(root, { recursive: true, force: true });
      }
    });
  }

  it('uses a cluster that root created', async t => {
    if (!canRead) return t.skip('an ordinary user cannot enter the folder of this repository');
    const root = await mkdtemp(join(tmpdir(), 'graphwright-test-'));
    await chown(root, ORDINARY.uid, ORDINARY.gid);
    await (await startEmbedded({ dataDir: root, account: 'nobody' })).stop();
    const service = spawnEmbedded({ dataDir: root }, ORDINARY);
    try {
      await service.next('ready');
    } finally {
      await service.end('SIGTERM');
      await rm(root, { recursive: true, force: true });
    }
  });

  it('reports a folder that it cannot write', async t => {
    if (!canRead) return t.skip('an ordinary user cannot enter the folder of this repository');
    const root = await mkdtemp(join(tmpdir(), 'graphwright-test-'));
    const service = spawnEmbedded({ dataDir: join(root, 'data') }, ORDINARY);
    try {
      await assert.rejects(service.next('ready'), /The data folder .* cannot be used .*EACCES/);
    } finally {
      await service.end('SIGKILL');
      await rm(root, { recursive: true, force: true });
    }
  });
});
