// Checks that fast tests start no service or process, and that the list of slow tests names existing files.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join, matchesGlob } from 'node:path';
import { it } from 'node:test';
import { SLOW_PATTERNS, splitTests } from './slow.ts';

const STARTS =
  /from '(?:node:child_process|(?:\.\.?\/)+support\/(?:service|postgres|workers|browser)\.ts|\.\/flow-page\.ts)'/;

it('lists every test that starts a service or a process as slow', () => {
  const wrong = splitTests().fast.filter(file =>
    STARTS.test(readFileSync(join(import.meta.dirname, file), 'utf8')),
  );
  assert.deepEqual(wrong, []);
});

it('has no pattern of slow tests that matches no file', () => {
  const { slow } = splitTests();
  const idle = SLOW_PATTERNS.filter(pattern => !slow.some(file => matchesGlob(file, pattern)));
  assert.deepEqual(idle, []);
});
