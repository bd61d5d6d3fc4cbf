// Tests when a disk counts as full.
import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { it } from 'node:test';
import { createDiskCheck, readDiskSpace } from '../../src/services/disk-space.ts';

const MB = 1_048_576;

it('a disk is full below 64 MB, and free again from 128 MB on', async () => {
  let freeMb = 0;
  const isFull = createDiskCheck('/', async () => ({ freeBytes: freeMb * MB, totalBytes: 10_000 * MB }));
  const results: [number, boolean][] = [];
  for (freeMb of [1000, 64, 63, 100, 127, 128, 100, 64, 0]) results.push([freeMb, await isFull()]);
  assert.deepEqual(results, [
    [1000, false],
    [64, false],
    [63, true],
    [100, true],
    [127, true],
    [128, false],
    [100, false],
    [64, false],
    [0, true],
  ]);
});

it('a small disk is full when a tenth is left', async () => {
  const check = (freeMb: number) =>
    createDiskCheck('/', async () => ({ freeBytes: freeMb * MB, totalBytes: 64 * MB }))();
  assert.deepEqual([await check(7), await check(6)], [false, true]);
});

it('a disk that cannot be read keeps its state', async () => {
  let space: Awaited<ReturnType<typeof readDiskSpace>> = { freeBytes: 0, totalBytes: 10_000 * MB };
  const isFull = createDiskCheck('/', async () => space);
  assert.equal(await isFull(), true);
  space = undefined;
  assert.equal(await isFull(), true);
});

it('readDiskSpace reads the disk of a folder', async () => {
  const space = await readDiskSpace(tmpdir());
  assert.ok(space !== undefined && space.freeBytes <= space.totalBytes);
  assert.equal(await readDiskSpace('/no/such/folder'), undefined);
});
