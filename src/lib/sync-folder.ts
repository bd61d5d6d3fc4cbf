// Flushes a folder, so that names in it survive a loss of power.
import { open } from 'node:fs/promises';

/** fsync of a file persists its bytes, not its name, which is in the folder. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
