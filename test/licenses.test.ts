// Checks that the licenses of production packages are permissive. New licenses must be reviewed.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { listLicenses } from '../scripts/licenses.ts';

const LOCK = join(import.meta.dirname, '../package-lock.json');

it('every production package has a permissive license', () => {
  const { packages } = JSON.parse(readFileSync(LOCK, 'utf8'));
  const licenses = listLicenses(packages);
  assert.ok(licenses.length > 200);
  assert.deepEqual(
    licenses.filter(({ isPermitted }) => !isPermitted).map(({ name, license }) => `${name}: ${license}`),
    [],
  );
});

it('listLicenses detects restrictive and unknown licenses', () => {
  const packages = {
    '': { license: 'AGPL-3.0' },
    'node_modules/a': { license: 'GPL-3.0-or-later' },
    'node_modules/a/node_modules/@b/c': { license: '(MIT OR GPL-2.0)' },
    'node_modules/d': { license: 'MIT AND LGPL-3.0-or-later' },
    'node_modules/e': {},
    'node_modules/f': { license: 'GPL-3.0', dev: true },
  };
  assert.deepEqual(
    listLicenses(packages).map(({ name, isPermitted }) => [name, isPermitted]),
    [
      ['a', false],
      ['@b/c', true],
      ['d', false],
      ['e', false],
    ],
  );
});
