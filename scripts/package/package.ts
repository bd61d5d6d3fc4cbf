// Builds dist/graphwright, the folder of the npm package and of the image: the program as JavaScript, since Node does
// not strip types below node_modules, the web application as a bundle, and only the dependencies that the program still
// imports.
import { execFileSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { bundleEditor } from '../../src/bundle/bundle-editor.ts';
import { SHIPPED_FOLDER, writeBundle } from '../../src/bundle/stored-bundles.ts';
import { FILES, packagedBin } from './files.ts';
import { type Lock, pruneLock } from './prune-lock.ts';

const ROOT = join(import.meta.dirname, '../..');
const OUT = join(ROOT, 'dist/graphwright');
/** Used by settings or on the command line rather than imported. */
const ALWAYS = /^node$|^@fontsource/;

interface Manifest {
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly bin: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
}

rmSync(OUT, { recursive: true, force: true });
const compiler = join(ROOT, 'node_modules/typescript-native/bin/tsc');
execFileSync(process.execPath, [compiler, '-p', import.meta.dirname], { stdio: 'inherit' });
copyFiles();
await writeBundle(OUT, SHIPPED_FOLDER, await bundleEditor());
const dependencies = writeManifest();
process.stdout.write(`${OUT}: ${dependencies} dependencies. Pack it: npm pack ${OUT}\n`);

function copyFiles(): void {
  for (const path of globSync([...FILES], { cwd: ROOT })) {
    mkdirSync(dirname(join(OUT, path)), { recursive: true });
    cpSync(join(ROOT, path), join(OUT, path));
  }
  mkdirSync(join(OUT, 'bin'));
  writeFileSync(join(OUT, 'bin/graphwright.js'), packagedBin(ROOT), { mode: 0o755 });
}

/** Builds the package's manifest and a lock file for its dependencies, so that users install the tested versions. */
function writeManifest(): number {
  const root = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest;
  const code = globSync('{src,sdk}/**/*.js', { cwd: OUT, exclude: ['src/bundle/**'] })
    .map(path => readFileSync(join(OUT, path), 'utf8'))
    .join('\n');
  const isNamed = (name: string): boolean =>
    ALWAYS.test(name) || [`'${name}'`, `'${name}/`, `\`${name}/`].some(quoted => code.includes(quoted));
  const dependencies = Object.fromEntries(
    Object.entries(root.dependencies).filter(([name]) => isNamed(name)),
  );
  const { version, description, license, bin, optionalDependencies } = root;
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
  };
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as Lock;
  const pruned = { ...lock, version, packages: pruneLock(lock, manifest) };
  writeFileSync(join(OUT, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  writeFileSync(join(OUT, 'npm-shrinkwrap.json'), `${JSON.stringify(pruned, null, 2)}\n`);
  return Object.keys(dependencies).length;
}
