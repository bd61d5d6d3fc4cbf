// Stores bundles on disk in one folder per source hash. A bundle is written atomically.
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bundle, Manifest } from './bundle-editor.ts';

const MANIFEST = 'manifest.json';
/** How long bundles of other versions are stored, for processes that still run them. */
const KEEP_MS = 7 * 24 * 3_600_000;

/** Location of the bundle in the npm package; a checkout has none and bundles its sources. */
export const SHIPPED_FOLDER = 'application';

/** Returns undefined if there is no bundle of that name. */
export async function readBundle(folder: string, hash: string): Promise<Bundle | undefined> {
  const path = join(folder, hash);
  try {
    const names = (await readdir(path)).filter(name => name !== MANIFEST);
    const manifest = JSON.parse(await readFile(join(path, MANIFEST), 'utf8')) as Manifest;
    const files = await Promise.all(
      names.map(async name => [name, await readFile(join(path, name))] as const),
    );
    return { manifest, files: new Map(files) };
  } catch (err) {
    if ((err as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw err;
  }
}

/** Writes the bundle, unless another process has written the same bundle meanwhile. */
export async function writeBundle(folder: string, hash: string, { manifest, files }: Bundle): Promise<void> {
  await mkdir(folder, { recursive: true });
  const draft = await mkdtemp(join(folder, '.draft-'));
  try {
    await Promise.all([...files].map(([name, bytes]) => writeFile(join(draft, name), bytes)));
    await writeFile(join(draft, MANIFEST), JSON.stringify(manifest));
    await rename(draft, join(folder, hash));
  } catch (err) {
    await rm(draft, { recursive: true, force: true });
    if (!['ENOTEMPTY', 'EEXIST'].includes((err as NodeJS.ErrnoException).code ?? '')) throw err;
  }
}

/** Removes old bundles of other sources, and old drafts of processes that died. */
export async function removeOldBundles(folder: string, hash: string, nowMs: number): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    if (name === hash || !/^(?:[0-9a-f]{20}|\.draft-\w+)$/.test(name)) continue;
    if (nowMs - (await stat(path)).mtimeMs > KEEP_MS) await rm(path, { recursive: true, force: true });
  }
}
