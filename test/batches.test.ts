// Checks that every test file is in one batch or runs separately, and that each batch has a file that runs it.
import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { it } from 'node:test';
import { BATCHES, filesAlone, filesOf, pathOf } from './batches.ts';

it('runs every test file once', () => {
  const files = globSync('**/*.test.ts', { cwd: import.meta.dirname, exclude: ['**/node_modules/**'] });
  assert.deepEqual([...BATCHES.flatMap(filesOf), ...filesAlone()].sort(), files.sort());
});

it('has one file for each batch', () => {
  const files = globSync('batches/*/*.ts', { cwd: import.meta.dirname });
  assert.deepEqual(files.sort(), BATCHES.map(pathOf).sort());
});
