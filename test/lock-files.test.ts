// Checks that every lock file has an integrity hash for each download, so that altered bytes are detected.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';

const ROOT = join(import.meta.dirname, '..');
const LOCKS = globSync('{,*/,*/*/}package-lock.json', { cwd: ROOT, exclude: ['**/node_modules'] });

/**
 * Packages of other platforms whose integrity is unknown, because the registry mirror used for the lock file does not
 * offer the packages. `node scripts/complete-lock.ts` adds hashes that the registry has. Then shorten this list.
 */
const WITHOUT_HASH: Readonly<Record<string, readonly string[]>> = {
  'package-lock.json': [
    ...[
      'android-arm-eabi',
      'android-arm64',
      'darwin-arm64',
      'darwin-x64',
      'freebsd-x64',
      'linux-arm-gnueabihf',
      'linux-arm64-gnu',
      'linux-arm64-musl',
      'wasm32-wasi',
      'win32-arm64-msvc',
      'win32-ia32-msvc',
      'win32-x64-msvc',
    ].map(at => `@neplex/vectorizer-${at}@0.1.0`),
    '@node-webcodecs/static-darwin-arm64@1.3.0',
    '@node-webcodecs/static-linux-arm64@1.3.0',
  ],
  'bench/remotion/package-lock.json': [
    'darwin-x64',
    'linux-arm64-gnu',
    'linux-arm64-musl',
    'linux-x64-musl',
    'win32-x64-msvc',
  ].map(at => `@remotion/compositor-${at}@4.0.529`),
};

interface LockedPackage {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly link?: boolean;
}

const INTEGRITY = /^sha512-[A-Za-z0-9+/]{86}==$/;

/** Lists the packages that are downloaded without an integrity check. */
function listUnverified(packages: Readonly<Record<string, LockedPackage>>): readonly string[] {
  return Object.entries(packages)
    .filter(
      ([place, { link, integrity = '' }]) => place !== '' && link !== true && !INTEGRITY.test(integrity),
    )
    .map(([place, { version }]) => `${place.slice(place.lastIndexOf('node_modules/') + 13)}@${version}`);
}

describe('lock files', () => {
  it('exist for the main package and its peers', () => assert.ok(LOCKS.length >= 5, LOCKS.join()));

  for (const path of LOCKS) {
    const { packages } = JSON.parse(readFileSync(join(ROOT, path), 'utf8')) as {
      packages: Readonly<Record<string, LockedPackage>>;
    };
    it(`include an integrity hash for each download in ${path}`, () => {
      assert.deepEqual(listUnverified(packages).toSorted(), (WITHOUT_HASH[path] ?? []).toSorted());
    });
    it(`name only the npm registry as a source in ${path}`, () => {
      const sources = Object.values(packages).flatMap(({ link, resolved }) => (link ? [] : (resolved ?? [])));
      assert.deepEqual(
        sources.filter(source => !source.startsWith('https://registry.npmjs.org/')),
        [],
      );
    });
  }

  it('are reported if a package has no hash or a weak hash', () => {
    const packages = {
      '': {},
      'node_modules/a': { version: '1.0.0', integrity: `sha512-${'A'.repeat(86)}==` },
      'node_modules/b': { version: '1.0.0' },
      'node_modules/a/node_modules/@c/d': {
        version: '2.0.0',
        integrity: 'sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=',
      },
      'node_modules/linked': { link: true },
    };
    assert.deepEqual(listUnverified(packages), ['b@1.0.0', '@c/d@2.0.0']);
  });
});
