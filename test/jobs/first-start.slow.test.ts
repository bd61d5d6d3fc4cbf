// Tests that of several processes that start on an empty database, one API process creates the administrator.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { startService } from '../../src/app.ts';
import { createLogger } from '../../src/lib/log.ts';
import { readSettings } from '../../src/lib/settings.ts';
import { createTestDatabase } from '../support/database.ts';
import { openSharedEditor } from '../support/editor-bundle.ts';
import { baseEnv, toDatabaseUrl } from '../support/service.ts';

it('a worker and two API processes create one key and one link, in one API process', async t => {
  const { db, connection, drop } = await createTestDatabase();
  const folder = await mkdtemp(join(tmpdir(), 'graphwright-first-start-'));
  const editor = await openSharedEditor();
  const start = (ROLE: string, BASE_URL: string) =>
    startService(
      readSettings({
        ...baseEnv(folder, toDatabaseUrl(connection)),
        BOOTSTRAP_API_KEY: '',
        ROLE,
        BASE_URL,
      }),
      { log: createLogger('silent'), editor },
    );
  t.after(async () => {
    await drop();
    await rm(folder, { recursive: true, force: true });
  });
  const worker = await start('worker', 'https://worker.example');
  assert.deepEqual([worker.bootstrapKey, worker.setUpLink], [undefined, undefined]);
  assert.deepEqual((await db.query('select id from users')).rows, []);
  const urls = ['https://a.example', 'https://b.example'];
  const apis = await Promise.all(urls.map(url => start('api', url)));
  const first = apis.findIndex(({ bootstrapKey }) => bootstrapKey !== undefined);
  for (const [index, { bootstrapKey, setUpLink }] of apis.entries()) {
    assert.equal(bootstrapKey !== undefined, index === first);
    assert.equal(setUpLink?.startsWith(`${urls[index]}/setup#setup_`), index === first ? true : undefined);
  }
  assert.equal((await db.query('select from api_keys')).rowCount, 1);
  await Promise.all([worker, ...apis].map(service => service.close()));
});
