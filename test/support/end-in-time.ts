// Ends a test process that does not exit by itself because a failed test left something open. The runner loads it before
// each file.
import { join } from 'node:path';
import { after } from 'node:test';

/** The time in which services must close after the last test. */
const EXIT_TIMEOUT_MS = 200_000;
const BATCHES = join(import.meta.dirname, '../../test-output/batches');

export function endInTime(): void {
  after(() => {
    setTimeout(() => {
      const open = process.getActiveResourcesInfo().join(', ');
      process.stderr.write(`The tests have ended, but their process has not exited. Still open: ${open}\n`);
      process.exit(1);
    }, EXIT_TIMEOUT_MS).unref();
  });
}

// Batches call `endInTime` themselves. The runner's own process has no NODE_TEST_CONTEXT.
const isBatch = process.argv[1]?.startsWith(BATCHES) === true;
if (process.env.NODE_TEST_CONTEXT !== undefined && !isBatch) endInTime();
