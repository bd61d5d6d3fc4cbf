// Kills the service while it sweeps old outputs, and checks that the next sweeps leave no row without a file and no file.
import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { newId } from '../../../src/lib/ids.ts';
import { openDiskStorage } from '../../../src/media/disk.ts';
import type { Deps } from '../../../src/services/deps.ts';
import { sweepMedia } from '../../../src/services/media/sweep-media.ts';
import { blockWrites, createTestDatabase } from '../../support/database.ts';
import { waitUntil } from '../../support/processes.ts';
import { spawnService, toDatabaseUrl } from '../../support/service.ts';

const DAY_MS = 86_400_000;

it('sweepOutputs leaves no row without a file if the worker is killed', async () => {
  const database = await createTestDatabase();
  const folder = await mkdtemp(join(tmpdir(), 'graphwright-swept-'));
  const env = { DATABASE_URL: toDatabaseUrl(database.connection), KEEP_OUTPUTS_DAYS: '1' };
  let service = await spawnService(folder, env);
  const storage = await openDiskStorage(join(folder, 'media'));
  const ids = Array.from({ length: 1500 }, () => newId('media', Date.now() - 5 * DAY_MS));
  const content = Buffer.from('x');
  for (const id of ids) await storage.put(id, content, { contentType: 'image/png', maxBytes: 1 });
  await database.db.query(
    `insert into media (id, user_id, workspace, name, content_type, bytes, sha256, origin)
     select id, 1, 'user:1', 'a.png', 'image/png', 1, 'x', 'preview' from unnest($1::text[]) as id`,
    [ids],
  );
  const listFileIds = async (): Promise<readonly string[]> =>
    (await readdir(join(folder, 'media'), { recursive: true })).flatMap(
      path => /med_\w{26}$/.exec(path) ?? [],
    );
  const listIds = async (table: 'media' | 'media_strays'): Promise<ReadonlySet<string>> => {
    const { rows } = await database.db.query<{ id: string }>(`select id from ${table}`);
    return new Set(rows.map(({ id }) => id));
  };
  const blocked = await blockWrites(database.db, 'delete', 'media_strays');
  try {
    await database.db.query(`select graphile_worker.add_job('sweep_outputs', '{}')`);
    await waitUntil('the first rows to go', async () => (await listIds('media')).size < ids.length);
    await service.end('SIGKILL');
    await blocked.release();
    const [fileIds, mediaIds, orphanIds] = [
      new Set(await listFileIds()),
      await listIds('media'),
      await listIds('media_strays'),
    ];
    assert.ok(fileIds.size > 0, 'the worker was killed before the end of the sweep');
    for (const id of mediaIds) assert.ok(fileIds.has(id), `${id} has its file`);
    for (const id of fileIds)
      assert.ok(mediaIds.has(id) || orphanIds.has(id), `${id} has a row or is recorded`);

    service = await spawnService(folder, env);
    await database.db.query(`select graphile_worker.add_job('sweep_outputs', '{}')`);
    await waitUntil('the other rows to go', async () => (await listIds('media')).size === 0);
    await service.end('SIGTERM');
    const laterDeps = { db: database.db, storage, now: () => Date.now() + 2 * DAY_MS } as unknown as Deps;
    await sweepMedia(laterDeps, AbortSignal.timeout(60_000));
    assert.deepEqual(await listFileIds(), []);
  } finally {
    await service.end('SIGKILL');
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  }
});
