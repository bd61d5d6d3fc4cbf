// Runs the test files of a batch in this process. What a file sets up is removed at its end.
import { join } from 'node:path';
import { describe } from 'node:test';
import { pathToFileURL } from 'node:url';
import { type Batch, filesOf } from '../batches.ts';
import { disableHooks, watchHooks } from '../support/async-hook.ts';
import { shareInBatch } from '../support/shared.ts';

export function runBatch(batch: Batch): void {
  watchHooks();
  shareInBatch();
  const loads = filesOf(batch).map(file => {
    const url = pathToFileURL(join(import.meta.dirname, '..', file)).href;
    const { promise, resolve } = Promise.withResolvers<void>();
    describe(file, async () => {
      await import(url).finally(resolve);
    });
    return promise;
  });
  void Promise.all(loads).then(disableHooks);
}
