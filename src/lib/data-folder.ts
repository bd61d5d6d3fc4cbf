// The folder of this machine's data: made where it is missing, and what is wrong with it in one sentence for whoever uses it.
import { access, constants, mkdir, realpath } from 'node:fs/promises';
import { AppError, toError } from './errors.ts';

/** Its path without symlinks. Throws AppError `unavailable` with the way out where it cannot be made or written. */
export async function openDataFolder(dataDir: string): Promise<string> {
  try {
    await mkdir(dataDir, { recursive: true });
    const folder = await realpath(dataDir);
    await access(folder, constants.W_OK | constants.X_OK);
    return folder;
  } catch (err) {
    throw dataFolderRefusal(dataDir, err);
  }
}

/** What the system said of the folder, for people. */
export function dataFolderRefusal(dataDir: string, cause: unknown): AppError {
  const { message } = toError(cause);
  const wayOut = /ENOSPC|EDQUOT/.test(message)
    ? 'Make room there, or set DATA_DIR to a folder on another disk.'
    : 'Give DATA_DIR a folder that this account can write.';
  return new AppError('unavailable', `The data folder ${dataDir} cannot be used (${message}). ${wayOut}`, {
    cause,
  });
}
