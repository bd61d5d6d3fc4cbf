// Disables the async hook by which node:test finds the suite of a test. It tracks every promise, which costs garbage
// collection time, and is needed only while test files load.
import { type AsyncHook, createHook } from 'node:async_hooks';

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
