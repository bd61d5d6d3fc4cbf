// Tests readFileChunks, which opens the file with the first chunk, so that a missing file fails only its reader.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { readFileChunks } from '../../src/lib/files.ts';

test('readFileChunks rejects if the file is removed before it is read', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'graphwright-chunks-'));
  const path = join(folder, 'a');
  await writeFile(path, 'content');
  assert.equal(Buffer.concat(await Array.fromAsync(readFileChunks(path))).toString(), 'content');
  const chunks = readFileChunks(path);
  await rm(folder, { recursive: true });
  // An open stream without a reader would emit its error during this time.
  await sleep(20);
  await assert.rejects(Array.fromAsync(chunks), { code: 'ENOENT' });
});
