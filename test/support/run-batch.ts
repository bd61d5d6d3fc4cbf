// Runs several test files in this process, one after the other.
import { type AsyncHook, createHook } from 'node:async_hooks';
import { writeFileSync } from 'node:fs';
import { resolve as resolvePath } from 'node:path';
import { before, describe } from 'node:test';
import { pathToFileURL } from 'node:url';
import { endInTime } from './end-in-time.ts';
import { shareInBatch } from './shared.ts';

/** Groups with so many files usually start the service. */
const MIN_PRELOADED = 4;

/**
 * Defines the tests of the files, whose paths are relative to the working directory. The file `progress` contains the one
 * whose tests run, so that the runner knows it if the process crashes, and at the end the word `ended`.
 */
export async function runBatch(files: readonly string[], progress: string): Promise<void> {
  // Before the first test, because from then on the test runner observes each promise, of which loading creates many.
  if (files.length >= MIN_PRELOADED) await import('./app.ts');
  watchHooks();
  endInTime();
  shareInBatch();
  const loads = files.map(file => {
    const url = pathToFileURL(resolvePath(file)).href;
    const { promise, resolve } = Promise.withResolvers<void>();
    describe(file, async () => {
      before(() => writeFileSync(progress, file));
      await import(url).finally(resolve);
    });
    return promise;
  });
  process.once('beforeExit', () => writeFileSync(progress, 'ended'));
  void Promise.allSettled(loads).then(disableHooks);
}

const enabledHooks: AsyncHook[] = [];

/** Records the async hooks that the test runner enables. Call this function before the first test is defined. */
export function watchHooks(): void {
  const prototype = Object.getPrototypeOf(createHook({})) as AsyncHook;
  const { enable } = prototype;
  prototype.enable = function (this: AsyncHook): AsyncHook {
    enabledHooks.push(this);
    return enable.call(this);
  };
}

/** Disables the recorded hooks. Call this function when all tests are defined. Then unhandled errors do not name a test. */
export function disableHooks(): void {
  for (const hook of enabledHooks) hook.disable();
}
