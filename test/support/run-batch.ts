// Runs several test files in this process, one after the other.
import { type AsyncHook, createHook } from 'node:async_hooks';
import { join } from 'node:path';
import { describe } from 'node:test';
import { pathToFileURL } from 'node:url';
import { endInTime } from './end-in-time.ts';
import { shareInBatch } from './shared.ts';

/** `files` are relative to `test/`. */
export function runBatch(files: readonly string[]): void {
  watchHooks();
  endInTime();
  shareInBatch();
  const loads = files.map(file => {
    const url = pathToFileURL(join(import.meta.dirname, '..', file)).href;
    const { promise, resolve } = Promise.withResolvers<void>();
    describe(file, async () => {
      await import(url).finally(resolve);
    });
    return promise;
  });
  void Promise.all(loads).then(disableHooks);
}

const enabled: AsyncHook[] = [];

/** Call before the first test is defined. */
export function watchHooks(): void {
  const prototype = Object.getPrototypeOf(createHook({})) as AsyncHook;
  const { enable } = prototype;
  prototype.enable = function (this: AsyncHook): AsyncHook {
    enabled.push(this);
    return enable.call(this);
  };
}

/** Call once all tests are defined. Unhandled errors still fail the process but no longer name the test. */
export function disableHooks(): void {
  for (const hook of enabled) hook.disable();
}
