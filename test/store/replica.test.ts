// Lists and pages by a real streaming replica: everybody reads what anybody wrote, whether it is up to date, behind,
// cancels statements, or is gone.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { after, before, describe, it } from 'node:test';
import { lookAtReplica, openReplica } from '../../src/store/connection/replica.ts';
import { type Db, openDb } from '../../src/store/db.ts';
import { startReplica, type TestReplica } from '../support/postgres/replica.ts';
import { ADDRESS_VARIABLE, startTestServer, type TestAddress, type TestServer } from '../support/postgres.ts';
import { waitUntil } from '../support/processes.ts';
import { BIN, cleanEnv, startTestService, type TestService, urlOf } from '../support/service.ts';
import { node } from '../support/workflows.ts';

/** The server of the whole test run, where there is one. */
const SHARED = process.env[ADDRESS_VARIABLE];
const SECRET = 'secret-of-the-content-webhook';

type Process = Awaited<ReturnType<TestService['join']>>;

let server: TestServer;
let replica: TestReplica;
let service: TestService;
let replicaUrl: string;
/** The service's database, on the replica. */
let copy: Db;
/** Two processes that read by the replica. */
let first: Process;
let second: Process;

const open = (connection: TestAddress): Db =>
  openDb({ connection, maxConnections: 4, timeoutMs: 3000, onError: () => undefined });

before(async () => {
  server = await startTestServer();
  replica = await startReplica(server);
  // The databases of tests are made on the server that this names.
  process.env[ADDRESS_VARIABLE] = JSON.stringify(server.address);
  service = await startTestService();
  const at = { ...replica.address, database: service.address.database };
  replicaUrl = urlOf(at);
  copy = open(at);
  const env = { DATABASE_REPLICA_URL: replicaUrl, CONTENT_WEBHOOK_SECRET: SECRET };
  [first, second] = await Promise.all([service.join(env), service.join(env)]);
});
after(async () => {
  await Promise.all([first.close(), second.close()]);
  await copy.close();
  await service.close();
  await replica.stop();
  await server.stop();
});

const textOf = async (url: string): Promise<string> => (await fetch(url)).text();

interface Seen {
  readonly up: number;
  readonly lagSeconds: number | undefined;
  readonly replica: number;
  readonly primary: number;
}

async function seen({ url }: Process): Promise<Seen> {
  const text = await textOf(`${url}/metrics`);
  const numberAt = (series: string): number | undefined => {
    const line = text.split('\n').find(each => each.startsWith(`${series} `));
    return line === undefined ? undefined : Number(line.split(' ')[1]);
  };
  return {
    up: numberAt('graphwright_replica_up') ?? Number.NaN,
    lagSeconds: numberAt('graphwright_replica_lag_seconds'),
    replica: numberAt('graphwright_replica_reads_total{server="replica"}') ?? 0,
    primary: numberAt('graphwright_replica_reads_total{server="primary"}') ?? 0,
  };
}

const isUp = async (process: Process): Promise<boolean> => (await seen(process)).up === 1;
const bothUp = (): Promise<void> =>
  waitUntil('both to read by the replica', async () => (await isUp(first)) && (await isUp(second)));

async function listed({ request }: Process, id: string): Promise<boolean> {
  const { status, body } = await request<readonly { id: string }[]>('GET', '/workflows?limit=5');
  assert.equal(status, 200, JSON.stringify(body));
  return body.some(workflow => workflow.id === id);
}

const READY = { status: 'ok', database: 'ok', queue: 'ok', storage: 'ok' };

async function readiness({ url }: Process): Promise<Readonly<Record<string, string>>> {
  const answer = await fetch(`${url}/readyz`);
  assert.equal(answer.status, 200, 'the service works without its replica');
  return (await answer.json()) as Record<string, string>;
}

const GRAPH = { nodes: [node('a', 'input:text', { text: 'x' })], edges: [] };

/** Written through one, and listed at once through the other. */
async function writeAndList(writer: Process, reader: Process): Promise<void> {
  const id = await writer.create(GRAPH);
  assert.ok(await listed(reader, id), 'the list has what was just written');
  const run = await writer.start(id);
  const { body } = await reader.request<{ data: { id: string }[] }>('GET', `/workflows/${id}/executions`);
  assert.deepEqual(
    body.data.map(execution => execution.id),
    [run],
  );
}

async function publish(method: 'POST' | 'PUT', { url }: Process, subtitle: string): Promise<void> {
  const page = { slug: 'films', title: 'Films', type: 'FEATURE', subtitle, isPublished: true };
  const answer = await fetch(`${url}/api/content/webhook`, {
    method,
    headers: { authorization: `Bearer ${SECRET}`, 'content-type': 'application/json' },
    body: JSON.stringify(page),
  });
  assert.ok(answer.ok, await answer.text());
}

describe('reads by a replica', () => {
  it('answer lists of one process with what another has just written', async () => {
    await bothUp();
    for (let round = 0; round < 5; round++) {
      await writeAndList(first, second);
      await writeAndList(second, first);
    }
    // A machine that is slow for a moment may have asked the primary, but not for good.
    await waitUntil('a list by the replica', async () => {
      await listed(first, '');
      return (await seen(first)).replica > 0;
    });
    await waitUntil('no lag', async () => (await seen(first)).lagSeconds === 0);
    await waitUntil('a good word of it', async () => (await readiness(first)).replica === 'ok');
  });

  it('answer content pages and their lists with what was just published', async () => {
    await publish('POST', first, 'Of photos');
    for (let round = 0; round < 5; round++) {
      for (const path of ['/features/films', '/features'])
        assert.match(await textOf(`${second.url}${path}`), /Of photos/);
      await publish('PUT', first, `Of clips ${round}`);
      for (const path of ['/features/films', '/features'])
        assert.match(await textOf(`${second.url}${path}`), new RegExp(`Of clips ${round}`));
      await publish('PUT', second, 'Of photos');
    }
  });

  it('are answered by the primary while the replica is behind, and by the replica when it has caught up', async () => {
    await bothUp();
    await copy.query('select pg_wal_replay_pause()');
    try {
      for (let round = 0; round < 5; round++) await writeAndList(first, second);
      await publish('PUT', first, 'While paused');
      assert.match(await textOf(`${second.url}/features/films`), /While paused/);
      const { replica: before } = await seen(second);
      await waitUntil('the lag to be measured', async () => ((await seen(second)).lagSeconds ?? 0) > 0);
      assert.equal((await seen(second)).up, 0);
      await writeAndList(first, second);
      assert.equal((await seen(second)).replica, before, 'the replica has answered nothing');
      assert.deepEqual(await readiness(second), { ...READY, replica: 'left out' });
    } finally {
      await copy.query('select pg_wal_replay_resume()');
    }
    await bothUp();
    await waitUntil('a list by the replica', async () => {
      const { replica: before } = await seen(second);
      await listed(second, '');
      return (await seen(second)).replica > before;
    });
  });

  it('go on when the replica is killed, and return to it when it is back', async () => {
    await bothUp();
    let going = true;
    const reading = (async () => {
      for (let reads = 0; ; reads++) {
        if (!going) return reads;
        await writeAndList(first, second);
      }
    })();
    await replica.kill();
    await waitUntil('the replica to be left out', async () => !(await isUp(first)) && !(await isUp(second)));
    assert.deepEqual(await readiness(first), { ...READY, replica: 'left out' });
    await replica.start();
    await bothUp();
    going = false;
    assert.ok((await reading) > 0);
  });

  it('are answered by the primary where what the replica replays cancels them', async () => {
    const primary = service.db;
    const faults: (string | undefined)[] = [];
    const reads = await openReplica({
      primary,
      replica: open({ ...replica.address, database: service.address.database }),
      url: replicaUrl,
      onChange: ({ fault }) => faults.push(fault),
    });
    try {
      await primary.query('create table conflicted as select generate_series(1, 10) as n');
      const slow = `select count(*)::int as count, max(case when pg_is_in_recovery() then pg_sleep(2.5)::text end) as slept
        from conflicted`;
      const read = waitUntil('the replica to answer', () => reads.standing.fault === undefined).then(() =>
        reads.query<{ count: number }>(slow),
      );
      await waitUntil('the statement to run there', async () => {
        const { rows } = await copy.query(
          `select from pg_stat_activity where query like '%pg_sleep(2.5)%' and wait_event = 'PgSleep'`,
        );
        return rows.length > 0;
      });
      await primary.query('truncate conflicted');
      assert.equal((await read).rows[0]?.count, 0, 'of the primary, after it was emptied');
      assert.deepEqual(reads.answered, { replica: 0, primary: 1 });
      const left = faults.filter(fault => fault !== undefined && !/is behind/.test(fault));
      assert.deepEqual(left, [], 'one cancelled statement is no reason to leave it out');
    } finally {
      await primary.query('drop table if exists conflicted');
      await reads.close();
    }
  });
});

interface Finding {
  readonly check: string;
  readonly state: string;
  readonly detail: string;
}

/** What doctor says of it. */
function examine(url: string): Promise<Finding | undefined> {
  const env = { ...cleanEnv(), DATABASE_URL: service.databaseUrl, DATABASE_REPLICA_URL: url, PORT: '0' };
  return new Promise(resolve => {
    execFile(process.execPath, [BIN, 'doctor', '--json'], { env, cwd: tmpdir() }, (_err, out) =>
      resolve((JSON.parse(out) as Finding[]).find(({ check }) => check === 'replica')),
    );
  });
}

describe('a replica that is none', () => {
  const faultOf = async (connection: TestAddress, primary: Db = service.db): Promise<string | undefined> => {
    const other = open(connection);
    try {
      return (await lookAtReplica(primary, other, urlOf(connection))).fault;
    } finally {
      await other.close();
    }
  };

  it('is named: the primary itself, another server, and none at all', async () => {
    assert.match(
      String(await faultOf(service.address)),
      /DATABASE_REPLICA_URL is no replica: let it lead to one/,
    );
    const nowhere = { ...service.address, socketDir: '/nosuch' };
    assert.match(String(await faultOf(nowhere)), /No PostgreSQL answers at .*DATABASE_REPLICA_URL/);
    const stranger = SHARED === undefined ? await startTestServer() : undefined;
    const address = stranger?.address ?? (JSON.parse(SHARED ?? '') as TestAddress);
    try {
      assert.match(String(await faultOf(address)), /is no replica of that of DATABASE_URL/);
    } finally {
      await stranger?.stop();
    }
  });

  it('is a finding of doctor, and a good one is too', async () => {
    const findings = await Promise.all([service.databaseUrl, replicaUrl].map(examine));
    assert.deepEqual(
      findings.map(found => found?.state),
      ['failed', 'ok'],
      JSON.stringify(findings),
    );
    assert.match(String(findings[0]?.detail), /is no replica: let it lead to one/);
  });

  it('asks for no rights but those of an ordinary account', async () => {
    await service.db.query('create role ordinary login');
    const connection = { ...replica.address, database: service.address.database, user: 'ordinary' };
    const primary = open({ ...service.address, user: 'ordinary' });
    try {
      await waitUntil(
        'the account to be on the replica',
        async () => (await faultOf(connection, primary)) === undefined,
      );
    } finally {
      await primary.close();
      await service.db.query('drop role ordinary');
    }
  });
});
