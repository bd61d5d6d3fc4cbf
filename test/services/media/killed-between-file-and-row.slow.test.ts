// Tests a service that is killed between storing a file and its row: the file is not served, and the sweep deletes it.
import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { newId } from '../../../src/lib/ids.ts';
import { openDiskStorage } from '../../../src/media/disk.ts';
import type { Deps } from '../../../src/services/deps.ts';
import { sweepMedia } from '../../../src/services/media/sweep-media.ts';
import { recordOrphan } from '../../../src/store/media/orphans.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { plainImage } from '../../support/media/pixels.ts';
import { waitUntil } from '../../support/processes.ts';
import { type ServiceChild, spawnService, toDatabaseUrl } from '../../support/service.ts';

const DAY_MS = 86_400_000;

let database: TestDatabase;
let folder: string;
let service: ServiceChild;
before(async () => {
  database = await createTestDatabase();
  folder = await mkdtemp(join(tmpdir(), 'graphwright-killed-'));
  service = await spawnService(folder, { DATABASE_URL: toDatabaseUrl(database.connection) });
});
after(async () => {
  await service.end('SIGKILL');
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

const getMediaFolder = () => join(folder, 'media');
const listFileIds = async (): Promise<readonly string[]> =>
  (await readdir(getMediaFolder(), { recursive: true })).flatMap(path => /med_\w{26}$/.exec(path) ?? []);

it('sweepMedia deletes a file without a row after a day', async () => {
  const bytes = await plainImage(8, 8, '#336699');
  const dataUrl = `data:image/png;base64,${bytes.toString('base64')}`;
  const keptUpload = await service.request<{ mediaId: string }>('POST', '/media/upload', { dataUrl });
  assert.equal(keptUpload.status, 200);
  // The test holds a lock that delays the row but not the file.
  const locked = Promise.withResolvers<void>();
  const killed = Promise.withResolvers<void>();
  const lockHeld = database.db.transaction(async tx => {
    await tx.query('lock table media in exclusive mode');
    locked.resolve();
    await killed.promise;
  });
  await locked.promise;
  const interrupted = service.request('POST', '/media/upload', { dataUrl }).catch(() => undefined);
  const waitingInsert = `from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query like '%insert into media %'`;
  await waitUntil(
    'the second file to be stored and its row to wait',
    async () => (await database.db.query(`select ${waitingInsert}`)).rowCount === 1,
  );
  assert.equal((await listFileIds()).length, 2);
  await service.end('SIGKILL');
  // Otherwise PostgreSQL would still execute the statement of the killed process.
  await database.db.query(`select pg_terminate_backend(pid) ${waitingInsert}`);
  killed.resolve();
  await Promise.all([lockHeld, interrupted]);

  service = await spawnService(folder, { DATABASE_URL: toDatabaseUrl(database.connection) });
  const orphan = String((await listFileIds()).find(id => id !== keptUpload.body.mediaId));
  const list = await service.request<{ data: readonly { mediaId: string }[] }>('GET', '/media');
  assert.deepEqual(
    list.body.data.map(({ mediaId }) => mediaId),
    [keptUpload.body.mediaId],
  );
  const fetchStatus = (id: string): Promise<number> =>
    fetch(`${service.url}/cdn/${id}/file.png`).then(response => response.status);
  assert.deepEqual([await fetchStatus(keptUpload.body.mediaId), await fetchStatus(orphan)], [200, 404]);

  const storage = await openDiskStorage(getMediaFolder());
  const failures: unknown[] = [];
  const log = { error: (details: unknown) => failures.push(details) };
  const sweep = (now: number, remove = storage.remove) => {
    const deps = { db: database.db, storage: { ...storage, remove }, now: () => now, log };
    return sweepMedia(deps as unknown as Deps, AbortSignal.timeout(10_000));
  };
  await sweep(Date.now());
  assert.equal((await listFileIds()).length, 2);
  // A file that cannot be deleted does not prevent the deletion of others.
  await recordOrphan(database.db, newId('media', Date.now()));
  await sweep(Date.now() + 2 * DAY_MS, async id => {
    if (id === orphan) throw new Error('EACCES');
    return storage.remove(id);
  });
  const { rows } = await database.db.query<{ id: string }>('select id from media_strays');
  assert.deepEqual([rows.map(({ id }) => id), failures.length], [[orphan], 1]);
  await sweep(Date.now() + 2 * DAY_MS);
  assert.deepEqual(await listFileIds(), [keptUpload.body.mediaId]);
  assert.equal(await fetchStatus(keptUpload.body.mediaId), 200);
});
