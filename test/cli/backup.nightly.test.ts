// Tests that a backup of a busy service restores its runs and media, and that invalid backup files are refused.
import assert from 'node:assert/strict';
import { copyFile, mkdtemp, open, readdir, rm, stat, truncate } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import S3rver from '@20minutes/s3rver';
import { verify } from '@octokit/webhooks-methods';
import { sha256Hex } from '../../src/lib/crypto.ts';
import { openDb } from '../../src/store/db.ts';
import { type CommandResult, readJson, spawnFirst } from '../support/command-line.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { noiseImage } from '../support/media/pixels.ts';
import { type Receiver, startReceiver } from '../support/network/receiver.ts';
import { waitUntil } from '../support/processes.ts';
import { BIN, baseEnv, type ServiceChild, spawnService, toDatabaseUrl } from '../support/service.ts';
import { edge, node } from '../support/workflows.ts';

/** The pause between the runs that start during a backup. */
const LOAD_PAUSE_MS = 150;
const SECRET = 'whsec_c2VjcmV0IG9mIHRoZSB0ZXN0cyBoZXJl';
const root = await mkdtemp(join(tmpdir(), 'graphwright-backup-'));
after(() => rm(root, REMOVE_OPTIONS));

/** PostgreSQL may still write while it stops. */
const REMOVE_OPTIONS = { recursive: true, force: true, maxRetries: 10 } as const;

let receiver: Receiver;
before(async () => {
  receiver = await startReceiver();
});
after(() => receiver.close());

/** The folder and environment of a service. */
interface Installation {
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
}

const graphwright = ({ folder, env }: Installation, ...args: readonly string[]): Promise<CommandResult> =>
  spawnFirst(args, { ...baseEnv(folder), ...env });

const succeed = async <T>(installation: Installation, ...args: readonly string[]): Promise<T> =>
  readJson<T>(await graphwright(installation, ...args, '--json'));

interface BackupReport {
  readonly media: { readonly files: number; readonly bytes: number };
  readonly missing: number;
}

interface RestoreReport {
  readonly files: number;
  readonly missing: number;
  readonly damaged: readonly string[];
}

/** A workflow that waits and then draws a picture, so that at any time some runs wait, draw or have ended. */
const WORKFLOW = {
  nodes: [
    node('a', 'input:text', { value: 'x' }),
    node('d', 'logic:delay', { ms: 2500 }),
    node('p', 'generate:sandbox', { prompt: 'harbour', width: 128, height: 128 }),
  ],
  edges: [edge('a.text > d.input'), edge('d.output > p.prompt')],
};

async function startRuns(service: ServiceChild, workflow: string, count: number): Promise<string[]> {
  const webhook = { url: `${receiver.url}/hook`, secret: SECRET };
  return Promise.all(Array.from({ length: count }, () => service.startRun(workflow, { webhook })));
}

async function upload(service: ServiceChild, bytes: Buffer): Promise<string> {
  const dataUrl = `data:image/png;base64,${bytes.toString('base64')}`;
  const { status, body } = await service.request<{ url: string }>('POST', '/media/upload', { dataUrl });
  assert.equal(status, 200, JSON.stringify(body));
  return body.url;
}

/** Returns the hash of the file at a media URL. The host of the URL is that of BASE_URL. */
async function hashFile(service: ServiceChild, url: string): Promise<string> {
  const response = await fetch(`${service.url}${new URL(url).pathname}`);
  if (response.status !== 200) assert.fail(`${url}: ${await response.text()}`);
  return sha256Hex(Buffer.from(await response.arrayBuffer()));
}

/** Creates media, ended runs and active runs, and makes a backup while more runs start. */
async function backUpUnderLoad(
  service: ServiceChild,
  installation: Installation,
  file: string,
  options: readonly string[],
) {
  const workflow = await service.createWorkflow(WORKFLOW);
  await service.createWorkflow({ nodes: [node('c', 'component:call', { workflowId: workflow })], edges: [] });
  const uploads = [
    await upload(service, await noiseImage(900, 600, 'png')),
    await upload(service, await noiseImage(64, 64, 'png')),
  ];
  const hashes = await Promise.all(uploads.map(url => hashFile(service, url)));
  const endedIds = await startRuns(service, workflow, 6);
  await Promise.all(endedIds.map(id => service.waitForStatus(id)));
  const activeIds = await startRuns(service, workflow, 12);
  const load = new AbortController();
  const loading = (async () => {
    for (; !load.signal.aborted; await sleep(LOAD_PAUSE_MS)) await startRuns(service, workflow, 2);
  })();
  const report = await succeed<BackupReport>(installation, 'backup', file, ...options).finally(() =>
    load.abort(),
  );
  await loading;
  return { workflow, uploads, hashes, runs: [...endedIds, ...activeIds], report };
}

/**
 * Backs up a busy service in `from`, kills the service, runs `wipe`, restores into `to`, and compares both services.
 */
async function moveBusyService(
  from: Installation,
  to: Installation,
  keyOption: readonly string[],
  wipe: () => Promise<void>,
) {
  const file = join(from.folder, '..', `${from.folder.split('/').at(-1)}.tar`);
  const oldService = await spawnService(from.folder, from.env);
  const state = await backUpUnderLoad(oldService, from, file, keyOption).finally(() =>
    oldService.end('SIGKILL'),
  );
  const deliveryCount = receiver.received.length;
  await wipe();

  const restored = await succeed<RestoreReport>(to, 'restore', file);
  const { media, missing } = state.report;
  assert.deepEqual([restored.files, restored.missing, restored.damaged], [media.files, missing, []]);
  const service = await spawnService(to.folder, to.env);
  try {
    assert.deepEqual(await Promise.all(state.uploads.map(url => hashFile(service, url))), state.hashes);
    for (const id of state.runs) {
      const { status, nodeStates } = await service.waitForStatus(id);
      assert.equal(status, 'COMPLETED');
      const picture = nodeStates.find(state => state.nodeId === 'p')?.outputUrl ?? '';
      assert.match(await hashFile(service, picture), /^[0-9a-f]{64}$/);
      await waitUntil(
        'the delivery',
        async () => (await service.readExecution(id)).webhook?.state === 'delivered',
      );
    }
    await waitUntil('a run to end after the restore', () => receiver.received.length > deliveryCount);
    const newDeliveries = receiver.received.slice(deliveryCount);
    for (const { raw, headers } of newDeliveries)
      assert.ok(await verify(SECRET, raw, String(headers['x-service-signature'])));
    const deletion = await service.request<{ code?: string }>('DELETE', `/workflows/${state.workflow}`);
    assert.equal(deletion.body.code, 'component_in_use');
    // New ids and rows do not collide with the old ones.
    assert.equal((await service.runWorkflow(state.workflow)).status, 'COMPLETED');
  } finally {
    await service.end('SIGTERM');
  }
  return file;
}

describe('backup and restore', () => {
  it('move a busy service with embedded PostgreSQL, disk storage and its secrets key', async () => {
    const installation = { folder: join(root, 'embedded'), env: { SECRETS_KEY: '' } };
    const file = await moveBusyService(installation, installation, ['--with-secrets-key'], () =>
      rm(installation.folder, REMOVE_OPTIONS),
    );
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    const secondBackup = await graphwright(installation, 'backup', file);
    assert.deepEqual([secondBackup.code, /Choose another file name/.test(secondBackup.err)], [2, true]);

    const refusal = await graphwright(installation, 'restore', file);
    assert.deepEqual([refusal.code, /media is not empty.+--force/.test(refusal.err)], [2, true]);
    const replaced = await succeed<RestoreReport>(installation, 'restore', file, '--force');
    assert.deepEqual([replaced.missing, replaced.damaged], [0, []]);
  });

  it('restore nothing from a damaged, truncated or foreign file', async () => {
    const wholeBackup = join(root, 'embedded.tar');
    const { size } = await stat(wholeBackup);
    const [damagedFile, truncatedFile] = [join(root, 'changed.tar'), join(root, 'cut.tar')];
    await copyFile(wholeBackup, damagedFile);
    const handle = await open(damagedFile, 'r+');
    // The last files are media, and the changed bytes are not in a header that a decoder checks.
    await handle.write(Buffer.from([0x5a, 0x5a, 0x5a]), 0, 3, size - 6000);
    await handle.close();
    await copyFile(wholeBackup, truncatedFile);
    await truncate(truncatedFile, size - 20_000);
    const installation = { folder: join(root, 'refused'), env: { SECRETS_KEY: '' } };
    for (const [file, reason] of [
      [damagedFile, /checksum is wrong/],
      [truncatedFile, /.+/],
      [join(root, '..', 'absent.tar'), /no file/],
      [BIN, /not a Graphwright backup/],
    ] as const) {
      const { code, err } = await graphwright(installation, 'restore', file);
      assert.notEqual(code, 0, file);
      assert.match(err, reason);
    }
    const entries = await readdir(join(installation.folder, 'media'), {
      recursive: true,
      withFileTypes: true,
    });
    assert.deepEqual(
      entries.filter(entry => entry.isFile()).map(entry => entry.name),
      [],
    );
    const { code, err } = await graphwright(
      { ...installation, env: { SECRETS_KEY: '09'.repeat(32) } },
      'restore',
      wholeBackup,
    );
    assert.deepEqual([code, /secrets key differs/.test(err)], [2, true]);
    assert.deepEqual((await succeed<RestoreReport>(installation, 'restore', wholeBackup)).damaged, []);
  });
});

describe('backup and restore with an external PostgreSQL and a bucket', () => {
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory: join(root, 'buckets'),
    configureBuckets: [{ name: 'old' }, { name: 'new' }],
  });
  let database: TestDatabase;
  let env: NodeJS.ProcessEnv;
  const openClient = () =>
    openDb({ connection: database.connection, maxConnections: 1, onError: () => undefined });
  before(async () => {
    const { port } = (await server.run()) as AddressInfo;
    database = await createTestDatabase();
    env = {
      DATABASE_URL: toDatabaseUrl(database.connection),
      S3_ENDPOINT: `http://127.0.0.1:${port}`,
      S3_FORCE_PATH_STYLE: 'true',
      AWS_ACCESS_KEY_ID: 'S3RVER',
      AWS_SECRET_ACCESS_KEY: 'S3RVER',
    };
  });
  after(async () => {
    await database.drop();
    await server.close();
  });

  it('move a busy service to another bucket', async () => {
    const from = { folder: join(root, 'outside'), env: { ...env, S3_BUCKET: 'old' } };
    const to = { folder: join(root, 'elsewhere'), env: { ...env, S3_BUCKET: 'new' } };
    const file = await moveBusyService(from, to, [], async () => {
      await rm(from.folder, REMOVE_OPTIONS);
      const client = openClient();
      await client.query('drop schema public cascade');
      await client.query('drop schema graphile_worker cascade');
      await client.query('create schema public');
      await client.close();
    });
    const client = openClient();
    // An idle connection of a pool would be closed after a while.
    const refusal = await client.withOwnConnection(() => graphwright(to, 'restore', file, '--force'));
    await client.close();
    assert.deepEqual([refusal.code, /service is connected/.test(refusal.err)], [1, true]);
  });
});
