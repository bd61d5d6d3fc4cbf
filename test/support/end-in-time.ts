// Ends a test process that does not exit by itself, because a test left something open or blocks the process.
import { after } from 'node:test';
import { Worker } from 'node:worker_threads';

/** The time in which services must close after the last test. */
const EXIT_TIMEOUT_MS = 200_000;
/** A process has several files, which take a minute together. Nightly files take longer. */
const PROCESS_TIMEOUT_MS = process.env.NIGHTLY === undefined ? 600_000 : 3_600_000;

/** Call this function before the first test is defined. */
export function endInTime(): void {
  // A thread also ends a process whose main thread is in an endless loop.
  const kill = `setTimeout(() => process.kill(${process.pid}, 'SIGKILL'), ${PROCESS_TIMEOUT_MS})`;
  new Worker(kill, { eval: true }).unref();
  after(() => {
    setTimeout(() => {
      const open = process.getActiveResourcesInfo().join(', ');
      process.stderr.write(`The tests have ended, but their process has not exited. Still open: ${open}\n`);
      process.exit(1);
    }, EXIT_TIMEOUT_MS).unref();
  });
}
