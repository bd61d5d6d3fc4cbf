// Makes the names in a folder survive a loss of power.
import { open } from 'node:fs/promises';

/** fsync of a file keeps its bytes, not its name: that is in the folder. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
