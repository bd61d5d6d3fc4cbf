// Tests by which hash the folder of a batch finds a start that an earlier version has stored.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { findStart, hashStart } from '../../src/cli/batch-folder.ts';
import { sha256Hex } from '../../src/lib/crypto.ts';

const table = Buffer.from('name\nEve\n');
const input = { workflowId: 'wfl_1', version: 3, request: { mapping: { who: 'name' } }, table };

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'graphwright-batch-folder-'));
});
after(() => rm(folder, { recursive: true, force: true }));

it('the folder of a batch finds a start of a version without --encoding', async () => {
  const request = sha256Hex(`["wfl_1",3,{"mapping":{"who":"name"}},"${sha256Hex(table)}"]`);
  const start = { request, idempotencyKey: 'key', body: { tableId: 'tbl_1' }, batchId: 'bat_1' };
  await writeFile(join(folder, 'batch.json'), JSON.stringify({ start }));
  assert.deepEqual(await findStart(folder, hashStart({ ...input, encoding: undefined })), start);
  assert.equal(await findStart(folder, hashStart({ ...input, encoding: 'macintosh' })), undefined);
});

it('the folder of a batch tells apart starts with other options', () => {
  const hashes = [
    { encoding: undefined },
    { encoding: 'macintosh' },
    { encoding: 'windows-1252' },
    { encoding: undefined, version: 4 },
    { encoding: undefined, request: { ...input.request, firstRows: 1 } },
    { encoding: undefined, table: Buffer.from('name\nZoe\n') },
  ].map(changes => hashStart({ ...input, ...changes }));
  assert.equal(new Set(hashes).size, hashes.length);
});
