// Every test file is in one batch or alone, and each batch has a file that runs it.
import assert from 'node:assert/strict';
import { globSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { BATCHES, filesAlone, filesOf } from './batches.ts';

it('runs every test file once', () => {
  const files = globSync('**/*.test.ts', { cwd: import.meta.dirname, exclude: ['**/node_modules/**'] });
  assert.deepEqual([...BATCHES.flatMap(filesOf), ...filesAlone()].sort(), files.sort());
});

it('has one file for each batch', () => {
  const files = readdirSync(join(import.meta.dirname, 'batches')).filter(name => name !== 'run-batch.ts');
  assert.deepEqual(files.sort(), BATCHES.map(name => `${name}.ts`).sort());
});
