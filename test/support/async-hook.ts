// The hook by which node:test finds the suite that a test is written in. It follows each promise of the process, and the
// garbage collector has to report each one's end. It is needed only while test files are loaded.
import { type AsyncHook, createHook } from 'node:async_hooks';

const enabled: AsyncHook[] = [];

/** Called before the first test is written. */
export function watchHooks(): void {
  const prototype = Object.getPrototypeOf(createHook({})) as AsyncHook;
  const { enable } = prototype;
  prototype.enable = function (this: AsyncHook): AsyncHook {
    enabled.push(this);
    return enable.call(this);
  };
}

/** Called once all are written. An error that no test awaits still fails the process, but no longer names the test. */
export function disableHooks(): void {
  for (const hook of enabled) hook.disable();
}
