// Runs the test files of a batch in this process. What a file sets up is removed at its end.
import { join } from 'node:path';
import { describe } from 'node:test';
import { pathToFileURL } from 'node:url';
import { type Batch, filesOf } from '../batches.ts';
import { shareInBatch } from '../support/shared.ts';

export function runBatch(batch: Batch): void {
  shareInBatch();
  for (const file of filesOf(batch))
    describe(file, async () => {
      await import(pathToFileURL(join(import.meta.dirname, '..', file)).href);
    });
}
