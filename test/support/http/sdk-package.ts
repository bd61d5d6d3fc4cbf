// Installs the SDK as users get it: built by tsc, packed by npm and installed into an empty folder.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

export const SDK_FOLDER = join(import.meta.dirname, '../../../sdk');
const TSC = join(import.meta.dirname, '../../../node_modules/.bin/tsc');
export const execFileAsync = promisify(execFile);

export interface InstalledSdk {
  /** Programs in this folder can import `@graphwright/sdk`. */
  readonly folder: string;
  /** The files of the package. */
  readonly files: readonly string[];
  remove(): Promise<void>;
}

/** Call this function in `before`, and `remove` in `after`. Needs no registry, because the package has no dependencies. */
export async function installSdk(): Promise<InstalledSdk> {
  const folder = await mkdtemp(join(tmpdir(), 'graphwright-sdk-'));
  const packageFolder = join(folder, 'packed');
  await mkdir(packageFolder);
  for (const name of ['package.json', 'README.md'])
    await cp(join(SDK_FOLDER, name), join(packageFolder, name));
  await execFileAsync(TSC, ['-p', SDK_FOLDER, '--outDir', join(packageFolder, 'dist')]);
  const { stdout } = await execFileAsync('npm', ['pack', '--json', '--ignore-scripts'], {
    cwd: packageFolder,
  });
  // npm prints a list. From version 12, it prints an object by package name.
  const [pack] = Object.values(JSON.parse(stdout) as readonly Pack[] | Readonly<Record<string, Pack>>);
  assert.ok(pack);
  await writeFile(join(folder, 'package.json'), '{"type":"module","private":true}');
  const tarball = join(packageFolder, pack.filename);
  await execFileAsync('npm', ['install', '--offline', '--no-audit', '--no-fund', tarball], { cwd: folder });
  return {
    folder,
    files: pack.files.map(file => file.path),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

interface Pack {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}
