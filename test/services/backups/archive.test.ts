// Tests that a process can write several backup files.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { createArchive, readArchive, writeArchiveFile } from '../../../src/services/backups/archive.ts';

const { signal } = new AbortController();

async function writeArchive(path: string, text: string): Promise<void> {
  const archive = createArchive();
  const isWritten = writeArchiveFile(path, archive.chunks, signal);
  const bytes = new TextEncoder().encode(text);
  await archive.add('text', bytes.length, [bytes]);
  await archive.finish();
  await isWritten;
}

async function readTexts(path: string): Promise<readonly string[]> {
  const texts: string[] = [];
  for await (const { body } of readArchive(path, signal, () => undefined))
    texts.push(Buffer.concat(await Array.fromAsync(body)).toString());
  return texts;
}

it('archives that are written one after the other are complete', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'graphwright-archive-'));
  try {
    for (const text of ['short', 'long'.repeat(1000)]) {
      const path = join(folder, `${text.length}.tar`);
      await writeArchive(path, text);
      assert.deepEqual(await readTexts(path), [text]);
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});
