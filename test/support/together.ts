// Runs many test files in this process: each would load most of the program anew in a process of its own, which costs
// more than its tests.
import { join } from 'node:path';
import { describe } from 'node:test';
import { pathToFileURL } from 'node:url';
import { splitTests } from '../slow.ts';

/** Every second of the fast test files, from the first or the second on. What a file sets up is removed at its end. */
export function runFastHalf(start: 0 | 1): void {
  const files = splitTests().fast.filter((_, index) => index % 2 === start);
  for (const file of files)
    describe(file, async () => {
      await import(pathToFileURL(join(import.meta.dirname, '..', file)).href);
    });
}
