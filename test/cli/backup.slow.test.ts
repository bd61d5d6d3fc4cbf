// Tests a backup under load and a restore after complete loss: runs continue, media are identical, and invalid files are
// refused.
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

/** Runs keep being accepted. Each is restored and draws a picture. */
const LOAD_PAUSE_MS = 150;
const SECRET = 'whsec_c2VjcmV0IG9mIHRoZSB0ZXN0cw==';
const root = await mkdtemp(join(tmpdir(), 'graphwright-backup-'));
after(() => rm(root, REMOVE));

/** PostgreSQL may still write while it stops. */
const REMOVE = { recursive: true, force: true, maxRetries: 10 } as const;

let receiver: Receiver;
before(async () => {
  receiver = await startReceiver();
});
after(() => receiver.close());

/** A location where a service stores its data. */
interface Place {
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
}

const graphwright = ({ folder, env }: Place, ...args: readonly string[]): Promise<CommandResult> =>
  spawned(args, { ...baseEnv(folder), ...env });
const spawned = spawnFirst;

const succeed = async <T>(place: Place, ...args: readonly string[]): Promise<T> =>
  readJson<T>(await graphwright(place, ...args, '--json'));

interface Made {
  readonly media: { readonly files: number; readonly bytes: number };
  readonly missing: number;
}

interface Restored {
  readonly files: number;
  readonly missing: number;
  readonly damaged: readonly string[];
}

/** A picture after a wait, reported to a webhook, so that at any time some runs wait, some draw and some have ended. */
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

/** The digest of the bytes at a media URL, whose host is that of BASE_URL. */
async function hashFile(service: ServiceChild, url: string): Promise<string> {
  const response = await fetch(`${service.url}${new URL(url).pathname}`);
  if (response.status !== 200) assert.fail(`${url}: ${await response.text()}`);
  return sha256Hex(Buffer.from(await response.arrayBuffer()));
}

/** Creates media, ended runs and runs in progress, then makes a backup while more start. */
async function makeState(service: ServiceChild, place: Place, file: string, options: readonly string[]) {
  const workflow = await service.createWorkflow(WORKFLOW);
  await service.createWorkflow({ nodes: [node('c', 'component:call', { workflowId: workflow })], edges: [] });
  const uploads = [
    await upload(service, await noiseImage(900, 600, 'png')),
    await upload(service, await noiseImage(64, 64, 'png')),
  ];
  const hashes = await Promise.all(uploads.map(url => hashFile(service, url)));
  const early = await startRuns(service, workflow, 6);
  await Promise.all(early.map(id => service.waitForStatus(id)));
  const executionIds = await startRuns(service, workflow, 12);
  const load = new AbortController();
  const loading = (async () => {
    for (; !load.signal.aborted; await sleep(LOAD_PAUSE_MS)) await startRuns(service, workflow, 2);
  })();
  const created = await succeed<Made>(place, 'backup', file, ...options).finally(() => load.abort());
  await loading;
  return { workflow, uploads, hashes, runs: [...early, ...executionIds], made: created };
}

/**
 * Backs up a busy service, kills it, wipes `from`, restores into `to`, and compares the new service with the old one.
 */
async function moveBusyService(
  from: Place,
  to: Place,
  keyOption: readonly string[],
  wipe: () => Promise<void>,
) {
  const file = join(from.folder, '..', `${from.folder.split('/').at(-1)}.tar`);
  const oldService = await spawnService(from.folder, from.env);
  const state = await makeState(oldService, from, file, keyOption).finally(() => oldService.end('SIGKILL'));
  const delivered = receiver.received.length;
  await wipe();

  const restored = await succeed<Restored>(to, 'restore', file);
  const { media, missing } = state.made;
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
    const late = receiver.received.slice(delivered);
    assert.ok(late.length > 0, 'no run was left to go on');
    for (const { raw, headers } of late)
      assert.ok(await verify(SECRET, raw, String(headers['x-service-signature'])));
    const inUse = await service.request<{ code?: string }>('DELETE', `/workflows/${state.workflow}`);
    assert.equal(inUse.body.code, 'component_in_use');
    // New ids and rows do not collide with the old ones.
    assert.equal((await service.runWorkflow(state.workflow)).status, 'COMPLETED');
  } finally {
    await service.end('SIGTERM');
  }
  return file;
}

describe('backup and restore', () => {
  it('move a busy service with embedded PostgreSQL and disk, secrets key included', async () => {
    const place = { folder: join(root, 'embedded'), env: { SECRETS_KEY: '' } };
    const file = await moveBusyService(place, place, ['--with-secrets-key'], () => rm(place.folder, REMOVE));
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    const secondBackup = await graphwright(place, 'backup', file);
    assert.deepEqual([secondBackup.code, /Choose another file name/.test(secondBackup.err)], [2, true]);

    const full = await graphwright(place, 'restore', file);
    assert.deepEqual([full.code, /media is not empty.+--force/.test(full.err)], [2, true]);
    const replaced = await succeed<Restored>(place, 'restore', file, '--force');
    assert.deepEqual([replaced.missing, replaced.damaged], [0, []]);
  });

  it('refuse a damaged, truncated or foreign file without storing anything', async () => {
    const wholeBackup = join(root, 'embedded.tar');
    const { size } = await stat(wholeBackup);
    const [changed, cut] = [join(root, 'changed.tar'), join(root, 'cut.tar')];
    await copyFile(wholeBackup, changed);
    const handle = await open(changed, 'r+');
    // The last files are media, and the byte is not in a header that a decoder checks.
    await handle.write(Buffer.from([0x5a, 0x5a, 0x5a]), 0, 3, size - 6000);
    await handle.close();
    await copyFile(wholeBackup, cut);
    await truncate(cut, size - 20_000);
    const place = { folder: join(root, 'refused'), env: { SECRETS_KEY: '' } };
    for (const [file, reason] of [
      [changed, /checksum is wrong/],
      [cut, /.+/],
      [join(root, '..', 'absent.tar'), /no file/],
      [BIN, /not a Graphwright backup/],
    ] as const) {
      const { code, err } = await graphwright(place, 'restore', file);
      assert.notEqual(code, 0, file);
      assert.match(err, reason);
    }
    const entries = await readdir(join(place.folder, 'media'), { recursive: true, withFileTypes: true });
    assert.deepEqual(
      entries.filter(entry => entry.isFile()).map(entry => entry.name),
      [],
    );
    const { code, err } = await graphwright(
      { ...place, env: { SECRETS_KEY: '09'.repeat(32) } },
      'restore',
      wholeBackup,
    );
    assert.deepEqual([code, /secrets key differs/.test(err)], [2, true]);
    assert.deepEqual((await succeed<Restored>(place, 'restore', wholeBackup)).damaged, []);
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

  it('move a busy service, which must be stopped before a restore', async () => {
    const from = { folder: join(root, 'outside'), env: { ...env, S3_BUCKET: 'old' } };
    const to = { folder: join(root, 'elsewhere'), env: { ...env, S3_BUCKET: 'new' } };
    const file = await moveBusyService(from, to, [], async () => {
      await rm(from.folder, REMOVE);
      const client = openClient();
      await client.query('drop schema public cascade');
      await client.query('drop schema graphile_worker cascade');
      await client.query('create schema public');
      await client.close();
    });
    const client = openClient();
    // A pool would close the connection after a while.
    const busy = await client.withOwnConnection(() => graphwright(to, 'restore', file, '--force'));
    await client.close();
    assert.deepEqual([busy.code, /service is connected/.test(busy.err)], [1, true]);
  });
});
