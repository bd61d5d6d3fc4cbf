// Tests two services that connect to PostgreSQL through PgBouncer with transaction pooling, and the messages about wrong
// configurations of PgBouncer.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { migrateAll, openDatabases } from '../../src/databases.ts';
import { createLogger } from '../../src/lib/log.ts';
import { readSettings } from '../../src/lib/settings.ts';
import { type Db, openDb, pingQueue } from '../../src/store/db.ts';
import { getDirectSetting, preflight, preflightPooler } from '../../src/store/preflight.ts';
import { mp4 } from '../support/media/files.ts';
import { type Receiver, startReceiver } from '../support/network/receiver.ts';
import { PGBOUNCER, startPooler, type TestPooler } from '../support/postgres/pooler.ts';
import { waitUntil } from '../support/processes.ts';
import {
  BIN,
  baseEnv,
  cleanEnv,
  startTestService,
  type TestService,
  toDatabaseUrl,
} from '../support/service.ts';
import { edge, node } from '../support/workflows.ts';

const RUN_COUNT = 30;
const UPLOAD_BYTES = 300_000;

interface Finding {
  readonly check: string;
  readonly state: string;
  readonly detail: string;
}

type Process = Awaited<ReturnType<TestService['startAnother']>>;

const createDelayGraph = (ms: number) => ({
  nodes: [node('a', 'input:text', { value: 'x' }), node('d', 'logic:delay', { ms })],
  edges: [edge('a.text > d.input')],
});

describe('services behind PgBouncer', {
  skip: PGBOUNCER === undefined && 'pgbouncer is not installed',
}, () => {
  let folder: string;
  let receiver: Receiver;
  let service: TestService;
  let pooler: TestPooler | undefined;
  let processes: readonly Process[] = [];
  let pooledUrl: string;
  let first: Process;
  let second: Process;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'graphwright-pooled-'));
    receiver = await startReceiver();
    // This API server does not use the pooler. The two processes of the test do all the work.
    service = await startTestService({ ROLE: 'api' });
    pooler = await startPooler(PGBOUNCER ?? '', service.connection, { pool_mode: 'transaction' });
    pooledUrl = pooler.url;
    const env = {
      ROLE: 'all',
      DATABASE_URL: pooledUrl,
      DATABASE_DIRECT_URL: service.databaseUrl,
      ALLOW_PRIVATE_NETWORK: 'true',
    };
    processes = await Promise.all([service.startAnother(env), service.startAnother(env)]);
    [first, second] = processes as [Process, Process];
  });
  after(async () => {
    await Promise.all(processes.map(process => process.close()));
    await pooler?.stop();
    await service.close();
    await receiver.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** Returns the finding of `graphwright doctor` about the pooler. */
  const findPoolerProblem = (env: NodeJS.ProcessEnv): Promise<Finding | undefined> =>
    new Promise(resolve => {
      const options = { env: { ...cleanEnv(), PORT: '0', DATA_DIR: folder, ...env }, cwd: folder };
      execFile(process.execPath, [BIN, 'doctor', '--json'], options, (_err, out) =>
        resolve((JSON.parse(out) as Finding[]).find(({ check }) => check === 'pooler')),
      );
    });

  /** Returns the message with which `doctor` and `serve` refuse the settings. */
  async function getRefusal(env: Parameters<typeof getDirectSetting>[0]): Promise<string> {
    const setting = getDirectSetting(env);
    const connection = { url: setting?.url ?? '' };
    const db = openDb({ connection, maxConnections: 1, onError: () => undefined });
    const refusal = await preflight(db, setting).then(
      () => 'none',
      (err: Error) => err.message,
    );
    await db.close();
    return refusal;
  }

  it('execute many concurrent runs over few connections', async () => {
    const id = await first.createWorkflow(createDelayGraph(50));
    const runs = await Promise.all(
      Array.from({ length: RUN_COUNT }, (_, index) =>
        (index % 2 === 0 ? first : second).startRun(id, { webhook: { url: receiver.url } }),
      ),
    );
    await waitUntil('the deliveries', () => receiver.received.length >= RUN_COUNT);
    const { body } = await second.request<{ data: { id: string; status: string }[] }>(
      'GET',
      '/executions?limit=200',
    );
    assert.deepEqual(
      body.data.filter(({ status }) => status === 'COMPLETED').map(run => run.id),
      runs.toSorted().reverse(),
    );
  });

  it('can cancel runs that the other process executes', async () => {
    const id = await first.createWorkflow(createDelayGraph(60_000));
    // The process that accepts a run executes it.
    const run = await first.startRun(id);
    const { status } = await second.request('POST', `/executions/${run}/cancel`);
    assert.equal(status, 200);
    await waitUntil('the run to be cancelled', async () => {
      const { body } = await second.request<{ status: string }>('GET', `/executions/${run}`);
      return body.status === 'CANCELLED';
    });
  });

  it('can upload and read files', async () => {
    const file = mp4(UPLOAD_BYTES);
    const upload = await first.request<{
      mediaId: string;
      uploadUrl: string;
      headers: Record<string, string>;
    }>('POST', '/media/upload-url', { contentType: 'video/mp4', bytes: file.length, filename: 'a.mp4' });
    const { pathname, search } = new URL(upload.body.uploadUrl);
    const put = await fetch(second.url + pathname + search, {
      method: 'PUT',
      headers: upload.body.headers,
      body: file,
    });
    assert.equal(put.status, 200, await put.text());
    const { mediaId } = upload.body;
    const completion = await second.request<{ url: string }>('POST', '/media/upload-url/complete', {
      mediaId,
    });
    const response = await fetch(first.url + new URL(completion.body.url).pathname);
    assert.equal((await response.arrayBuffer()).byteLength, file.length);
  });

  it('can migrate an empty database', async () => {
    const address = { ...service.connection, database: `${service.connection.database}_empty` };
    await service.db.query(`create database ${address.database}`);
    const emptyPooler = await startPooler(PGBOUNCER ?? '', address, { pool_mode: 'transaction' });
    try {
      const env = { DATABASE_URL: emptyPooler.url, DATABASE_DIRECT_URL: toDatabaseUrl(address) };
      const log = createLogger('silent');
      await using stack = new AsyncDisposableStack();
      const settings = readSettings({ ...baseEnv(folder), ...env });
      const { db, direct } = await openDatabases(settings, log, {}, stack);
      await migrateAll(direct, log);
      await pingQueue(db);
      assert.equal((await db.query('select from users')).rowCount, 0);
    } finally {
      await emptyPooler.stop();
      await service.db.query(`drop database ${address.database}`);
    }
  });

  it('are warned by doctor about missing statement timeouts', async () => {
    const finding = await findPoolerProblem({
      DATABASE_URL: pooledUrl,
      DATABASE_DIRECT_URL: service.databaseUrl,
    });
    assert.equal(finding?.state, 'missing');
    assert.match(String(finding?.detail), /alter role \w+ set statement_timeout = '20s'/);
    await service.db.query(`alter database ${service.connection.database} set statement_timeout = '20s'`);
    const [direct, other] = [service.connection, { ...service.connection, database: 'postgres' }].map(
      connection => openDb({ connection, maxConnections: 1, onError: () => undefined }),
    ) as [Db, Db];
    try {
      assert.equal(await preflightPooler(direct, direct, service.databaseUrl), undefined);
      await assert.rejects(
        preflightPooler(direct, other, service.databaseUrl),
        /point to different databases/,
      );
    } finally {
      await Promise.all([direct.close(), other.close()]);
    }
  });

  it('refuse a pooler for direct connections and a pooler that drops the statement timeout', async () => {
    assert.match(
      await getRefusal({ DATABASE_URL: pooledUrl, DATABASE_DIRECT_URL: pooledUrl }),
      /^DATABASE_DIRECT_URL points to a connection pooler .* PostgreSQL itself\.$/,
    );
    const remedy =
      /^DATABASE_URL points to a connection pooler .* or set DATABASE_DIRECT_URL to the address of PostgreSQL\.$/;
    assert.match(await getRefusal({ DATABASE_URL: pooledUrl, DATABASE_DIRECT_URL: undefined }), remedy);
    const sessionPooler = await startPooler(PGBOUNCER ?? '', service.connection, {
      pool_mode: 'session',
      ignore_startup_parameters: 'options,statement_timeout,idle_in_transaction_session_timeout',
    });
    try {
      assert.match(
        await getRefusal({ DATABASE_URL: sessionPooler.url, DATABASE_DIRECT_URL: undefined }),
        remedy,
      );
    } finally {
      await sessionPooler.stop();
    }
  });

  it('respond with 503 while PgBouncer is down', async () => {
    await pooler?.stop();
    const refusal = await first.request('GET', '/workflows');
    assert.equal(refusal.status, 503, JSON.stringify(refusal.body));
    pooler = await startPooler(
      PGBOUNCER ?? '',
      service.connection,
      { pool_mode: 'transaction' },
      Number(new URL(pooledUrl).port),
    );
    await waitUntil('requests to succeed', async () => {
      const { status } = await first.request('GET', '/workflows');
      return status === 200;
    });
  });
});
