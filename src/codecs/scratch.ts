// Creates a private folder for temporary files, and removes it afterwards.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export async function withScratch<T>(work: (folder: string) => Promise<T>): Promise<T> {
  // mkdtemp makes it readable by its owner only.
  const folder = await mkdtemp(join(tmpdir(), 'graphwright-codec-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}
