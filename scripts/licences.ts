// `node scripts/licences.ts`: the production packages of the lock file by their licence. Exits with 1 where one binds whoever
// uses an Apache-2.0 program, or has no licence that is known.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface LockEntry {
  readonly version?: string;
  readonly license?: string;
  readonly dev?: boolean;
}

/** What may be combined with Apache-2.0 and asks for no more than the text of its licence. */
const FREE = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'PSF-2.0',
  'Python-2.0',
  'Unlicense',
  'Zlib',
]);
/** Free as what they are: fonts as files, libraries as shared objects or files of their own that anybody may replace. */
const FREE_AS_FILES: Readonly<Record<string, RegExp>> = {
  'OFL-1.1': /^@fontsource(?:-variable)?\//,
  'LGPL-3.0-or-later': /^@img\/sharp-/,
  'LGPL-2.1-or-later': /^@node-webcodecs\/static-/,
  'MPL-2.0': /^mediabunny$/,
};
/** Whose lock entry names none: of other platforms, or with the licence in a file alone. Read by a person. */
const READ: readonly (readonly [name: RegExp, licence: string])[] = [
  [/^@napi-rs\/canvas-/, 'MIT'],
  [/^@node-webcodecs\/static-/, 'MIT AND LGPL-2.1-or-later AND BSD-2-Clause AND BSD-3-Clause'],
  [/^(?:busboy|streamsearch)$/, 'MIT'],
];

export interface Licensed {
  readonly name: string;
  readonly version: string;
  readonly licence: string;
  /** Whether it binds nobody. */
  readonly isFree: boolean;
}

/** The packages of a lock file that a production install has. */
export function listLicences(packages: Readonly<Record<string, LockEntry>>): readonly Licensed[] {
  return Object.entries(packages)
    .filter(([place, { dev }]) => place !== '' && dev !== true)
    .map(([place, { version = '', license }]) => {
      const name = place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length);
      const licence = license ?? READ.find(([pattern]) => pattern.test(name))?.[1] ?? 'unknown';
      return { name, version, licence, isFree: isFree(name, licence) };
    });
}

/** Of `A OR B` one has to be free, of `A AND B` both. */
function isFree(name: string, licence: string): boolean {
  const bare = licence.replaceAll(/[()]/g, '');
  return bare
    .split(' OR ')
    .some(choice =>
      choice.split(' AND ').every(part => FREE.has(part) || FREE_AS_FILES[part]?.test(name) === true),
    );
}

if (import.meta.main) {
  const file = join(import.meta.dirname, '../package-lock.json');
  const { packages } = JSON.parse(readFileSync(file, 'utf8')) as { packages: Record<string, LockEntry> };
  const all = listLicences(packages);
  const lines = Map.groupBy(all, ({ licence }) => licence);
  for (const [licence, group] of [...lines].sort(([a], [b]) => (a < b ? -1 : 1)))
    process.stdout.write(
      `${licence}: ${group.length}\n${group.map(({ name, version }) => `  ${name} ${version}\n`).join('')}`,
    );
  const bound = all.filter(({ isFree }) => !isFree);
  for (const { name, licence } of bound) process.stderr.write(`${name}: ${licence} may bind its users.\n`);
  process.exitCode = bound.length > 0 ? 1 : 0;
}
