// Checks that every test file is in one batch or runs separately.
import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { it } from 'node:test';
import { BATCHES, filesAlone, filesOf } from './batches.ts';

it('runs every test file once', () => {
  const files = globSync('**/*.test.ts', { cwd: import.meta.dirname, exclude: ['**/node_modules/**'] });
  assert.deepEqual([...BATCHES.flatMap(filesOf), ...filesAlone()].sort(), files.sort());
});
