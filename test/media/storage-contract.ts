// Defines the tests that every media storage must pass.
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { newId } from '../../src/lib/ids.ts';
import { type MediaStorage, toPendingKey } from '../../src/media/storage.ts';

const OPTIONS = { contentType: 'image/png', maxBytes: 10_000_000 };

/** Defines the tests of the contract for the storage that `open` returns. */
export function testStorage(name: string, open: () => Promise<MediaStorage>): void {
  const put = async (storage: MediaStorage, data: Uint8Array, key = newId('media')): Promise<string> => {
    await storage.put(key, data, OPTIONS);
    return key;
  };
  const readAll = async (storage: MediaStorage, key: string): Promise<Buffer> =>
    await buffer((await storage.read(key)).stream);

  test(`${name}: a stored file is read back with its size and hash`, async () => {
    const storage = await open();
    for (const size of [1, 65_536, 3_000_001]) {
      const data = randomBytes(size);
      const sha256 = createHash('sha256').update(data).digest('hex');
      const key = newId('media');
      assert.deepEqual(await storage.put(key, new Uint8Array(data), OPTIONS), { bytes: size, sha256 });
      assert.deepEqual(await storage.stat(key), { bytes: size });
      const file = await storage.read(key);
      assert.equal(file.bytes, size);
      assert.ok(data.equals(await buffer(file.stream)));
    }
  });

  test(`${name}: the source of a put can be a stream of chunks`, async () => {
    const storage = await open();
    const key = newId('media');
    const chunks = async function* () {
      for (let i = 0; i < 50; i++) yield Buffer.alloc(1000, i);
    };
    assert.equal((await storage.put(key, chunks(), OPTIONS)).bytes, 50_000);
    assert.equal((await readAll(storage, key))[49_999], 49);
  });

  test(`${name}: a range is read without the rest of the file`, async () => {
    const storage = await open();
    const key = await put(storage, Buffer.from('0123456789'));
    for (const [start, end, text] of [
      [1, 1, '1'],
      [3, 6, '3456'],
      [9, 9, '9'],
      [0, 9, '0123456789'],
    ] as const) {
      const { bytes, stream } = await storage.read(key, { start, end });
      assert.equal(bytes, text.length);
      assert.equal((await buffer(stream)).toString(), text);
    }
  });

  test(`${name}: a file over the limit does not replace the previous file`, async () => {
    const storage = await open();
    const key = await put(storage, Buffer.from('first'));
    const bounds = { ...OPTIONS, maxBytes: 5 };
    await assert.rejects(storage.put(key, Buffer.from('second'), bounds), { code: 'file_too_large' });
    assert.equal((await readAll(storage, key)).toString(), 'first');
    assert.equal((await storage.put(key, Buffer.from('fives'), bounds)).bytes, 5);
  });

  test(`${name}: a source that fails or is aborted stores nothing`, async () => {
    const storage = await open();
    const key = newId('media');
    const failingSource = async function* () {
      yield Buffer.from('begun');
      throw new Error('the client left');
    };
    await assert.rejects(storage.put(key, failingSource(), OPTIONS), /the client left/);
    const stalledSource = async function* () {
      yield Buffer.from('begun');
      await new Promise(done => setTimeout(done, 300));
      yield Buffer.from('late');
    };
    await assert.rejects(storage.put(key, stalledSource(), { ...OPTIONS, signal: AbortSignal.timeout(50) }));
    await assert.rejects(storage.put(key, Buffer.from('x'), { ...OPTIONS, signal: AbortSignal.abort() }));
    assert.equal(await storage.stat(key), undefined);
  });

  test(`${name}: put replaces a file, move renames it and remove deletes it`, async () => {
    const storage = await open();
    const key = await put(storage, Buffer.from('old'));
    await put(storage, Buffer.from('newer'), key);
    assert.equal((await readAll(storage, key)).toString(), 'newer');
    const pending = await put(storage, Buffer.from('uploaded'), toPendingKey(newId('media')));
    await storage.move(pending, key);
    assert.equal((await readAll(storage, key)).toString(), 'uploaded');
    assert.equal(await storage.stat(pending), undefined);
    await storage.remove(key);
    await storage.remove(key);
    assert.equal(await storage.stat(key), undefined);
  });

  test(`${name}: a copy remains when the original is deleted`, async () => {
    const storage = await open();
    const [key, copy] = [await put(storage, Buffer.from('shared')), newId('media')];
    await put(storage, Buffer.from('replaced'), copy);
    await storage.copy(key, copy);
    assert.equal((await readAll(storage, key)).toString(), 'shared');
    await storage.remove(key);
    assert.equal((await readAll(storage, copy)).toString(), 'shared');
    await assert.rejects(storage.copy(copy, key, AbortSignal.abort()));
    assert.equal(await storage.stat(key), undefined);
  });

  test(`${name}: a missing file is reported as not found`, async () => {
    const storage = await open();
    await assert.rejects(storage.read(newId('media')), { code: 'not_found' });
    await assert.rejects(storage.read(newId('media'), { start: 0, end: 1 }), { code: 'not_found' });
    await assert.rejects(storage.move(toPendingKey(newId('media')), newId('media')), { code: 'not_found' });
    await assert.rejects(storage.copy(newId('media'), newId('media')), { code: 'not_found' });
  });

  test(`${name}: only media ids are valid keys`, async () => {
    const storage = await open();
    const id = newId('media');
    const keys = [
      '',
      '.',
      '..',
      '/etc/passwd',
      '../x',
      `${id}/..`,
      `${id}\0`,
      `./${id}`,
      `${id}\n`,
      newId('workflow'),
      id.toUpperCase(),
      `pending-pending-${id}`,
      `pending-`,
    ];
    for (const key of keys) {
      await assert.rejects(storage.put(key, Buffer.from('x'), OPTIONS), /Invalid media storage key/, key);
      await assert.rejects(storage.read(key), /Invalid media storage key/, key);
      await assert.rejects(storage.stat(key), /Invalid media storage key/, key);
      await assert.rejects(storage.remove(key), /Invalid media storage key/, key);
      await assert.rejects(storage.move(key, id), /Invalid media storage key/, key);
      await assert.rejects(storage.move(id, key), /Invalid media storage key/, key);
      await assert.rejects(storage.copy(key, id), /Invalid media storage key/, key);
      await assert.rejects(storage.copy(id, key), /Invalid media storage key/, key);
    }
  });

  test(`${name}: many concurrent puts succeed`, async () => {
    const storage = await open();
    const keys = await Promise.all(
      Array.from({ length: 40 }, (_, i) => put(storage, Buffer.alloc(10_000, i))),
    );
    for (const [i, key] of keys.entries())
      assert.ok((await readAll(storage, key)).equals(Buffer.alloc(10_000, i)));
  });
}
