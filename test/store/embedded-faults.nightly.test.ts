// Tests the embedded PostgreSQL after kills at unusual moments. embedded.slow.test.ts tests a kill of the service and one of
// the postmaster.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { type Db, openDb } from '../../src/store/db.ts';
import { type EmbeddedPostgres, startEmbedded } from '../../src/store/embedded/embedded.ts';
import type { TestAddress } from '../support/postgres/address.ts';
import { isRunning, type ServiceProcess, spawnEmbedded, waitUntil } from '../support/processes.ts';

const NO_PARENT_DEATH_SIGNAL =
  process.platform === 'linux' ? false : 'the kernel has no signal for the death of a parent';

describe('the embedded PostgreSQL after a kill', () => {
  let dataDir: string;
  let cluster: string;
  let logLines: string[];
  let openDbs: Db[];
  let services: ServiceProcess[];
  let running: EmbeddedPostgres | undefined;

  const open = (connection: TestAddress): Db => {
    const db = openDb({ connection, maxConnections: 2, onError: () => undefined });
    openDbs.push(db);
    return db;
  };
  const start = async (
    more: Partial<Parameters<typeof startEmbedded>[0]> = {},
  ): Promise<EmbeddedPostgres> => {
    running = await startEmbedded({ dataDir, log: line => logLines.push(line), ...more });
    return running;
  };
  const startChildService = (): ServiceProcess => {
    const service = spawnEmbedded({ dataDir });
    services.push(service);
    return service;
  };
  const isResponding = async (db: Db): Promise<boolean> =>
    db.query('select 1').then(
      () => true,
      () => false,
    );

  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'graphwright-test-'));
    cluster = join(dataDir, 'postgres', 'cluster');
    [logLines, openDbs, services, running] = [[], [], [], undefined];
  });
  afterEach(async () => {
    for (const service of services) await service.end('SIGKILL');
    await Promise.all(openDbs.map(db => db.close()));
    await running?.stop();
    await rm(dataDir, { recursive: true, force: true });
  });

  it('starts after service and postmaster were killed', async () => {
    const service = startChildService();
    const { postmaster, connection } = await service.next('ready');
    await open(connection).query('insert into kept values (43)');
    process.kill(postmaster, 'SIGKILL');
    await service.end('SIGKILL');
    const { rows } = await open(await start()).query('select id from kept');
    assert.deepEqual(rows, [{ id: 43 }]);
  });

  it('survives Ctrl-C to the process group so that the service can drain', async () => {
    const service = startChildService();
    const { postmaster } = await service.next('ready');
    process.kill(-service.pid, 'SIGINT');
    assert.equal((await service.next('drained')).postmaster, postmaster);
    await service.end('SIGTERM');
    assert.equal(isRunning(postmaster), false);
  });

  it('restarts when the new postmaster is killed before it is ready', async () => {
    const kills: number[] = [];
    const postgres = await start({
      log: line => {
        logLines.push(line);
        if (kills.length !== 1 || !/starting PostgreSQL/.test(line)) return;
        const nextPid = Number.parseInt(readFileSync(join(cluster, 'postmaster.pid'), 'utf8'), 10);
        kills.push(nextPid);
        process.kill(nextPid, 'SIGKILL');
      },
      onExit: err => assert.fail(err),
    });
    kills.push(postgres.pid);
    const db = open(postgres);
    process.kill(postgres.pid, 'SIGKILL');
    await waitUntil(
      'the postmaster after the next',
      () => kills.length === 2 && !kills.includes(postgres.pid),
    );
    await waitUntil('a response', () => isResponding(db));
  });

  it('restarts if the kill left empty pid files', async () => {
    const postgres = await start({
      log: line => {
        logLines.push(line);
        if (!/ended unexpectedly/.test(line)) return;
        writeFileSync(join(cluster, 'postmaster.pid'), '');
        writeFileSync(join(running?.socketDir ?? '', '.s.PGSQL.5432.lock'), '');
      },
    });
    const db = open(postgres);
    process.kill(postgres.pid, 'SIGKILL');
    await waitUntil('a response of the next postmaster', () => isResponding(db));
    assert.equal(
      logLines.filter(line => /ended unexpectedly/.test(line)).length,
      1,
      'the first restart succeeds',
    );
    assert.equal(logLines.filter(line => /names no process; removing/.test(line)).length, 2);
  });

  it('ends a busy backend of a killed postmaster before it starts a new one', {
    skip: NO_PARENT_DEATH_SIGNAL,
  }, async () => {
    const postgres = await start();
    const { pid } = postgres;
    const db = open(postgres);
    const { rows } = await db.query<{ pid: number }>('select pg_backend_pid() as pid');
    const busy = db.query('do $$ begin loop end loop; end $$').catch((err: unknown) => err);
    process.kill(pid, 'SIGKILL');
    await waitUntil('the next postmaster', () => postgres.pid !== pid);
    assert.equal(isRunning(rows[0]?.pid ?? 0), false);
    assert.ok((await busy) instanceof Error);
  });
});
