// Checks that fast tests start no service, process or browser.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';

const STARTS =
  /from '(?:node:child_process|(?:\.\.?\/)+support\/(?:service|postgres|workers|browser)\.ts|\.\/flow-page\.ts)'/;

it('tests that start a service, a process or a browser are named *.slow.test.ts or *.alone.test.ts', () => {
  const misnamed = globSync('**/*.test.ts', { cwd: import.meta.dirname, exclude: ['**/node_modules/**'] })
    .filter(file => !/\.(?:slow|alone)\.test\.ts$/.test(file))
    .filter(file => STARTS.test(readFileSync(join(import.meta.dirname, file), 'utf8')));
  assert.deepEqual(misnamed, []);
});
