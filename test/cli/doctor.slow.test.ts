// Tests how `graphwright doctor` checks a bucket and the secrets key.
import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, it } from 'node:test';
import S3rver from '@20minutes/s3rver';
import { openSecretsKey } from '../../src/services/instance/secrets-key.ts';
import { spawnFirst } from '../support/command-line.ts';
import { createTestDatabase } from '../support/database.ts';
import { toDatabaseUrl } from '../support/service.ts';

const folder = await mkdtemp(join(tmpdir(), 'graphwright-doctor-'));
const server = new S3rver({
  address: '127.0.0.1',
  port: 0,
  silent: true,
  directory: join(folder, 'bucket'),
  configureBuckets: [{ name: 'media' }],
});
const { port } = (await server.run()) as AddressInfo;
after(async () => {
  await server.close();
  await rm(folder, { recursive: true });
});

interface Finding {
  readonly check: string;
  readonly state: string;
  readonly detail: string;
}

async function runDoctor(
  secret: string,
  otherSettings: NodeJS.ProcessEnv = {},
  flags: readonly string[] = [],
): Promise<ReadonlyMap<string, Finding>> {
  const env = {
    DATA_DIR: join(folder, 'data'),
    PORT: '0',
    S3_BUCKET: 'media',
    S3_ENDPOINT: `http://127.0.0.1:${port}`,
    S3_FORCE_PATH_STYLE: 'true',
    AWS_ACCESS_KEY_ID: 'S3RVER',
    AWS_SECRET_ACCESS_KEY: secret,
    ...otherSettings,
  };
  // The command prints the report even if it exits with 1.
  const { out } = await spawnFirst(['doctor', '--json', ...flags], env);
  const results = JSON.parse(out) as readonly Finding[];
  return new Map(results.map(finding => [finding.check, finding]));
}

it('graphwright doctor writes, reads and clears the bucket', async () => {
  const results = await runDoctor('S3RVER');
  assert.deepEqual(
    [results.get('media storage')?.state, results.get('media storage')?.detail],
    ['ok', 'bucket media can be written, read and deleted from'],
  );
  assert.match(String(results.get('video and audio')?.detail), /^(ffmpeg|codec-host): |Install ffmpeg/);
  const mediaFiles = (await readdir(join(folder, 'bucket', 'media'), { recursive: true })).filter(name =>
    name.includes('med_'),
  );
  assert.deepEqual(mediaFiles, []);
  assert.deepEqual(
    (await readdir(folder)).filter(name => name !== 'bucket'),
    [],
  );
});

it('graphwright doctor looks for local servers only if asked', async () => {
  assert.equal((await runDoctor('S3RVER')).has('local servers'), false);
  const found = (await runDoctor('S3RVER', {}, ['--find-servers'])).get('local servers');
  assert.match(String(found?.detail), /^none answers on the ports 11434, |^http:\/\/127\.0\.0\.1:/);
});

it('graphwright doctor reports which key of the bucket is wrong', async () => {
  const storage = (await runDoctor('wrong')).get('media storage');
  assert.equal(storage?.state, 'failed');
  assert.match(
    String(storage?.detail),
    /^The bucket media responded with 403 SignatureDoesNotMatch: .* check AWS_SECRET_ACCESS_KEY\.$/,
  );
});

it('graphwright doctor reports a secrets key that is not that of the database', async t => {
  const database = await createTestDatabase();
  t.after(() => database.drop());
  const check = async (SECRETS_KEY: string): Promise<Finding | undefined> =>
    (await runDoctor('S3RVER', { DATABASE_URL: toDatabaseUrl(database.connection), SECRETS_KEY })).get(
      'secrets key',
    );
  const [key, otherKey] = ['01'.repeat(32), '02'.repeat(32)];
  assert.equal((await check(key))?.detail, 'SECRETS_KEY, which the next start compares');
  await openSecretsKey(database.db, { SECRETS_KEY: key, dataDir: folder });
  assert.equal((await check(key))?.detail, 'SECRETS_KEY, the key of this database');
  const finding = await check(otherKey);
  assert.equal(finding?.state, 'failed');
  assert.match(
    String(finding?.detail),
    /^SECRETS_KEY is not the key that encrypts the secrets of this database\./,
  );
});

it('graphwright doctor says what a failover of PostgreSQL could lose', async t => {
  const database = await createTestDatabase();
  t.after(() => database.drop());
  const url = toDatabaseUrl(database.connection);
  const check = async (DATABASE_URL: string): Promise<Finding | undefined> =>
    (await runDoctor('S3RVER', { DATABASE_URL })).get('replication');
  assert.equal((await check(url))?.detail, 'none: no replica follows this PostgreSQL');
  const withoutWait = new URL(url.replace('@/', '@host/'));
  withoutWait.searchParams.set('options', '-c synchronous_commit=off');
  const finding = await check(withoutWait.href.replace('@host/', '@/'));
  assert.equal(finding?.state, 'missing');
  assert.match(String(finding?.detail), /^synchronous_commit is off, so a crash of PostgreSQL loses/);
});
