// Tests common mistakes of new administrators: `serve` exits with a message that says what to do, and `doctor` reports
// the same message.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import S3rver from '@20minutes/s3rver';
import { newId } from '../../src/lib/ids.ts';
import { openDiskStorage } from '../../src/media/disk.ts';
import { type CommandResult, type RunCommand, spawnCommand, spawnFirst } from '../support/command-line.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { BIN, cleanEnv, startTestService, toDatabaseUrl } from '../support/service.ts';
import { isNightly } from '../support/tier.ts';

// The time limit of a test does not apply to hooks.
const HOOK_OPTIONS = { timeout: 200_000 };
const folder = await mkdtemp(join(tmpdir(), 'graphwright-first-'));
after(() => rm(folder, { recursive: true, force: true }), HOOK_OPTIONS);

const graphwright = (
  args: readonly string[],
  settings: NodeJS.ProcessEnv = {},
  run: RunCommand = spawnFirst,
): Promise<CommandResult> =>
  run(args, { DATA_DIR: join(folder, 'data'), PORT: '0', LOG_LEVEL: 'silent', ...settings });

/** Asserts that `serve` and `doctor` exit with 1 and that both report the problem. */
async function assertReported(
  settings: NodeJS.ProcessEnv,
  check: string,
  message: RegExp,
  run?: RunCommand,
): Promise<void> {
  const [serve, doctor] = await Promise.all([
    graphwright(['serve'], settings, run),
    graphwright(['doctor', '--json'], settings, run),
  ]);
  assert.match(serve.err, message);
  assert.match(serve.err, /^graphwright: /);
  assert.doesNotMatch(serve.err, /^ {4}at /m, 'no stack');
  assert.equal(serve.code, 1, serve.err);
  const findings = JSON.parse(doctor.out) as { check: string; state: string; detail: string }[];
  const result = findings.find(finding => finding.check === check);
  assert.equal(result?.state, 'failed', doctor.out);
  assert.match(String(result?.detail), message);
  assert.equal(doctor.code, 1);
}

describe('the PostgreSQL check of serve and doctor', () => {
  let database: TestDatabase;
  let roles: readonly string[];
  const names = ['reader', 'guest', 'delayed'].map(name => `${name}_${process.pid}`);
  const emptyDatabase = `empty_${process.pid}`;
  before(async () => {
    database = await createTestDatabase();
    roles = names;
    for (const name of names) await database.db.query(`create role ${name} login`);
    const [reader, , delayed] = names;
    await database.db.query(`alter role ${reader} set default_transaction_read_only = on`);
    await database.db.query(`create database ${emptyDatabase}`);
    // For this role, the clock of the database is two minutes behind.
    await database.db.query('create schema skewed');
    await database.db.query(
      `create function skewed.clock_timestamp() returns timestamptz language sql as $$ select now() - interval '2 minutes' $$`,
    );
    await database.db.query(`alter role ${delayed} set search_path = skewed, public, pg_catalog`);
    await database.db.query(`alter role ${delayed} superuser`);
  }, HOOK_OPTIONS);
  after(async () => {
    await database.db.query(`drop database ${emptyDatabase}`);
    for (const name of roles) {
      await database.db.query(`drop owned by ${name}`);
      await database.db.query(`drop role ${name}`);
    }
    await database.drop();
  }, HOOK_OPTIONS);
  const connectAs = (user: string, name = database.connection.database): NodeJS.ProcessEnv => ({
    DATABASE_URL: toDatabaseUrl({ ...database.connection, user, database: name }),
  });

  it('reports a server that does not respond', () =>
    assertReported(
      { DATABASE_URL: 'postgres://me:secret@127.0.0.1:1/mine' },
      'PostgreSQL',
      /No PostgreSQL server responds at 127\.0\.0\.1:1\. Start it, correct DATABASE_URL/,
    ));

  it('reports several servers that do not respond', () =>
    assertReported(
      { DATABASE_URL: 'postgres://me:secret@127.0.0.1:1,127.0.0.1:2/mine' },
      'PostgreSQL',
      /No PostgreSQL server responds at 127\.0\.0\.1:1, 127\.0\.0\.1:2\. Start it, correct DATABASE_URL/,
    ));

  it('reports a host name that does not exist', () =>
    assertReported(
      { DATABASE_URL: 'postgres://me:secret@nowhere.invalid/mine' },
      'PostgreSQL',
      /nowhere\.invalid.* Correct DATABASE_URL/,
    ));

  it('reports a missing database', () =>
    assertReported(
      connectAs('postgres', 'nosuch'),
      'PostgreSQL',
      /has no database nosuch\. Create it \(createdb nosuch\)/,
    ));

  it('reports a missing account', () =>
    assertReported(connectAs('nosuch'), 'PostgreSQL', /rejected nosuch\. Correct the user and password/));

  it('reports a server that is too old', async () => {
    const { rows } = await database.db.query<{ server_version_num: string }>('show server_version_num');
    const serverVersion = rows[0]?.server_version_num ?? '';
    // A proxy that reports another server version.
    const oldServer = createTcpServer(caller => {
      const server = connect(join(database.connection.socketDir, '.s.PGSQL.5432'));
      server.on('data', bytes =>
        caller.write(bytes.toString('latin1').replaceAll(serverVersion, '140011'), 'latin1'),
      );
      caller.on('data', bytes => server.write(bytes));
      for (const [one, other] of [
        [server, caller],
        [caller, server],
      ] as const)
        one.on('close', () => other.destroy()).on('error', () => other.destroy());
    });
    await new Promise<void>(resolve => oldServer.listen(0, '127.0.0.1', resolve));
    const { port } = oldServer.address() as AddressInfo;
    await assertReported(
      { DATABASE_URL: `postgres://postgres@127.0.0.1:${port}/${database.connection.database}` },
      'PostgreSQL',
      /points to PostgreSQL 14\.11, but Graphwright needs PostgreSQL 15 or later\. Upgrade it/,
    );
    oldServer.close();
  });

  it('reports a read-only server', () =>
    assertReported(connectAs(names[0] ?? ''), 'PostgreSQL', /is read-only .* to the primary/));

  it('reports an account that may not create tables', () =>
    assertReported(
      connectAs(names[1] ?? '', emptyDatabase),
      'PostgreSQL',
      /may not create tables in the database .* owner to/,
    ));

  it('reports a different clock of the server', async () => {
    const { out } = await graphwright(['doctor'], connectAs(names[2] ?? ''));
    assert.match(
      out,
      /✖ +PostgreSQL +the clock of this machine is 1\d\d s ahead of PostgreSQL's; synchronize both with NTP/,
    );
  });
});

describe('the bucket check of serve and doctor', () => {
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory: join(folder, 'bucket'),
    configureBuckets: [{ name: 'media' }],
  });
  let settings: NodeJS.ProcessEnv;
  let database: TestDatabase;
  before(async () => {
    const { port } = await server.run();
    database = await createTestDatabase();
    settings = {
      DATABASE_URL: toDatabaseUrl(database.connection),
      S3_BUCKET: 'media',
      S3_ENDPOINT: `http://127.0.0.1:${port}`,
      S3_FORCE_PATH_STYLE: 'true',
      AWS_ACCESS_KEY_ID: 'S3RVER',
      AWS_SECRET_ACCESS_KEY: 'S3RVER',
    };
  }, HOOK_OPTIONS);
  after(async () => {
    await server.close();
    await database.drop();
  }, HOOK_OPTIONS);
  const assertBucketReported = (change: NodeJS.ProcessEnv, sentence: RegExp) =>
    assertReported({ ...settings, ...change }, 'media storage', sentence);

  it('reports an unreachable bucket, without which serve is not ready', async () => {
    const unreachable = { ...settings, S3_ENDPOINT: 'http://127.0.0.1:9' };
    const sentence =
      /The bucket media at http:\/\/127\.0\.0\.1:9 cannot be reached: .*\. Check S3_ENDPOINT, and that the store is running\./;
    const { code, out } = await graphwright(['doctor', '--json'], unreachable);
    const result = (JSON.parse(out) as { check: string; state: string; detail: string }[]).find(
      ({ check }) => check === 'media storage',
    );
    assert.deepEqual([code, result?.state], [1, 'failed']);
    assert.match(String(result?.detail), sentence);
    const child = spawn(process.execPath, [BIN, 'serve'], {
      env: { ...cleanEnv(), DATA_DIR: join(folder, 'data'), PORT: '0', LOG_LEVEL: 'silent', ...unreachable },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    try {
      const { value: line = '' } = await createInterface(child.stderr)[Symbol.asyncIterator]().next();
      assert.match(line, /^Graphwright runs at http:\S+ but is not ready\. /);
      assert.match(line, sentence);
      const url = /at (http:\S+)/.exec(line)?.[1];
      assert.equal((await fetch(`${url}/readyz`)).status, 503);
    } finally {
      child.kill('SIGKILL');
    }
  });

  it('reports a wrong secret', () =>
    assertBucketReported(
      { AWS_SECRET_ACCESS_KEY: 'wrong' },
      /responded with 403 SignatureDoesNotMatch: .* check AWS_SECRET_ACCESS_KEY/,
    ));
  it('reports a wrong key id', () =>
    assertBucketReported(
      { AWS_ACCESS_KEY_ID: 'NOBODY' },
      /responded with 403 InvalidAccessKeyId: .* check AWS_ACCESS_KEY_ID/,
    ));
  it('reports a bucket that does not exist', () =>
    assertBucketReported(
      { S3_BUCKET: 'nosuch' },
      /responded with 404 NoSuchBucket: .* create it, or check S3_BUCKET/,
    ));

  it('reports a clock that the bucket rejects', async () => {
    const skewed = createServer((_req, res) => {
      res.writeHead(403, { 'content-type': 'application/xml' });
      res.end('<Error><Code>RequestTimeTooSkewed</Code><Message>too large</Message></Error>');
    });
    await new Promise<void>(resolve => skewed.listen(0, '127.0.0.1', resolve));
    const { port } = skewed.address() as AddressInfo;
    await assertBucketReported(
      { S3_ENDPOINT: `http://127.0.0.1:${port}` },
      /the clock of this machine .* synchronize it/,
    );
    skewed.closeAllConnections();
    skewed.close();
  });
});

describe('the port check of serve and doctor', () => {
  it('reports a port in use before a database is created', async () => {
    const holder = createTcpServer().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    const dataDir = join(folder, 'no-data');
    const PORT = String((holder.address() as AddressInfo).port);
    await assertReported({ DATA_DIR: dataDir, PORT }, 'port', /127\.0\.0\.1:\d+ is in use\. .*set PORT\./);
    await assert.rejects(access(dataDir), { code: 'ENOENT' });
    holder.close();
  });
});

describe('the provider check of doctor', () => {
  it('reports the setting of a key that the provider rejects', async () => {
    const provider = createServer((req, res) => {
      res.writeHead(req.headers.authorization === 'Bearer good' ? 200 : 401).end('{}');
    }).listen(0, '127.0.0.1');
    await once(provider, 'listening');
    const OPENAI_BASE_URL = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
    const checkProviders = async (settings: NodeJS.ProcessEnv): Promise<readonly (string | undefined)[]> => {
      const { out } = await graphwright(['doctor', '--json'], settings);
      const findings = JSON.parse(out) as { check: string; state: string; detail: string }[];
      const result = findings.find(({ check }) => check === 'providers');
      return [result?.state, result?.detail];
    };
    assert.deepEqual(await checkProviders({ OPENAI_BASE_URL, OPENAI_API_KEY: 'good' }), [
      'ok',
      'OpenAI (OPENAI_API_KEY): answers',
    ]);
    assert.deepEqual(await checkProviders({ OPENAI_BASE_URL, OPENAI_API_KEY: 'bad' }), [
      'missing',
      'OpenAI (OPENAI_API_KEY): The key was rejected (401)',
    ]);
    const [state, detail] = await checkProviders({});
    assert.equal(state, 'ok');
    assert.match(
      String(detail),
      /^none: to use their models, add a key at \/settings\/providers or set FAL_KEY, .*COMFYUI_URL$/,
    );
    provider.closeAllConnections();
    provider.close();
  });
});

describe('the data folder check of serve and doctor', () => {
  const asNobody: RunCommand = (args, settings) => spawnCommand(args, settings, { uid: 65_534 });

  it('reports a folder that is not writable', {
    skip: process.getuid?.() !== 0 && 'needs root to be somebody else',
  }, async () => {
    const locked = join(folder, 'locked');
    await mkdir(locked, { mode: 0o755 });
    const settings = { DATA_DIR: join(locked, 'data'), NODE_COMPILE_CACHE: join(tmpdir(), 'nobody-cache') };
    await assertReported(
      settings,
      'DATA_DIR',
      /The data folder .*locked.* cannot be used .* Set DATA_DIR to a folder that this user account can write to/,
      asNobody,
    );
  });

  it('reports a folder that is not writable with an external PostgreSQL', {
    skip: process.getuid?.() !== 0 ? 'needs root' : !isNightly && 'runs at night',
  }, async () => {
    const locked = join(folder, 'locked-too');
    await mkdir(locked, { mode: 0o755 });
    const settings = { DATA_DIR: join(locked, 'data'), DATABASE_URL: 'postgres://me@127.0.0.1:1/mine' };
    await assertReported(
      settings,
      'DATA_DIR',
      /Set DATA_DIR to a folder that this user account can write to/,
      asNobody,
    );
  });

  it('reports a full disk', async t => {
    const disk = join(folder, 'disk');
    await mkdir(disk);
    const isMounted = await promisify(execFile)('mount', [
      '-t',
      'tmpfs',
      '-o',
      'size=30m',
      'none',
      disk,
    ]).then(
      () => true,
      () => false,
    );
    if (!isMounted) return t.skip('no disk of 30 MB can be mounted here');
    try {
      const settings = { DATA_DIR: join(disk, 'data') };
      const [serve, doctor] = await Promise.all([
        graphwright(['serve'], settings),
        graphwright(['doctor'], settings),
      ]);
      assert.equal(serve.code, 1);
      assert.match(serve.err, /^graphwright: .*No space left on device.* Free some disk space/);
      const storage = await openDiskStorage(join(disk, 'media'));
      const bytes = Buffer.alloc(40_000_000);
      const options = { contentType: 'image/png', maxBytes: bytes.length };
      await assert.rejects(storage.put(newId('media'), bytes, options), {
        code: 'unavailable',
        message: /disk of this service is full/,
      });
      assert.match(doctor.out, /✖ +disk space +[\d.]+ k?M?B free .* need at least 1 GB/);
    } finally {
      await promisify(execFile)('umount', [disk]);
    }
  });

  it('reports a file in place of the folder', async () => {
    const path = join(folder, 'a-file');
    await writeFile(path, '');
    await assertReported(
      { DATA_DIR: path },
      'DATA_DIR',
      /The data folder .*a-file.* cannot be used .* Set DATA_DIR to a folder that this user account can write to/,
    );
  });
});

describe('the BASE_URL check of doctor', () => {
  it('reports whether BASE_URL leads to the service', async () => {
    const otherServer = createServer((_req, res) => res.writeHead(404).end('nothing here'));
    await new Promise<void>(resolve => otherServer.listen(0, '127.0.0.1', resolve));
    const { port } = otherServer.address() as AddressInfo;
    const service = await startTestService();
    try {
      const [wrong, right] = await Promise.all([
        graphwright(['doctor'], { BASE_URL: `http://127.0.0.1:${port}` }),
        graphwright(['doctor'], { BASE_URL: service.url }),
      ]);
      assert.match(
        wrong.out,
        /✖ +BASE_URL +http\S+ responds with status 404, which is not a response of this service\. .*set BASE_URL/,
      );
      assert.match(right.out, /✔ +BASE_URL +http\S+ is a running service/);
    } finally {
      await service.close();
      otherServer.closeAllConnections();
      otherServer.close();
    }
  });
});

it('graphwright serve reports an outdated Node', async () => {
  const older = `data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'22.1.0'}})`;
  const { code, err } = await spawnCommand(['serve'], {}, { nodeArgs: ['--import', older] });
  assert.equal(code, 2);
  assert.match(err, /needs Node 24 or newer, and this is 22\.1\.0\. Run it through npm/);
});

it('too many arguments are reported in one sentence', async () => {
  const { code, err } = await graphwright(['batch', 'wf_1', 'rows.csv', 'more']);
  assert.equal(code, 2);
  assert.match(err, /^graphwright: too many arguments .*more\. Try graphwright --help\.\n$/);
});

it('an unknown command exits with code 2, even with --help', async () => {
  for (const args of [['nosuch'], ['nosuch', '--help'], ['keys', 'nosuch', '--help'], ['help', 'nosuch']]) {
    const { code, err } = await graphwright(args);
    assert.equal(code, 2, args.join(' '));
    assert.match(err, /unknown command 'nosuch'\. Try graphwright (keys )?--help\./);
  }
  for (const args of [['--help'], ['keys', '--help'], ['help', 'keys'], ['help'], ['serve', '--help']])
    assert.equal((await graphwright(args)).code, 0, args.join(' '));
});
