// Computes the name under which a bundle is stored: a hash of all its sources.
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from './bundle-editor.ts';

/** The folders with the application, the modules that it imports, and the bundler. */
const SOURCES = ['editor', 'sdk/src', 'src/graph', 'src/bundle'];
/** Contains the versions of the packages that are bundled. */
const LOCK_FILE = 'package-lock.json';

export async function hashSources(): Promise<string> {
  const folders = await Promise.all(SOURCES.map(listFiles));
  const paths = [...folders.flat().sort(), LOCK_FILE];
  const texts = await Promise.all(paths.map(path => readFile(join(ROOT, path)).catch(ignoreMissing)));
  const hash = createHash('sha256');
  paths.forEach((path, index) => {
    const text = texts[index] ?? Buffer.alloc(0);
    hash.update(`${path}\n${text.length}\n`).update(text);
  });
  return hash.digest('hex').slice(0, 20);
}

async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(join(ROOT, folder), { recursive: true, withFileTypes: true });
  return entries
    .filter(entry => entry.isFile() && /\.(?:tsx?|css|svg|json)$/.test(entry.name))
    .map(entry => join(entry.parentPath, entry.name).slice(ROOT.length + 1));
}

// An npm package may be installed without a lock file.
function ignoreMissing(err: unknown): undefined {
  if ((err as NodeJS.ErrnoException).code !== 'ENOENT') throw err;
}
