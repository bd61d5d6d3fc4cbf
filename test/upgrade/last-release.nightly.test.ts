// Tests a rolling upgrade: API servers and workers of the last release and of this version share one database. The last
// release comes from the git history, at the commit in last-release.json.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Client } from '../support/client.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { noiseImage } from '../support/media/pixels.ts';
import { type Receiver, startReceiver } from '../support/network/receiver.ts';
import { waitUntil } from '../support/processes.ts';
import { baseEnv, type ServiceChild, spawnService, toDatabaseUrl } from '../support/service.ts';
import { edge, node } from '../support/workflows.ts';
import release from './last-release.json' with { type: 'json' };

const ROOT = join(import.meta.dirname, '../..');
/** A picture to upload. */
const PICTURE = `data:image/png;base64,${(await noiseImage(8, 8, 'png')).toString('base64')}`;
/** The files of the release that the test needs. */
const PROGRAM_FILES = ['.', ...['test', 'bench', 'editor'].map(folder => `:!${folder}`)];

const git = (...args: readonly string[]): Buffer =>
  execFileSync('git', args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 1e9 });

/** Returns the archive of the last release, or undefined if this clone has only newer commits. */
function findRelease(): Buffer | undefined {
  try {
    return git('archive', release.commit, '--', ...PROGRAM_FILES);
  } catch {
    return undefined;
  }
}
const archive = findRelease();
const MISSING = `the commit of the last release, ${release.commit.slice(0, 10)}, is not in this clone`;

describe('the last release and this version on one database', {
  skip: archive === undefined && MISSING,
}, () => {
  let folder: string;
  let database: TestDatabase;
  let receiver: Receiver;
  let oldProgram: string;
  let oldApi: ServiceChild;
  let oldWorker: ServiceChild;
  let newApi: ServiceChild;
  const children: ServiceChild[] = [];

  const start = async (role: 'api' | 'worker', program?: string): Promise<ServiceChild> => {
    const env = {
      ...baseEnv(join(folder, 'data'), toDatabaseUrl(database.connection)),
      ...(program === undefined ? {} : { EDITOR_DIR: join(folder, 'editor') }),
      ROLE: role,
      ALLOW_PRIVATE_NETWORK: 'true',
    };
    const child = await spawnService(join(folder, 'data'), env, program);
    children.push(child);
    return child;
  };

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'graphwright-upgrade-'));
    receiver = await startReceiver();
    database = await createTestDatabase();
    await dropTables(database);
    const tree = join(folder, 'release');
    await mkdir(tree);
    execFileSync('tar', ['-xf', '-', '-C', tree], { input: archive });
    await symlink(join(ROOT, 'node_modules'), join(tree, 'node_modules'));
    oldProgram = join(tree, 'bin', 'graphwright.js');
    oldApi = await start('api', oldProgram);
    oldWorker = await start('worker', oldProgram);
  });
  after(async () => {
    await Promise.all(children.map(child => child.end('SIGTERM')));
    await receiver.close();
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  /** Asserts that a run that `api` accepts ends with a webhook, and that both versions return the same record. */
  async function assertRunIsShared(api: Client, other: Client, workflowId: string): Promise<void> {
    const requestCountBefore = receiver.received.length;
    const run = await api.startRun(workflowId, { webhook: { url: receiver.url } });
    await waitUntil('the webhook', () => receiver.received.length > requestCountBefore);
    const [record, otherRecord] = await Promise.all(
      [api, other].map(client => client.request<{ status: string }>('GET', `/executions/${run}`)),
    );
    assert.equal(record?.body.status, 'COMPLETED', JSON.stringify(record?.body));
    assert.equal(otherRecord?.body.status, 'COMPLETED');
  }

  const graph = {
    nodes: [node('a', 'input:text', { value: 'x' }), node('d', 'logic:delay', { ms: 20 })],
    edges: [edge('a.text > d.input')],
  };

  it('execute runs of the new API server in the old worker', async () => {
    // The new version migrates the database while the old processes run.
    newApi = await start('api');
    const id = await oldApi.createWorkflow(graph);
    await assertRunIsShared(newApi, oldApi, id);
    await assertRunIsShared(oldApi, newApi, await newApi.createWorkflow(graph));
    await oldWorker.end('SIGTERM');
  });

  it('execute runs of the old API server in the new worker', async () => {
    await start('worker');
    const id = await newApi.createWorkflow(graph);
    await assertRunIsShared(oldApi, newApi, id);
    await assertRunIsShared(newApi, oldApi, await oldApi.createWorkflow(graph));
  });

  it('read workflows and media that the other version wrote', async () => {
    for (const [writer, reader] of [
      [oldApi, newApi],
      [newApi, oldApi],
    ] as const) {
      const id = await writer.createWorkflow(graph);
      const workflow = await reader.request<{ version: number; nodes: object[]; edges: object[] }>(
        'GET',
        `/workflows/${id}`,
      );
      assert.equal(workflow.status, 200);
      const { nodes, edges } = workflow.body;
      const change = await reader.request('PUT', `/workflows/${id}`, { name: 'renamed', nodes, edges });
      assert.equal(change.status, 200, JSON.stringify(change.body));
      const list = await writer.request<{ id: string; name: string }[]>('GET', '/workflows');
      assert.equal(list.body.find(workflow => workflow.id === id)?.name, 'renamed');
      const upload = await writer.request<{ url: string }>('POST', '/media/upload', { dataUrl: PICTURE });
      const bytes = await fetch(reader.url + new URL(upload.body.url).pathname);
      assert.equal(bytes.headers.get('content-type'), 'image/png');
    }
    const [oldList, newList] = await Promise.all(
      [oldApi, newApi].map(client =>
        client.request<{ data: { id: string; status: string }[] }>('GET', '/executions'),
      ),
    );
    const listRuns = (list: typeof oldList) => list?.body.data.map(({ id, status }) => [id, status]);
    assert.deepEqual(listRuns(newList), listRuns(oldList));
    assert.equal(newList?.body.data.length, 4);
  });

  it('refuse to start the old version on a migrated database', async t => {
    const isUnchanged =
      (await findNewestMigration(ROOT)) === (await findNewestMigration(join(folder, 'release')));
    if (isUnchanged) return t.skip('this version has no migration of its own yet');
    await assert.rejects(start('api', oldProgram), /The database is newer than this program/);
  });
});

async function findNewestMigration(root: string): Promise<string | undefined> {
  return (await readdir(join(root, 'migrations'))).toSorted().at(-1);
}

/** Drops the tables of this version. */
async function dropTables({ db }: TestDatabase): Promise<void> {
  await db.query('drop schema public cascade');
  await db.query('create schema public');
  await db.query('drop schema if exists graphile_worker cascade');
}
