// Ends a test process that does not end by itself: what a failed test leaves open would hold up the whole run. The runner
// loads it before each file.
import { join } from 'node:path';
import { after } from 'node:test';

/** Closing services takes long on a busy machine. */
const PATIENCE_MS = 200_000;
const BATCHES = join(import.meta.dirname, '../../test-output/batches');

export function endInTime(): void {
  after(() => {
    setTimeout(() => {
      const open = process.getActiveResourcesInfo().join(', ');
      process.stderr.write(`The tests have ended and their process has not. Still open: ${open}\n`);
      process.exit(1);
    }, PATIENCE_MS).unref();
  });
}

// Batches call it themselves, after their own preparations. The process of the runner has no context.
const isBatch = process.argv[1]?.startsWith(BATCHES) === true;
if (process.env.NODE_TEST_CONTEXT !== undefined && !isBatch) endInTime();
