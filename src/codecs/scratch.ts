// A private folder for the files of one job, gone when the job is.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export async function withScratch<T>(work: (folder: string) => Promise<T>): Promise<T> {
  // mkdtemp makes it readable for its owner alone.
  const folder = await mkdtemp(join(tmpdir(), 'graphwright-codec-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}
