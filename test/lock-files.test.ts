// Checks every lock file of the repository: each download has an integrity hash, so that altered bytes are detected.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';

const ROOT = join(import.meta.dirname, '..');
const LOCKS = globSync('{,*/,*/*/}package-lock.json', { cwd: ROOT, exclude: ['**/node_modules'] });

/**
 * Packages of other platforms whose integrity is unknown, because the registry mirror used for the lock file does not
 * offer them. `node scripts/complete-lock.ts` fills them in if the registry has them; then remove them from this list.
 */
const UNKNOWN: Readonly<Record<string, readonly string[]>> = {
  'package-lock.json': [
    ...['android-arm64', 'android-x64', 'darwin-arm64', 'darwin-x64'].map(at => `@biomejs/cli-${at}@2.6.8`),
    ...['linux-arm64-musl', 'linux-x64-musl', 'win32-arm64', 'win32-x64'].map(
      at => `@biomejs/cli-${at}@2.6.8`,
    ),
    ...['android-arm64', 'darwin-arm64', 'darwin-x64', 'linux-arm-gnueabihf', 'linux-arm64-musl'].map(
      at => `@napi-rs/canvas-${at}@1.1.1`,
    ),
    ...['linux-riscv64-gnu', 'linux-x64-musl', 'win32-arm64-msvc', 'win32-x64-msvc'].map(
      at => `@napi-rs/canvas-${at}@1.1.1`,
    ),
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

interface Entry {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly link?: boolean;
}

const INTEGRITY = /^sha512-[A-Za-z0-9+/]{86}==$/;

/** The packages that are downloaded without an integrity check. */
function unverified(packages: Readonly<Record<string, Entry>>): readonly string[] {
  return Object.entries(packages)
    .filter(
      ([place, { link, integrity = '' }]) => place !== '' && link !== true && !INTEGRITY.test(integrity),
    )
    .map(([place, { version }]) => `${place.slice(place.lastIndexOf('node_modules/') + 13)}@${version}`);
}

describe('lock files', () => {
  it('exist', () => assert.ok(LOCKS.length >= 5, LOCKS.join()));

  for (const path of LOCKS) {
    const { packages } = JSON.parse(readFileSync(join(ROOT, path), 'utf8')) as {
      packages: Readonly<Record<string, Entry>>;
    };
    it(`${path} has an integrity hash for each downloaded package`, () => {
      assert.deepEqual(unverified(packages).toSorted(), (UNKNOWN[path] ?? []).toSorted());
    });
    it(`${path} names only registries as sources`, () => {
      const sources = Object.values(packages).flatMap(({ link, resolved }) => (link ? [] : (resolved ?? [])));
      assert.deepEqual(
        sources.filter(source => !source.startsWith('https://registry.npmjs.org/')),
        [],
      );
    });
  }

  it('are refused if an entry has no hash or a weak one', () => {
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
    assert.deepEqual(unverified(packages), ['b@1.0.0', '@c/d@2.0.0']);
  });
});
