// Tests the storage contract on the local disk, and behavior that is specific to a disk.
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { newId } from '../../src/lib/ids.ts';
import { openDiskStorage } from '../../src/media/disk.ts';
import { testStorage } from './storage-contract.ts';

const root = await mkdtemp(join(tmpdir(), 'gw-media-'));
after(() => rm(root, { recursive: true }));

testStorage('disk', () => openDiskStorage(join(root, 'media')));

test('disk: no temporary file remains after successful and failed puts', async () => {
  assert.deepEqual(await readdir(join(root, 'media', 'tmp')), []);
});

test('disk: a range of only the first byte can be read', async () => {
  const storage = await openDiskStorage(join(root, 'media'));
  const key = newId('media');
  await storage.put(key, Buffer.from('0123'), { contentType: 'image/png', maxBytes: 10 });
  const { bytes, stream } = await storage.read(key, { start: 0, end: 0 });
  assert.deepEqual([bytes, (await buffer(stream)).toString()], [1, '0']);
});

test('disk: opening the storage removes only old temporary files', async () => {
  const folder = join(root, 'with-old-files');
  await mkdir(join(folder, 'tmp'), { recursive: true });
  await writeFile(join(folder, 'tmp', 'recent'), 'x');
  await writeFile(join(folder, 'tmp', 'old'), 'x');
  await utimes(join(folder, 'tmp', 'old'), 0, 0);
  const key = newId('media');
  await (await openDiskStorage(folder)).put(key, Buffer.from('kept'), {
    contentType: 'image/png',
    maxBytes: 10,
  });
  const storage = await openDiskStorage(folder);
  assert.deepEqual(await readdir(join(folder, 'tmp')), ['recent']);
  assert.deepEqual(await storage.stat(key), { bytes: 4 });
});
