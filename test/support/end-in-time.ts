// Ends a test process that does not exit by itself, because a test left something open or blocks the process.
import { after } from 'node:test';
import { Worker } from 'node:worker_threads';

/** The time in which services must close after the last test. */
const EXIT_TIMEOUT_MS = 200_000;
/** A main thread that is blocked for this long is in an endless loop. Each test also has a time limit. */
const MAX_BLOCKED_MS = 240_000;
const HEARTBEAT_MS = 1000;

/** A thread, which also works while the main thread is in an endless loop. */
const WATCHDOG = `
  const { workerData: { heartbeats, pid, maxBlockedMs } } = require('node:worker_threads');
  let [last, changedMs] = [-1, Date.now()];
  setInterval(() => {
    const count = Atomics.load(heartbeats, 0);
    if (count !== last) [last, changedMs] = [count, Date.now()];
    else if (Date.now() - changedMs > maxBlockedMs) process.kill(pid, 'SIGKILL');
  }, ${HEARTBEAT_MS});`;

/** Call this function before the first test is defined. */
export function endInTime(): void {
  const heartbeats = new Int32Array(new SharedArrayBuffer(4));
  setInterval(() => Atomics.add(heartbeats, 0, 1), HEARTBEAT_MS).unref();
  const workerData = { heartbeats, pid: process.pid, maxBlockedMs: MAX_BLOCKED_MS };
  new Worker(WATCHDOG, { eval: true, workerData }).unref();
  after(() => {
    setTimeout(() => {
      const open = process.getActiveResourcesInfo().join(', ');
      process.stderr.write(`The tests have ended, but their process has not exited. Still open: ${open}\n`);
      process.exit(1);
    }, EXIT_TIMEOUT_MS).unref();
  });
}
