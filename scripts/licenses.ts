// `node scripts/licenses.ts` lists the production packages of the lock file by license. Exits with 1 if a package has
// no known license, or one that restricts users of an Apache-2.0 program.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface LockEntry {
  /** Set if another name is an alias of the package. */
  readonly name?: string;
  readonly version?: string;
  readonly license?: string;
  readonly dev?: boolean;
}

/** Licenses that require only the inclusion of their text. */
const PERMISSIVE = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'PSF-2.0',
  'Python-2.0',
  'Unlicense',
  'Zlib',
]);
/** Licenses of fonts and libraries that are used as separate files, by the names of the permitted packages. */
const PERMITTED_AS_FILES: Readonly<Record<string, RegExp>> = {
  'OFL-1.1': /^@fontsource(?:-variable)?\//,
  'LGPL-3.0-or-later': /^@img\/sharp-/,
  'LGPL-2.1-or-later': /^@node-webcodecs\/static-/,
  'MPL-2.0': /^mediabunny$/,
};
/** Licenses, checked by hand, of packages that have no license in the lock file. */
const KNOWN_LICENSES: readonly (readonly [name: RegExp, license: string])[] = [
  [/^@napi-rs\/canvas-/, 'MIT'],
  [/^@neplex\/vectorizer-/, 'MIT'],
  [/^@node-webcodecs\/static-/, 'MIT AND LGPL-2.1-or-later AND BSD-2-Clause AND BSD-3-Clause'],
  [/^(?:busboy|streamsearch)$/, 'MIT'],
];

export interface LicensedPackage {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly isPermitted: boolean;
}

/** Lists the packages of a lock file that a production install contains. */
export function listLicenses(packages: Readonly<Record<string, LockEntry>>): readonly LicensedPackage[] {
  return Object.entries(packages)
    .filter(([path, { dev }]) => path !== '' && dev !== true)
    .map(([path, { name: ownName, version = '', license: declared }]) => {
      const name = ownName ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
      const license = declared ?? KNOWN_LICENSES.find(([pattern]) => pattern.test(name))?.[1] ?? 'unknown';
      return { name, version, license, isPermitted: isPermitted(name, license) };
    });
}

/** Returns whether the package may be used: one license of `A OR B` must be permitted, and both licenses of `A AND B`. */
function isPermitted(name: string, license: string): boolean {
  return license
    .replaceAll(/[()]/g, '')
    .split(' OR ')
    .some(choice =>
      choice
        .split(' AND ')
        .every(part => PERMISSIVE.has(part) || PERMITTED_AS_FILES[part]?.test(name) === true),
    );
}

if (import.meta.main) {
  const file = join(import.meta.dirname, '../package-lock.json');
  const { packages } = JSON.parse(readFileSync(file, 'utf8')) as { packages: Record<string, LockEntry> };
  const licensedPackages = listLicenses(packages);
  const packagesByLicense = Map.groupBy(licensedPackages, ({ license }) => license);
  for (const [license, group] of [...packagesByLicense].sort(([a], [b]) => (a < b ? -1 : 1)))
    process.stdout.write(
      `${license}: ${group.length}\n${group.map(({ name, version }) => `  ${name} ${version}\n`).join('')}`,
    );
  const restricted = licensedPackages.filter(({ isPermitted }) => !isPermitted);
  for (const { name, license } of restricted)
    process.stderr.write(`${name}: ${license} may restrict its users.\n`);
  process.exitCode = restricted.length > 0 ? 1 : 0;
}
