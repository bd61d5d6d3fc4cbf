// Checks that the names of test files say when they run.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';

const STARTS =
  /^(?:import|\}).* from '(?:node:child_process|(?:\.\.?\/)+support\/(?:service|postgres|workers|browser)\.ts|\.\/flow-(?:browser|dom)\.ts)'/m;
const TIERS = ['slow', 'alone', 'nightly'];

const files = globSync('**/*.test.{ts,tsx}', { cwd: import.meta.dirname, exclude: ['**/node_modules/**'] });
const read = (file: string): string => readFileSync(join(import.meta.dirname, file), 'utf8');
/** Returns the words between the name of a file and `.test.ts`. */
const listTiers = (file: string): readonly string[] => file.split('/').at(-1)?.split('.').slice(1, -2) ?? [];

describe('test files', () => {
  it('are named *.slow.test.ts, *.alone.test.ts or *.nightly.test.ts if they start a service, a process or a browser', () => {
    const misnamed = files.filter(file => listTiers(file).length === 0 && STARTS.test(read(file)));
    assert.deepEqual(misnamed, []);
  });

  it('have at most one tier in their names', () => {
    const misnamed = files.filter(file => {
      const tiers = listTiers(file);
      return tiers.length > 1 || tiers.some(tier => !TIERS.includes(tier));
    });
    assert.deepEqual(misnamed, []);
  });

  it('do not import test files, which would then run in another tier too', () => {
    const importers = files.filter(file => /(?:from|import)[ (]'\.[^']*\.test\.tsx?'/.test(read(file)));
    assert.deepEqual(importers, []);
  });
});
