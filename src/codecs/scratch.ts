// Creates a private folder for the files of a single job, and removes it after the job.
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
