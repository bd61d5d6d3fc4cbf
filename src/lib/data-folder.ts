// Opens the data folder of this machine, creating it if needed, and explains what is wrong with it.
import { access, constants, mkdir, realpath } from 'node:fs/promises';
import { AppError, toError } from './errors.ts';

/**
 * Opens the folder and returns its path without symlinks. Throws `unavailable` with a remedy if it cannot be created or
 * written.
 */
export async function openDataFolder(dataDir: string): Promise<string> {
  try {
    await mkdir(dataDir, { recursive: true });
    const folder = await realpath(dataDir);
    await access(folder, constants.W_OK | constants.X_OK);
    return folder;
  } catch (err) {
    throw createDataFolderError(dataDir, err);
  }
}

/** Creates an error that tells the operator what is wrong with the folder and how to mend it. */
export function createDataFolderError(dataDir: string, cause: unknown): AppError {
  const { message } = toError(cause);
  const remedy = /ENOSPC|EDQUOT/.test(message)
    ? 'Free some disk space, or set DATA_DIR to a folder on another disk.'
    : 'Set DATA_DIR to a folder that this user account can write to.';
  return new AppError('unavailable', `The data folder ${dataDir} cannot be used (${message}). ${remedy}`, {
    cause,
  });
}
