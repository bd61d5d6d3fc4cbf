// Builds dist/graphwright, the folder of the npm package and of the image. The folder contains the bundled web application,
// the package of the SDK, the dependencies that the program imports, and the program as JavaScript, because Node does not strip types below
// node_modules.
import { execFileSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { bundleEditor } from '../../src/bundle/bundle-editor.ts';
import { buildSdkPackage, SDK_FILE } from '../../src/bundle/sdk-package.ts';
import { SHIPPED_FOLDER, writeBundle } from '../../src/bundle/stored-bundles.ts';
import { createPackagedCommand, PACKAGED_FILES } from './files.ts';
import { type Lock, pruneLock } from './prune-lock.ts';

const ROOT = join(import.meta.dirname, '../..');
const OUT = join(ROOT, 'dist/graphwright');
/** Dependencies that the program uses without importing them. */
const ALWAYS_NEEDED = /^node$|^@fontsource/;

interface Manifest {
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly bin: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
  readonly overrides: Readonly<Record<string, string>>;
}

rmSync(OUT, { recursive: true, force: true });
const compiler = join(ROOT, 'node_modules/typescript-native/bin/tsc');
execFileSync(process.execPath, [compiler, '-p', import.meta.dirname], { stdio: 'inherit' });
copyFiles();
await writeBundle(OUT, SHIPPED_FOLDER, await bundleEditor());
writeFileSync(join(OUT, SDK_FILE), await buildSdkPackage());
const dependencyCount = writeManifest();
process.stdout.write(`${OUT}: ${dependencyCount} dependencies. Pack it: npm pack ${OUT}\n`);

function copyFiles(): void {
  for (const path of globSync([...PACKAGED_FILES], { cwd: ROOT })) {
    mkdirSync(dirname(join(OUT, path)), { recursive: true });
    cpSync(join(ROOT, path), join(OUT, path));
  }
  mkdirSync(join(OUT, 'bin'));
  writeFileSync(join(OUT, 'bin/graphwright.js'), createPackagedCommand(ROOT), { mode: 0o755 });
}

/** Writes the package's manifest and lock file. Returns the number of dependencies. */
function writeManifest(): number {
  const checkoutManifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest;
  const code = globSync('{src,sdk}/**/*.js', { cwd: OUT, exclude: ['src/bundle/**'] })
    .map(path => readFileSync(join(OUT, path), 'utf8'))
    .join('\n');
  const isNeeded = (name: string): boolean =>
    ALWAYS_NEEDED.test(name) ||
    [`'${name}'`, `'${name}/`, `\`${name}/`].some(quoted => code.includes(quoted));
  const dependencies = Object.fromEntries(
    Object.entries(checkoutManifest.dependencies).filter(([name]) => isNeeded(name)),
  );
  const { version, description, license, bin, optionalDependencies, overrides } = checkoutManifest;
  const manifest = {
    name: 'graphwright',
    version,
    description,
    license,
    type: 'module',
    bin,
    engines: { node: '>=20' },
    dependencies,
    optionalDependencies,
    // For an image, which installs this folder itself.
    overrides,
  };
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as Lock;
  const prunedLock = { ...lock, version, packages: pruneLock(lock, manifest) };
  writeFileSync(join(OUT, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  writeFileSync(join(OUT, 'npm-shrinkwrap.json'), `${JSON.stringify(prunedLock, null, 2)}\n`);
  return Object.keys(dependencies).length;
}
