// Tests that a backup restores runs, media and secrets on another database, and that invalid backup files are refused.
// backup.nightly.test.ts backs up busy services, with embedded PostgreSQL and with a bucket.
import assert from 'node:assert/strict';
import { copyFile, mkdtemp, open, readdir, rm, stat, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { sha256Hex } from '../../src/lib/crypto.ts';
import { openDb } from '../../src/store/db.ts';
import { type CommandResult, callCommand, readJson } from '../support/command-line.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { noiseImage } from '../support/media/pixels.ts';
import { BIN, SECRETS_KEY, startTestService, type TestService, toDatabaseUrl } from '../support/service.ts';
import { edge, node } from '../support/workflows.ts';

interface RestoreReport {
  readonly files: number;
  readonly missing: number;
  readonly damaged: readonly string[];
}

const WORKFLOW = {
  nodes: [
    node('a', 'input:text', { value: 'x' }),
    node('p', 'generate:sandbox', { prompt: 'harbour', width: 64, height: 64 }),
  ],
  edges: [edge('a.text > p.prompt')],
};

describe('backup and restore', () => {
  let root: string;
  let service: TestService;
  /** The database to restore into. */
  let database: TestDatabase;
  let file: string;
  let hashes: readonly string[];
  let urls: readonly string[];
  let workflow: string;
  let executionId: string;

  const graphwright = (
    folder: string,
    args: readonly string[],
    env: NodeJS.ProcessEnv = {},
  ): Promise<CommandResult> =>
    callCommand(args, {
      DATA_DIR: join(root, folder),
      DATABASE_URL: toDatabaseUrl(database.connection),
      SECRETS_KEY,
      PORT: '0',
      ...env,
    });
  const openTarget = () =>
    openDb({ connection: database.connection, maxConnections: 1, onError: () => undefined });
  const emptyDatabase = async (): Promise<void> => {
    const db = openTarget();
    await db.query('drop schema if exists public, graphile_worker cascade');
    await db.query('create schema public');
    await db.close();
  };
  /** Returns the hash of the file at a media URL. The host of the URL is that of BASE_URL. */
  const hashFile = async (origin: string, url: string): Promise<string> => {
    const response = await fetch(`${origin}${new URL(url).pathname}`);
    assert.equal(response.status, 200, url);
    return sha256Hex(Buffer.from(await response.arrayBuffer()));
  };

  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'graphwright-backup-'));
    file = join(root, 'backup.tar');
    database = await createTestDatabase();
    service = await startTestService({ DATA_DIR: join(root, 'old') });
  });
  after(async () => {
    await service.close();
    await database.drop();
    await rm(root, { recursive: true, force: true, maxRetries: 10 });
  });

  it('move workflows, runs and media to another database and folder', async () => {
    workflow = await service.createWorkflow(WORKFLOW);
    const caller = { nodes: [node('c', 'component:call', { workflowId: workflow })], edges: [] };
    await service.createWorkflow(caller);
    const dataUrl = `data:image/png;base64,${(await noiseImage(200, 200, 'png')).toString('base64')}`;
    const upload = await service.request<{ url: string }>('POST', '/media/upload', { dataUrl });
    const run = await service.runWorkflow(workflow);
    executionId = run.id;
    const picture = run.nodeStates.find(({ nodeId }) => nodeId === 'p')?.outputUrl ?? '';
    urls = [upload.body.url, picture];
    hashes = await Promise.all(urls.map(url => hashFile(service.url, url)));
    const backup = await graphwright('old', ['backup', file, '--json'], {
      DATABASE_URL: service.databaseUrl,
    });
    const { media, missing } = readJson<{ media: { files: number }; missing: number }>(backup);
    assert.deepEqual([media.files, missing], [2, 0]);
    assert.equal((await stat(file)).mode & 0o777, 0o600);

    await emptyDatabase();
    const restored = readJson<RestoreReport>(await graphwright('new', ['restore', file, '--json']));
    assert.deepEqual([restored.files, restored.missing, restored.damaged], [2, 0, []]);
    const target = await service.startAnother({
      DATA_DIR: join(root, 'new'),
      DATABASE_URL: toDatabaseUrl(database.connection),
    });
    try {
      assert.deepEqual(await Promise.all(urls.map(url => hashFile(target.url, url))), hashes);
      assert.equal((await target.readExecution(executionId)).status, 'COMPLETED');
      const deletion = await target.request<{ code?: string }>('DELETE', `/workflows/${workflow}`);
      assert.equal(deletion.body.code, 'component_in_use');
      // New ids and rows do not collide with the old ones.
      assert.equal((await target.runWorkflow(workflow)).status, 'COMPLETED');
    } finally {
      await target.close();
    }
  });

  it('replace a file, media and a database only if it is safe', async () => {
    const secondBackup = await graphwright('new', ['backup', file]);
    assert.deepEqual([secondBackup.code, /Choose another file name/.test(secondBackup.err)], [2, true]);
    const refusal = await graphwright('new', ['restore', file]);
    assert.deepEqual([refusal.code, /media is not empty.+--force/.test(refusal.err)], [2, true]);
    const client = openTarget();
    // An idle connection of a pool would be closed after a while.
    const busy = await client.withOwnConnection(() => graphwright('new', ['restore', file, '--force']));
    await client.close();
    assert.deepEqual([busy.code, /service is connected/.test(busy.err)], [1, true]);
    const replaced = readJson<RestoreReport>(
      await graphwright('new', ['restore', file, '--force', '--json']),
    );
    assert.deepEqual([replaced.missing, replaced.damaged], [0, []]);
    // The backup has the first key. Both restores were recorded, the first only in the database that was replaced.
    const audited = openTarget();
    const { rows } = await audited.query<{ action: string; via: string }>(
      `select action, via from audit_events where action in ('key.created', 'backup.restored') order by id`,
    );
    await audited.close();
    assert.deepEqual(
      rows.map(({ action, via }) => `${action} ${via}`),
      ['key.created service', 'backup.restored cli', 'backup.restored cli'],
    );
  });

  it('restore nothing from a damaged, truncated or foreign file', async () => {
    await emptyDatabase();
    const { size } = await stat(file);
    const [damagedFile, truncatedFile] = [join(root, 'changed.tar'), join(root, 'cut.tar')];
    await copyFile(file, damagedFile);
    const handle = await open(damagedFile, 'r+');
    // The last files are media, and the changed bytes are not in a header that a decoder checks.
    await handle.write(Buffer.from([0x5a, 0x5a, 0x5a]), 0, 3, size - 6000);
    await handle.close();
    await copyFile(file, truncatedFile);
    await truncate(truncatedFile, size - 20_000);
    for (const [path, reason] of [
      [damagedFile, /checksum is wrong/],
      [truncatedFile, /.+/],
      [join(root, 'absent.tar'), /no file/],
      [BIN, /not a Graphwright backup/],
    ] as const) {
      const { code, err } = await graphwright('refused', ['restore', path]);
      assert.notEqual(code, 0, path);
      assert.match(err, reason);
    }
    const entries = await readdir(join(root, 'refused', 'media'), { recursive: true, withFileTypes: true });
    assert.deepEqual(
      entries.filter(entry => entry.isFile()).map(entry => entry.name),
      [],
    );
    const { code, err } = await graphwright('refused', ['restore', file], { SECRETS_KEY: '09'.repeat(32) });
    assert.deepEqual([code, /secrets key differs/.test(err)], [2, true]);
    const restored = readJson<RestoreReport>(await graphwright('refused', ['restore', file, '--json']));
    assert.deepEqual(restored.damaged, []);
  });

  it('continue with another secrets key if the secrets may be lost', async () => {
    const settings = { SECRETS_KEY: '09'.repeat(32) };
    const args = ['restore', file, '--force', '--without-secrets', '--json'];
    readJson<RestoreReport>(await graphwright('refused', args, settings));
    const target = { DATA_DIR: join(root, 'refused'), DATABASE_URL: toDatabaseUrl(database.connection) };
    await assert.rejects(service.startAnother(target), /SECRETS_KEY is not the key/);
    await (await service.startAnother({ ...target, ...settings })).close();
    // The old key was found again.
    readJson(await graphwright('refused', ['secrets', 'reset', '--json']));
    await (await service.startAnother(target)).close();
  });
});
