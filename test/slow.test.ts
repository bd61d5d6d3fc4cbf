// Checks that fast tests start no service or process, and that the list of slow tests names existing files.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join, matchesGlob } from 'node:path';
import { it } from 'node:test';
import { SLOW_PATTERNS, splitTests } from './slow.ts';

const STARTS =
  /from '(?:node:child_process|(?:\.\.?\/)+support\/(?:service|postgres|workers|browser)\.ts|\.\/flow-page\.ts)'/;

/** Each name of a list in braces on its own: the others of the list would hide one that matches no file. */
function expandNames(pattern: string): readonly string[] {
  const [, before, names, after] = /^(.*)\{(.*)\}(.*)$/.exec(pattern) ?? [];
  return names === undefined ? [pattern] : names.split(',').map(name => `${before}${name}${after}`);
}

it('lists every test that starts a service or a process as slow', () => {
  const wrong = splitTests().fast.filter(file =>
    STARTS.test(readFileSync(join(import.meta.dirname, file), 'utf8')),
  );
  assert.deepEqual(wrong, []);
});

it('has no pattern of slow tests that matches no file', () => {
  const { slow } = splitTests();
  const idle = SLOW_PATTERNS.flatMap(expandNames).filter(
    pattern => !slow.some(file => matchesGlob(file, pattern)),
  );
  assert.deepEqual(idle, []);
});
